// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/torus_baselines.hpp"

#include <algorithm>
#include <optional>

#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"
#include "mapping/greedy.hpp"
#include "tofa/scotch_hook.hpp"
#include "tofa/torus_job.hpp"

namespace placement::tofa {

namespace {

constexpr const char* out_of_time = "natural order, the time ended";

class PaperJob : public TorusJob {
 public:
  PaperJob(const ClusterView& view, const Request& request, const Deadline& deadline)
      : TorusJob(view, request),
        deadline_(deadline) {}

  Placement paper() {
    if (!request_.node_tasks.empty()) {
      begin(slots_.leaves(request_.node_tasks));
      const std::optional<std::vector<std::int32_t>> leaves = in_time(natural_, false);
      return answer(leaves ? *leaves : natural_, leaves ? "SCOTCH on the nodes given" : out_of_time);
    }
    if (const auto window = first_window()) {
      begin(slots_.leaves(*window));
      const std::optional<std::vector<std::int32_t>> leaves = in_time(natural_, false);
      return answer(leaves ? *leaves : natural_,
                    leaves ? "SCOTCH on the first healthy window" : "the first healthy window");
    }
    const mapping::NodeLimits all = limits_of(capacity());
    begin(slots_.leaves(sequential()));
    const std::optional<std::vector<std::int32_t>> leaves = in_time(slots_.leaves(all.capacity()), true);
    if (leaves && all.allow(slots_.counts(*leaves))) return answer(*leaves, "SCOTCH with raised weights");
    return answer(natural_, "natural order, there being no healthy window");
  }

 private:
  // Returns what with_scotch() returns, or nothing if the deadline has passed.
  std::optional<std::vector<std::int32_t>> in_time(const std::vector<std::int32_t>& leaves, bool raised) const {
    return deadline_.expired() ? std::nullopt : with_scotch(leaves, raised);
  }

  const Deadline deadline_;
};

}  // namespace

void check_tofa_paper(const Parameters&) {
  if (!scotch_mapper())
    throw PlacementError(STOCK_OTHER, "TOFA-PAPER maps ranks with SCOTCH, and this program is built without it");
}

Placement place_tofa_paper(const ClusterView& view, const Request& request, const Deadline& deadline) {
  check_tofa_paper(request.parameters);
  check_torus_request(view, request);
  if (!has_coordinates(view, request)) throw Error("TOFA-PAPER needs a torus: give a torus file as the topology");
  return PaperJob(view, request, deadline).paper();
}

namespace {

constexpr const char* method = "the heaviest pairs first";
class GreedyJob : public TorusJob {
 public:
  using TorusJob::TorusJob;

  Placement greedy(const mapping::WorkBudget& watch) {
    begin_in_order();
    try {
      return answer(greedy_leaves(watch), method);
    } catch (const mapping::OutOfTime&) {
      return answer(natural_, out_of_time);
    }
  }
};

}  // namespace

Placement place_greedy(const ClusterView& view, const Request& request, const Deadline& deadline) {
  const mapping::WorkBudget watch(deadline);
  check_torus_request(view, request);
  if (!request.matrix) throw Error("GREEDY needs a matrix");
  if (has_coordinates(view, request)) return GreedyJob(view, request).greedy(watch);
  const mapping::Slots slots(view, request);
  mapping::NodeCounts natural_counts = request.node_tasks;
  mapping::NodeCounts offered = request.node_tasks;
  std::optional<mapping::NodeLimits> limits;
  if (request.node_tasks.empty()) {
    limits.emplace(view, request, slots.capacity());
    const auto counts = mapping::sequential_counts(*limits);
    if (!counts)
      throw PlacementError(STOCK_NO_ROOM, "no choice of nodes keeps to the limits on nodes and tasks per node");
    natural_counts = *counts;
    offered = limits->capacity();
  }
  const std::vector<std::int32_t> natural = slots.leaves(natural_counts);
  try {
    for (const mapping::NodeCounts& counts : {offered, natural_counts}) {
      std::vector<std::int32_t> leaves = slots.leaves(counts);
      std::sort(leaves.begin(), leaves.end());
      const mapping::LeafTree tree(*view.tree, leaves);
      std::vector<std::int32_t> mapped = mapping::greedy_mapping(mapping::scaled_graph(*request.matrix), tree, watch);
      for (std::int32_t& slot : mapped) slot = tree.leaf(slot);
      if (!limits || limits->allow(slots.counts(mapped))) return slots.placement(mapped, natural, method);
    }
  } catch (const mapping::OutOfTime&) {
    return slots.placement(natural, natural, out_of_time);
  }
  return slots.placement(natural, natural, "natural order");
}

}  // namespace placement::tofa
