// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace placement {

// Compresses `bytes` into one zstd frame, with the number of bytes in its header. `level` is zstd's level of
// compression, from 1 (fast) to 19 (small).
std::vector<std::byte> pack_frame(std::span<const std::byte> bytes, int level);

// Decompresses a frame and returns its bytes. Throws Error unless `frame` is one complete and undamaged zstd frame
// without further bytes. Its header must have the decompressed size, at most `max_bytes`, which is checked before
// memory is allocated.
std::vector<std::byte> unpack_frame(std::span<const std::byte> frame, std::size_t max_bytes);

}  // namespace placement
