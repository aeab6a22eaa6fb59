// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_format.hpp"
#include "pattern/pattern.hpp"

namespace placement::sim {

// The source of the communication matrices of a replay, because a log has no matrices.
struct PatternSpec {
  enum class Kind {
    random,  // each rank has traffic with `degree` random others on average, with fewer in small jobs because pairs are
             // drawn with repetition; weights from 1 to 1000
    data_tree,  // the quad tree of NPB DT: each rank has traffic with its parent
    named,      // a pattern that srun takes in place of a matrix, for jobs whose number of tasks it fits
    folder,     // recorded matrices: a job gets one whose number of ranks is its number of tasks
  };
  Kind kind = Kind::random;
  // For kind `random`: mean number of neighbours of a rank, above 0. With 3.7, the mean gain on Curie equals that of
  // [TM §8].
  double degree = 3.7;
  pattern::Pattern named;  // for kind `named`
  std::string folder;      // for kind `folder`: path of the folder
};

// Parses a pattern: random, random=DEGREE, dt, the path of a folder, which has a slash, or else what
// pattern::parse_pattern() takes. Throws Error on any other word, with a list of the patterns.
PatternSpec parse_pattern(std::string_view word);

// Makes the matrices of a pattern. Equal numbers of ranks and equal seeds give equal matrices.
class PatternSource {
 public:
  // Reads all files of the folder, if the pattern has one. `weight` selects what their traffic counts. Throws Error
  // when a file is not a matrix or there is none.
  explicit PatternSource(const PatternSpec& spec, TrafficWeight weight = TrafficWeight::bytes);

  // Throws Error when a matrix of this number of ranks would have more pairs than may be held in memory.
  void check(std::int32_t ranks) const;

  // Returns a matrix of this number of ranks. Returns null for one rank, when no matrix with this number of ranks is
  // recorded, and when the pattern does not fit this number. Throws Error when check() would.
  std::shared_ptr<const CommMatrix> matrix(std::int32_t ranks, std::uint64_t seed) const;

 private:
  PatternSpec spec_;
  std::map<std::int32_t, std::vector<std::shared_ptr<const CommMatrix>>> recorded_;  // by number of ranks
};

}  // namespace placement::sim
