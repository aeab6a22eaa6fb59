// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <span>
#include <string>

namespace placement {

// Finds the file of the ring. Usually it is DecisionFile itself. In a directory such as /dev/shm, another user may have
// created a file of this name first. The ring is then the file "ring" in a directory of the writer, whose name is
// DecisionFile, a dot and six random letters.

// Returns the directory of this process' user for the ring of `path` (DecisionFile). Creates it with the mode
// `directory_mode` if there is none. Throws Error when it cannot be made.
std::string own_ring_directory(const std::string& path, mode_t directory_mode);

// Returns the path of the ring: `path`, or the file "ring" in a directory next to it. Only one of `owners` may own and
// write the file. Of several, returns the latest; of none, an empty text.
std::string find_ring(const std::string& path, std::span<const uid_t> owners);

// Lets the user `reader` read the ring at the path `ring`, in addition to the users whom the mode of the file admits.
// The ring must be a file of this process's user. If own_ring_directory() made the ring's directory, `reader` may also
// enter that directory. Returns false without access control lists, or when the ring is not there or not this user's.
bool let_read_ring(const std::string& ring, uid_t reader);

}  // namespace placement
