// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/baselines.hpp"

#include <algorithm>
#include <optional>
#include <random>

#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"
#include "common/util/sequence.hpp"
#include "mapping/greedy.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "tofa/fault_model.hpp"
#include "tofa/scotch_hook.hpp"
#include "tofa/torus_job.hpp"
#include "treematch/grouping.hpp"

namespace placement::policies {

namespace {

// Shuffles a sequence, with equal results on all machines, which std::shuffle does not guarantee.
void shuffle(std::vector<std::int32_t>& sequence, std::mt19937_64& random) {
  for (std::size_t k = sequence.size(); k > 1; --k) std::swap(sequence[k - 1], sequence[random() % k]);
}

// Returns the leaves of the request for a view with its nodes in a random order.
std::vector<std::int32_t> leaves_in_random_order(const ClusterView& view, const Request& request,
                                                 std::mt19937_64& random) {
  std::vector<std::int32_t> order = numbers(view.nodes.size());
  shuffle(order, random);
  ClusterView mixed{view.tree, {}};
  Request mixed_request = request;
  mixed_request.required_nodes.clear();
  for (const std::int32_t node : order) {
    if (std::count(request.required_nodes.begin(), request.required_nodes.end(), node) > 0)
      mixed_request.required_nodes.push_back(static_cast<std::int32_t>(mixed.nodes.size()));
    mixed.nodes.push_back(view.nodes[node]);
  }
  const mapping::Slots slots(mixed, mixed_request);
  return slots.leaves(mapping::counts_in_order(mixed, mixed_request, slots.capacity()));
}

bool has_torus_cost(const ClusterView& view, const Request& request, bool on_torus) {
  return on_torus && tofa::has_coordinates(view, request) && request.matrix && !request.node_tasks.empty();
}

Placement placed_by_matching(const ClusterView& view, const Request& request, treematch::Pairing pairing) {
  if (view.torus) throw Error("MATCHING maps to trees: on a torus use TOFA");
  if (!request.matrix) throw Error("MATCHING needs a matrix");
  const mapping::Slots slots(view, request);
  mapping::NodeCounts counts = request.node_tasks;
  if (counts.empty()) {
    const auto compact = mapping::compact_counts(view, mapping::NodeLimits(view, request, slots.capacity()), 0);
    counts = compact ? *compact : mapping::counts_in_order(view, request, slots.capacity());
  }
  const std::vector<std::int32_t> natural = slots.leaves(counts);
  std::vector<std::int32_t> from_left = natural;
  std::sort(from_left.begin(), from_left.end());
  treematch::MapOptions options;
  options.scope = treematch::LeafScope::given;
  const treematch::MapResult mapped =
      treematch::map_by_matching(*request.matrix, *view.tree, from_left, options, pairing);
  return slots.placement(mapped.leaf_of_rank, natural, "matching");
}

constexpr const char* out_of_time = "natural order, the time ended";
constexpr const char* heaviest_first = "the heaviest pairs first";

}  // namespace

Placement place_sequential(const ClusterView& view, const Request& request, const Deadline&) {
  const mapping::Slots slots(view, request);
  const std::vector<std::int32_t> natural = slots.leaves(mapping::counts_in_order(view, request, slots.capacity()));
  return slots.placement(natural, natural, "natural order");
}

Placement place_random(const ClusterView& view, const Request& request, const Deadline&) {
  std::mt19937_64 random(mapping::seed_parameter(request));
  const mapping::Slots slots(view, request);
  const std::vector<std::int32_t> natural = slots.leaves(mapping::counts_in_order(view, request, slots.capacity()));
  std::vector<std::int32_t> leaves = natural;
  if (request.node_tasks.empty()) leaves = leaves_in_random_order(view, request, random);
  shuffle(leaves, random);
  return slots.placement(leaves, natural, "random choice");
}

Placement place_matching(const ClusterView& view, const Request& request, const Deadline&) {
  return placed_by_matching(view, request, treematch::Pairing::maximum_weight);
}

Placement place_matching_paper(const ClusterView& view, const Request& request, const Deadline&) {
  return placed_by_matching(view, request, treematch::Pairing::assignment);
}

void check_tofa_paper(const Parameters&) {
  if (!tofa::scotch_mapper())
    throw PlacementError(STOCK_OTHER, "TOFA-PAPER maps ranks with SCOTCH, but this program is built without it");
}

Placement place_tofa_paper(const ClusterView& view, const Request& request, const Deadline& deadline) {
  check_tofa_paper(request.parameters);
  mapping::check_request(view, request);
  if (!tofa::has_coordinates(view, request)) throw Error("TOFA-PAPER needs a torus: give a torus file as the topology");
  const tofa::TorusJob job = tofa::torus_job(view, request);
  const bool given = !request.node_tasks.empty();
  const std::optional<mapping::NodeCounts> part = given ? request.node_tasks : job.first_window();
  const tofa::TorusContest contest(job, job.slots.leaves(part ? *part : job.in_order()));
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
  if (tofa::has_coordinates(view, request)) {
    const tofa::TorusJob job = tofa::torus_job(view, request);
    const tofa::TorusContest contest(job, job.slots.leaves(job.in_order()));
    try {
      return contest.answer(contest.greedy_leaves(watch), heaviest_first);
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
      if (!limits || limits->allow(slots.counts(mapped))) return slots.placement(mapped, natural, heaviest_first);
    }
  } catch (const mapping::OutOfTime&) {
    return slots.placement(natural, natural, out_of_time);
  }
  return slots.placement(natural, natural, "natural order");
}

Cost natural_order_cost(const ClusterView& view, const Request& request, bool on_torus) {
  if (has_torus_cost(view, request, on_torus)) mapping::check_request(view, request);
  return step_cost(view, request, place_sequential(view, request, Deadline::never()), on_torus);
}

Cost step_cost(const ClusterView& view, const Request& request, const Placement& placement, bool on_torus) {
  if (!request.matrix) return 0;
  if (!has_torus_cost(view, request, on_torus))
    return view.tree->hop_bytes(*request.matrix, mapping::first_leaves(view, placement));
  std::vector<std::int32_t> position;
  for (const RankPlace& rank : placement.ranks)
    position.push_back(view.torus->position(view.nodes[rank.node].torus_node));
  return tofa::hop_bytes(*view.torus, *request.matrix, position);
}

}  // namespace placement::policies
