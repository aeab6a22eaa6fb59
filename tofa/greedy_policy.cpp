// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/greedy_policy.hpp"

#include <algorithm>
#include <optional>

#include "common/util/error.hpp"
#include "mapping/greedy.hpp"
#include "tofa/torus_job.hpp"

namespace placement {

namespace {

constexpr const char* method = "the heaviest pairs first";
constexpr const char* out_of_time = "natural order, the time ended";

class GreedyJob : public TorusJob {
 public:
  using TorusJob::TorusJob;

  Placement greedy(const WorkBudget& watch) {
    begin_in_order();
    try {
      return answer(greedy_leaves(watch), method);
    } catch (const OutOfTime&) {
      return answer(natural_, out_of_time);
    }
  }
};

}  // namespace

Placement place_greedy(const ClusterView& view, const Request& request, const Deadline& deadline) {
  const WorkBudget watch(deadline);
  check_torus_request(view, request);
  if (!request.matrix) throw Error("GREEDY needs a matrix");
  if (has_coordinates(view, request)) return GreedyJob(view, request).greedy(watch);
  const Slots slots(view, request);
  NodeCounts natural_counts = request.node_tasks;
  NodeCounts offered = request.node_tasks;
  std::optional<NodeLimits> limits;
  if (request.node_tasks.empty()) {
    limits.emplace(view, request, slots.capacity());
    const auto counts = sequential_counts(*limits);
    if (!counts) throw Error("no choice of nodes keeps to the limits on nodes and tasks per node");
    natural_counts = *counts;
    offered = limits->capacity();
  }
  const std::vector<std::int32_t> natural = slots.leaves(natural_counts);
  try {
    for (const NodeCounts& counts : {offered, natural_counts}) {
      std::vector<std::int32_t> leaves = slots.leaves(counts);
      std::sort(leaves.begin(), leaves.end());
      const LeafTree tree(*view.tree, leaves);
      std::vector<std::int32_t> mapped = greedy_mapping(scaled_graph(*request.matrix), tree, watch);
      for (std::int32_t& slot : mapped) slot = tree.leaf(slot);
      if (!limits || limits->allow(slots.counts(mapped))) return slots.placement(mapped, natural, method);
    }
  } catch (const OutOfTime&) {
    return slots.placement(natural, natural, out_of_time);
  }
  return slots.placement(natural, natural, "natural order");
}

}  // namespace placement
