// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace placement {

// Compresses `bytes` into one zstd frame, whose header holds the number of bytes. `level` is zstd's level of
// compression, from 1 (fast) to 19 (small).
std::vector<std::byte> pack_frame(std::span<const std::byte> bytes, int level);

// Decompresses a frame and returns its bytes. Throws Error when `frame` is not exactly one whole zstd frame with the
// decompressed size in its header. Throws it also when the data are damaged, or when that size is above `max_bytes`.
// The size is checked before memory is allocated.
std::vector<std::byte> unpack_frame(std::span<const std::byte> frame, std::size_t max_bytes);

}  // namespace placement
