// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/zstd_frame.hpp"

#include <zstd.h>

#include <new>
#include <string>

#include "common/util/error.hpp"

namespace placement {

std::vector<std::byte> pack_frame(std::span<const std::byte> bytes, int level) {
  std::vector<std::byte> frame(ZSTD_compressBound(bytes.size()));
  const std::size_t got = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(got)) throw std::bad_alloc();  // ZSTD_compressBound() is enough room: only memory can be short
  frame.resize(got);
  return frame;
}

std::vector<std::byte> unpack_frame(std::span<const std::byte> frame, std::size_t max_bytes) {
  const std::size_t length = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(length)) throw Error("incomplete zstd frame");
  if (length != frame.size()) throw Error(std::to_string(frame.size() - length) + " bytes too many at the end");
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR)
    throw Error("the frame does not state its unpacked size");
  if (size > max_bytes)
    throw Error("unpacked " + std::to_string(size) + " bytes: the limit is " + std::to_string(max_bytes));
  std::vector<std::byte> bytes(size);
  const std::size_t got = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(got)) throw Error(std::string("broken zstd data: ") + ZSTD_getErrorName(got));
  if (got != bytes.size()) throw Error("the unpacked size differs from the size that the frame states");
  return bytes;
}

}  // namespace placement
