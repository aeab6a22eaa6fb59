// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "common/state/snapshot.hpp"

namespace placement {

// How the parts of a snapshot lie in its bytes: for the two that know what the parts are.

// The first multiple of snapshot_alignment from here.
inline std::size_t snapshot_aligned(std::size_t at) {
  return (at + snapshot_alignment - 1) / snapshot_alignment * snapshot_alignment;
}

// A header, and parts behind it that each begin at a multiple of snapshot_alignment.
struct SnapshotLayout {
  explicit SnapshotLayout(std::size_t header_bytes) : end(header_bytes) {}

  // Where the next part begins, which has so many bytes.
  std::size_t place(std::size_t bytes) {
    const std::size_t at = snapshot_aligned(end);
    end = at + bytes;
    return at;
  }

  std::size_t end;  // of the last part so far
};

// Copies the values to where the layout has their part.
template <typename T>
void put_part(std::vector<std::byte>& bytes, std::size_t at, std::span<const T> values) {
  if (!values.empty()) std::memcpy(bytes.data() + at, values.data(), values.size_bytes());
}

// The `count` values of the part at this place, which the bytes keep.
template <typename T>
std::span<const T> part_of(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  return {reinterpret_cast<const T*>(bytes.data() + at), count};
}

}  // namespace placement
