// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace placement {

// The bytes as one zstd frame that tells their number; levels are zstd's, 1 to 19.
std::vector<std::byte> pack_frame(std::span<const std::byte> bytes, int level);

// The bytes again. Throws Error when it is not one whole frame that tells its unpacked size, or when
// that is above max_bytes, before memory is spent.
std::vector<std::byte> unpack_frame(std::span<const std::byte> frame, std::size_t max_bytes);

}  // namespace placement
