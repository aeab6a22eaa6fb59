// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <string>

namespace placement {

// Returns the whole content of a text file. `path` names a regular file, a pipe or a socket (as /dev/stdin may be).
// A file that is compressed with zstd is decompressed.
// Throws Error, with the name of the file, when it
// - cannot be opened or read, or is a directory or a device;
// - has more than `max_bytes` bytes, compressed or decompressed, or does not fit into memory;
// - is no text (has a zero byte), is broken as a zstd file, or is compressed with gzip;
// - has more than 64 MiB and more than 2,000 times its compressed size after decompression.
// Waits for the data of a pipe or a socket. Throws Error when no data come for 30 seconds, or when a signal comes
// during the wait.
std::string read_input_file(const std::string& path, std::size_t max_bytes);

// Returns the first `most_bytes` bytes of a regular file as they are. The text is empty when the file is missing, may
// not be read or is no regular file. Does not wait for a pipe.
std::string beginning_of_file(const std::string& path, std::size_t most_bytes);

// Returns whether there is something at `path`. It is true as well when this user may not find out: opening the file
// then fails with the reason.
bool may_exist(const std::string& path) noexcept;

}  // namespace placement
