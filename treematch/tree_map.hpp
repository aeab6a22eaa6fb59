// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/cost.hpp"
#include "common/topology/tree_topology.hpp"
#include "common/util/deadline.hpp"
#include "mapping/leaf_tree.hpp"

namespace placement {

// Which leaves take part when there are more usable ones than ranks [TM §6].
enum class LeafScope {
  given,    // TM-A: as many leaves as ranks, or the first ones from the left
  whole,    // TM-I: any usable leaf of the tree
  subtree,  // TM-Isub(+k): the smallest subtree that has enough, k levels further up
};

// What has been found for one matrix with one seed and one limit of work, by effort. Leaves that part in the
// same way as others before them take over their mapping, without a search.
class MapMemory {
 public:
  struct Entry {
    std::int32_t effort = 0;              // MapOptions::effort of the search
    std::vector<LeafTree::Vertex> shape;  // of the tree over the leaves in scope
    std::vector<std::int32_t> packed;     // slots of the leaves that lie close together
    std::vector<std::int32_t> slot;       // the mapping
    Cost cost = 0;
    std::string method;
  };

  // Null when there were no such leaves yet.
  const Entry* find(std::int32_t effort, std::span<const LeafTree::Vertex> shape, std::span<const std::int32_t> packed) const;
  void keep(Entry entry) { entries_.push_back(std::move(entry)); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<Entry> entries_;
};

constexpr std::int32_t usual_effort = 10;  // with it 4,096 ranks take 50 ms

// Steps that exact_mapping() may take. With the usual effort these are some twenty milliseconds for ten
// ranks, and five for more, which seldom end in time anyway.
constexpr std::int64_t exact_steps(std::int32_t ranks, std::int32_t effort) {
  return std::int64_t{ranks <= 10 ? 1'000'000 : 250'000} * effort;
}

struct MapOptions {
  std::uint64_t seed = 1;
  LeafScope scope = LeafScope::subtree;
  std::int32_t levels_up = 0;   // k of TM-Isub+k
  std::int64_t work_limit = 0;  // units of work (about one edge visit each), 0: as much as pays
  // Without a work_limit: of what pays, in proportion. More than the usual effort E begins with searches of effort E, 4 E, 16 E
  // and so on, and never costs more hop-bytes than one of these unless the deadline passes.
  std::int32_t effort = usual_effort;
  Deadline deadline = Deadline::never();
  MapMemory* memory = nullptr;  // shared by calls that differ in their leaves alone
};

struct MapResult {
  std::vector<std::int32_t> leaf_of_rank;  // one usable leaf per rank, all different
  Cost cost = 0;                           // hop-bytes
  Cost natural_cost = 0;                   // rank r on the r-th usable leaf
  std::string method;                      // which member of the portfolio it came from
  bool optimal = false;                    // no mapping in the scope costs less
};

// Maps the ranks of the matrix onto usable leaves, one each, with few hop-bytes [TM §5].
// `usable` is ascending without duplicates. The result is legal, deterministic for the same input
// and seed, and never costs more than the natural order on the same leaves or greedy. Where the
// deadline passes, it is the best mapping found so far, at worst the natural order.
// Throws Error when a leaf is out of range or listed twice, or when ranks outnumber usable leaves.
MapResult map_to_tree(const CommMatrix& matrix, const TreeTopology& tree,
                      std::span<const std::int32_t> usable, const MapOptions& options);

}  // namespace placement
