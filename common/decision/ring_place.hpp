// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <span>
#include <string>

namespace placement {

// Where the ring of decisions lies. Usually that is DecisionFile itself. In a directory like /dev/shm any user may have
// made that name first; then the ring is the file "ring" in a directory of the writer's own, whose name is
// DecisionFile, a dot and six random letters.

// The directory of this process' user for the ring at `path`: one that is there already, else a new one.
// `directory_mode` is its mode. Throws Error when it cannot be made.
std::string own_ring_directory(const std::string& path, mode_t directory_mode);

// The ring at `path`, or in a directory beside it, that was written last and belongs to one of `owners`, and that
// nobody else may write. Empty: there is none.
std::string find_ring(const std::string& path, std::span<const uid_t> owners);

}  // namespace placement
