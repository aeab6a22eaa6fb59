// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement {

// A communication matrix as it travels from srun or sbatch to slurmctld: the whole matrix or, when that is too large, a
// coarsened one of groups of ranks.
struct WireMatrix {
  CommMatrix matrix;                   // of ranks; of groups when group_of is not empty
  std::vector<std::int32_t> group_of;  // the group of each rank, numbered in the order of lowest ranks

  // Whether the matrix is one of groups of ranks.
  bool coarse() const { return !group_of.empty(); }
  // The number of ranks of the job.
  std::int32_t tasks() const { return coarse() ? static_cast<std::int32_t>(group_of.size()) : matrix.ranks(); }
  bool operator==(const WireMatrix&) const = default;
};

// The largest matrix that a receiver accepts. slurmctld unpacks the matrix under its locks, and a few kilobytes of
// compressed data can expand to these limits. Reading takes a part of the time of a decision, 50 ms by default. The
// client sends a sample of the pairs of a larger matrix, or a matrix of groups of ranks.
struct WireLimits {
  std::int32_t max_ranks = 1 << 20;
  std::int64_t max_pairs = 200'000;
  std::size_t max_unpacked_bytes = std::size_t{1} << 24;
};

// Returns the packed form of a matrix: the 4 bytes "SPM\1", then one zstd frame. The frame holds LEB128 numbers:
// - the number of ranks that have a group (0 when the matrix is not coarsened);
// - for each of them its group, as the zigzag difference to the group of the rank before;
// - the number of ranks (or groups) of the matrix, and the number of pairs;
// - for each rank the number of its neighbours that are larger than the rank;
// - for each pair, in sorted order, the distance of its larger rank to the neighbour before, or to the rank itself for
//   the first neighbour, less 1;
// - for each pair, in sorted order, the weight less 1.
// Throws Error when the matrix exceeds the default WireLimits, or when group_of does not fit to the matrix.
std::vector<std::byte> pack_wire(const WireMatrix& wire);

// Unpacks a matrix that pack_wire() wrote. This is a trust boundary: the bytes come from any user. Throws Error on
// bytes that pack_wire() does not write, except that zstd has a choice in how it compresses. Takes linear time, and
// never more memory or time than `limits` allow.
WireMatrix unpack_wire(std::span<const std::byte> bytes, const WireLimits& limits = {});

}  // namespace placement
