// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "mapping/tuning.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// Mappings found earlier for one matrix, with one seed and one limit of work. A search whose leaves form a tree of
// equal shape reuses the mapping, because it would find the same one. Thread-safe.
class MapMemory {
 public:
  // All input of a search, as numbers.
  using Question = std::vector<std::int32_t>;

  // When the mappings take more than `most_bytes`, the oldest are dropped.
  explicit MapMemory(std::size_t most_bytes = std::numeric_limits<std::size_t>::max()) : most_bytes_(most_bytes) {}

  // Returns the mapping for this question; null when there is none.
  std::shared_ptr<const MapResult> find(const Question& question) const;
  // Adds a mapping unless it alone takes more than `most_bytes`. Drops the oldest mappings until it fits.
  void keep(Question question, MapResult answer);
  std::size_t size() const;   // number of mappings
  std::size_t bytes() const;  // approximate
  void clear();               // drops all mappings

 private:
  struct Kept {
    std::size_t bytes = 0;
    Question question;
    std::shared_ptr<const MapResult> answer;
  };

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::deque<Kept> kept_;  // the oldest first
};

// Appends a number of 64 bits to a question.
inline void add_number(MapMemory::Question& question, std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  question.insert(question.end(),
                  {static_cast<std::int32_t>(bits >> 32), static_cast<std::int32_t>(bits & UINT32_MAX)});
}

// The kinds of searches on some leaves alone.
enum class SearchAlone : std::int32_t { given, subtree };

// Maps to `leaves` alone: the search sees the part of the tree that has only these leaves, so its result does not
// depend on other leaves. Returns the mapping that options.memory has for a part of equal shape. If there is none,
// calls search(part, leaves of the part), and remembers its mapping unless the deadline has passed. Throws OutOfTime.
//   leaves   ascending
//   options  effort, deadline and memory are used; the memory may be null
MapResult mapped_alone(SearchAlone kind, const TreeTopology& tree, const std::vector<std::int32_t>& leaves,
                       const MapOptions& options, const mapping::WorkBudget& watch,
                       const std::function<MapResult(const TreeTopology&, std::vector<std::int32_t>)>& search);

// The memories of the matrices that were mapped last, for repeated jobs, such as the tasks of an array. With the limits
// in tuning.hpp, all memories together take at most some 50 MiB. Thread-safe.
class MatrixMemories {
 public:
  using Clock = std::chrono::steady_clock;

  // Returns the memory of the matrix with this seed. A new one replaces the least recently used memory. `matrix` is not
  // null.
  std::shared_ptr<MapMemory> of(const std::shared_ptr<const CommMatrix>& matrix, std::uint64_t seed);

  // Returns the memory of mappings of parts of matrices onto the cores of one node.
  MapMemory& within_nodes();

  // Drops the memories that were last used before `since`. Returns the approximate number of bytes that were freed.
  std::size_t drop_idle(Clock::time_point since);
  std::size_t bytes();  // approximate

 private:
  struct Remembered {
    std::shared_ptr<const CommMatrix> matrix;
    std::uint64_t seed = 0;
    std::shared_ptr<MapMemory> memory;
    Clock::time_point used;

    std::size_t bytes() const { return memory->bytes() + matrix->bytes(); }
  };

  std::mutex mutex_;
  std::list<Remembered> all_;  // the most recently used first
  MapMemory within_nodes_{mapping::tuning::most_bytes_within_nodes};
  Clock::time_point within_nodes_used_;
};

// Returns the memories of all decisions of this process.
MatrixMemories& matrix_memories();

}  // namespace placement::treematch
