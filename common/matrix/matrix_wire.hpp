// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement {

// The form in which srun, sbatch and salloc send a communication matrix to slurmctld.

// The largest matrix that a receiver accepts. slurmctld unpacks it under its locks, within the 50 ms of a decision. A
// few kilobytes can expand to these limits. The client sends a sample of the pairs of a larger matrix.
struct WireLimits {
  std::int32_t max_ranks = 1 << 20;
  std::int64_t max_pairs = 200'000;
  std::size_t max_unpacked_bytes = std::size_t{1} << 24;
};

// Returns the packed form of a matrix: the 4 bytes "SPM\1", then one zstd frame of LEB128 numbers. The first numbers
// are 0, the number of ranks, and the number of pairs. Each rank then has its number of higher neighbours: those with a
// higher number than its own. Next are these neighbours, rank by rank in ascending order. The first neighbour of a rank
// is written as its difference from the rank, minus 1; each next one as its difference from the previous one, minus 1.
// The last numbers are the weights of the pairs, minus 1. Throws Error when the matrix exceeds the default WireLimits.
std::vector<std::byte> pack_wire(const CommMatrix& matrix);

// Unpacks a matrix of pack_wire(). This is a trust boundary: the bytes may come from any user. Throws Error unless
// pack_wire() writes exactly these numbers for some matrix. Any version of zstd may have compressed them. Takes linear
// time, and never more memory or time than `limits` allow.
CommMatrix unpack_wire(std::span<const std::byte> bytes, const WireLimits& limits = {});

}  // namespace placement
