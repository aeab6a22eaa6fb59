// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace placement {

// Returns the content of the text file, pipe or socket `path`, decompressed if it is a zstd file. Throws Error with the
// name of the file if it cannot be read, has a zero byte, or is compressed by gzip. Also throws Error if it exceeds
// `max_bytes`, compressed or decompressed, or if it expands more than 2,000 times to over 64 MiB. Waits for a pipe or a
// socket; throws Error after 30 seconds without data, or after a signal.
std::string read_input_file(const std::string& path, std::size_t max_bytes = 64 << 20);

// Returns the first `most_bytes` bytes of a regular file, without decompression. Returns nothing if the file is
// missing, unreadable or not a regular file. Does not wait for a pipe.
std::optional<std::string> beginning_of_file(const std::string& path, std::size_t most_bytes);

// Throws Error unless the open file `path`, with this status, is a regular file. With `owners` it must belong to one of
// them, and no other user may be able to write it.
void require_trusted(const std::string& path, const struct stat& status, std::span<const uid_t> owners);

// Returns whether `path` exists. Also true if this user may not check it: opening the file then fails with the reason.
bool may_exist(const std::string& path) noexcept;

}  // namespace placement
