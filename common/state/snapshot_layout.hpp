// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "common/state/snapshot.hpp"
#include "common/util/byte_writer.hpp"
#include "common/util/error.hpp"

namespace placement {

// Computes where the parts of a snapshot are in its bytes. Only snapshot.cpp and snapshot_extra.cpp use this file.

// Returns the least multiple of snapshot_alignment that is not below `at`.
inline std::size_t snapshot_aligned(std::size_t at) {
  return (at + snapshot_alignment - 1) / snapshot_alignment * snapshot_alignment;
}

// The layout of a header and the parts behind it, each of which begins at a multiple of snapshot_alignment.
struct SnapshotLayout {
  explicit SnapshotLayout(std::size_t header_bytes) : end(header_bytes) {}

  // Adds a part of `bytes` bytes and returns its offset.
  std::size_t place(std::size_t bytes) {
    const std::size_t at = snapshot_aligned(end);
    end = at + bytes;
    return at;
  }

  std::size_t end;  // the offset behind the last part so far
};

// Copies the values to the offset `at`, where the layout has their part. Throws Error when they reach behind the end.
template <typename T>
void put_part(std::vector<std::byte>& bytes, std::size_t at, std::span<const T> values) {
  if (at > bytes.size() || !ByteWriter(std::span(bytes).subspan(at)).put(std::as_bytes(values)))
    throw Error("a part of the snapshot is longer than its place");
}

// Returns the `count` values of the part at the offset `at`. They stay in `bytes`, which must outlive them. Throws
// Error when they are not all in `bytes`.
template <typename T>
std::span<const T> part_of(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  if (at > bytes.size() || count > (bytes.size() - at) / sizeof(T))
    throw Error("a part of the snapshot is behind its end");
  return {reinterpret_cast<const T*>(bytes.data() + at), count};
}

}  // namespace placement
