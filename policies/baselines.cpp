// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/baselines.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "common/util/error.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
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
  std::vector<std::int32_t> order(view.nodes.size());
  std::iota(order.begin(), order.end(), 0);
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

namespace {

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

}  // namespace

Placement place_matching(const ClusterView& view, const Request& request, const Deadline&) {
  return placed_by_matching(view, request, treematch::Pairing::maximum_weight);
}

Placement place_matching_paper(const ClusterView& view, const Request& request, const Deadline&) {
  return placed_by_matching(view, request, treematch::Pairing::assignment);
}

}  // namespace placement::policies
