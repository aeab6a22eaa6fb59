// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement {

// A communication matrix as it travels from the client to slurmctld: whole, or, when that does not
// fit, of groups of ranks.
struct WireMatrix {
  CommMatrix matrix;                   // of ranks, or of groups when group_of is not empty
  std::vector<std::int32_t> group_of;  // by rank; groups are numbered as their first ranks come

  bool coarse() const { return !group_of.empty(); }
  std::int32_t tasks() const {
    return coarse() ? static_cast<std::int32_t>(group_of.size()) : matrix.ranks();
  }
  bool operator==(const WireMatrix&) const = default;
};

// What the receiver accepts at most: slurmctld unpacks under its locks, and a few kilobytes can
// unfold to all of this. It takes 60 MB of memory then, and some 50 ms. The client makes groups of
// ranks of what is larger.
struct WireLimits {
  std::int32_t max_ranks = 1 << 20;
  std::int64_t max_pairs = std::int64_t{1} << 19;
  std::size_t max_unpacked_bytes = std::size_t{1} << 24;
};

// The wire form: 4 bytes "SPM\1", then one zstd frame. In it, as LEB128 numbers: number of groups'
// ranks (0 when not coarse) and for each its group as zigzag difference to the one before; ranks of
// the matrix; pairs; per rank the number of its larger neighbours; per pair, sorted, the distance to the
// neighbour before (or to the rank itself) less 1; per pair the weight less 1.
// Throws Error when the receiver's default limits do not admit it.
std::vector<std::byte> pack_wire(const WireMatrix& wire);
std::vector<std::byte> pack_matrix(const CommMatrix& matrix);

// The trust boundary: bytes come from any user. Throws Error on whatever pack_wire would not have
// written (but for the choice zstd has), before memory or time beyond the limits is spent; time is linear.
WireMatrix unpack_wire(std::span<const std::byte> bytes, const WireLimits& limits = {});
// The same where only a whole matrix will do.
CommMatrix unpack_matrix(std::span<const std::byte> bytes, const WireLimits& limits = {});

}  // namespace placement
