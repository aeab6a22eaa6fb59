// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/topology/tree_topology.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/packing.hpp"

namespace placement::treematch {

// A set of leaves, one per rank, on which the ranks may be placed.
struct LeafSet {
  std::int32_t top = 0;              // the vertex below which the leaves are
  std::vector<std::int32_t> leaves;  // ascending
  double cost = 0;                   // hop-bytes that the model expects, in units of the model
};

// Puts sets of leaves together, without the mapping of the ranks. Each set is returned once.
class LeafSets {
 public:
  // `usable` is ascending. All arguments must outlive the object. Throws OutOfTime, as all functions do.
  LeafSets(const TreeTopology& tree, std::span<const std::int32_t> usable, const CutModel& model,
           const mapping::WorkBudget& watch)
      : tree_(tree),
        usable_(usable),
        model_(model),
        watch_(watch),
        packing_(tree, usable, model, watch) {}

  // Returns two sets for each of the best subtrees below `tops`, at most `most` subtrees of different class: the set
  // that the model expects to cost least, and the one from the fullest branches. Best first.
  std::vector<LeafSet> packings(std::span<const std::int32_t> tops, std::ptrdiff_t most);

  // Adds the set of these leaves below `top` to `all`, unless it is empty or has been returned before.
  void add(std::vector<LeafSet>& all, std::int32_t top, std::vector<std::int32_t> leaves);

  // Returns the hop-bytes that the model expects on the leaves, which are ascending, one per rank.
  double cost(std::span<const std::int32_t> leaves) const { return model_.cost(tree_, leaves); }

  // Returns the least hop-bytes that the model expects below the vertex; infinity where there are too few leaves.
  double least_cost_below(std::int32_t vertex) { return packing_.least_cost_below(vertex); }

 private:
  const TreeTopology& tree_;
  const std::span<const std::int32_t> usable_;
  const CutModel& model_;
  const mapping::WorkBudget& watch_;
  PackingSearch packing_;
  std::vector<std::vector<std::int32_t>> returned_;
};

// Returns the given leaves together with other usable leaves below the vertex, to which ranks may move. These are all
// of them, or the fullest branches where there are many.
std::vector<std::int32_t> leaves_near(const TreeTopology& tree, std::span<const std::int32_t> usable, std::int32_t top,
                                      const std::vector<std::int32_t>& leaves);

}  // namespace placement::treematch
