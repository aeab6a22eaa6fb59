// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <string>

namespace placement {

// All of a regular file, a pipe or a socket (as /dev/stdin may be), unpacked when it is a zstd file.
// Throws Error naming the file: cannot be opened or read, is a directory or device, has more than
// max_bytes bytes (packed or unpacked), is no text (a zero byte), has broken or unknown compression, unpacks to
// thousands of times its size, or does not fit into memory. A pipe is waited for until a signal comes, for half a
// minute at most.
std::string read_input_file(const std::string& path, std::size_t max_bytes);

}  // namespace placement
