// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/torus_baselines.hpp"

#include <optional>

#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"
#include "mapping/greedy.hpp"
#include "tofa/scotch_hook.hpp"
#include "tofa/torus_job.hpp"

namespace placement::tofa {

namespace {

constexpr const char* out_of_time = "natural order, the time ended";

constexpr const char* method = "the heaviest pairs first";

}  // namespace

void check_tofa_paper(const Parameters&) {
  if (!scotch_mapper())
    throw PlacementError(STOCK_OTHER, "TOFA-PAPER maps ranks with SCOTCH, but this program is built without it");
}

Placement place_tofa_paper(const ClusterView& view, const Request& request, const Deadline& deadline) {
  check_tofa_paper(request.parameters);
  mapping::check_request(view, request);
  if (!has_coordinates(view, request)) throw Error("TOFA-PAPER needs a torus: give a torus file as the topology");
  const TorusJob job = torus_job(view, request);
  const bool given = !request.node_tasks.empty();
  const std::optional<mapping::NodeCounts> part = given ? request.node_tasks : job.first_window();
  const TorusContest contest(job, job.slots.leaves(part ? *part : job.in_order()));
  const std::vector<std::int32_t>& natural = contest.natural();
  if (!deadline.expired()) {
    const mapping::NodeCounts all = job.capacity();
    const auto leaves = job.with_scotch(part ? natural : job.slots.leaves(all), !part);
    if (leaves && part)
      return contest.answer(*leaves, given ? "SCOTCH on the nodes given" : "SCOTCH on the first healthy window");
    if (leaves && job.limits_of(all).allow(job.slots.counts(*leaves)))
      return contest.answer(*leaves, "SCOTCH with raised weights");
  }
  return contest.answer(natural, given  ? out_of_time
                                 : part ? "the first healthy window"
                                        : "natural order, without a healthy window");
}

Placement place_greedy(const ClusterView& view, const Request& request, const Deadline& deadline) {
  const mapping::WorkBudget watch(deadline);
  mapping::check_request(view, request);
  if (!request.matrix) throw Error("GREEDY needs a matrix");
  if (has_coordinates(view, request)) {
    const TorusJob job = torus_job(view, request);
    const TorusContest contest(job, job.slots.leaves(job.in_order()));
    try {
      return contest.answer(contest.greedy_leaves(watch), method);
    } catch (const mapping::OutOfTime&) {
      return contest.answer(contest.natural(), out_of_time);
    }
  }
  const mapping::Slots slots(view, request);
  const std::vector<std::int32_t> natural = slots.leaves(mapping::counts_in_order(view, request, slots.capacity()));
  std::optional<mapping::NodeLimits> limits;
  if (request.node_tasks.empty()) limits.emplace(view, request, slots.capacity());
  try {
    const mapping::Graph graph = mapping::scaled_graph(*request.matrix, watch);
    for (const std::vector<std::int32_t>& leaves : {limits ? slots.leaves(limits->capacity()) : natural, natural}) {
      const std::vector<std::int32_t> mapped = mapping::greedy_leaves(graph, *view.tree, leaves, watch);
      if (!limits || limits->allow(slots.counts(mapped))) return slots.placement(mapped, natural, method);
    }
  } catch (const mapping::OutOfTime&) {
    return slots.placement(natural, natural, out_of_time);
  }
  return slots.placement(natural, natural, "natural order");
}

}  // namespace placement::tofa
