// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement::sim {

// Where the communication matrices of a replay come from; a log has none.
struct PatternSpec {
  enum class Kind {
    random,     // each rank with so many random others, weights 1..1000
    stencil_2d, // the four neighbours on a grid as square as can be
    stencil_3d, // the six neighbours on a grid as cubic as can be
    all_to_all, // every pair; above 512 ranks the pairs of Bruck's algorithm, with its sizes
    data_tree,  // the quad trees of NPB DT: each rank with the one it feeds
    folder,     // recorded matrices; a job gets one with as many ranks as it has tasks
  };
  Kind kind = Kind::random;
  double degree = 3.7;  // of random: neighbours per rank on average, above 0; with 3.7 the mean gain on Curie is that of [TM §4]
  std::string folder;
};

// "random", "random=DEGREE", "stencil2d", "stencil3d", "alltoall", "dt", or the
// path of a folder, which has a slash. Throws Error that lists these.
PatternSpec parse_pattern(std::string_view word);

// Hands out matrices, the same for the same ranks and seed.
class PatternSource {
 public:
  // Reads all files of a folder. Throws Error on one that is no matrix, or when there is none.
  explicit PatternSource(const PatternSpec& spec);

  // Throws Error when a matrix of that many ranks would have more pairs than memory should be spent on.
  void check(std::int32_t ranks) const;

  // Null where there is none: one rank, or no recorded matrix of that many ranks. Throws as check() does.
  std::shared_ptr<const CommMatrix> matrix(std::int32_t ranks, std::uint64_t seed) const;

 private:
  PatternSpec spec_;
  std::map<std::int32_t, std::vector<std::shared_ptr<const CommMatrix>>> recorded_;  // by ranks
};

}  // namespace placement::sim
