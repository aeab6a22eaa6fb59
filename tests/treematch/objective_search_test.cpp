// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/treematch.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/topology/switch_tree.hpp"
#include "common/util/random.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "tests/check.hpp"
#include "treematch/heavy_groups.hpp"
#include "treematch/leaf_choice.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

constexpr std::int64_t most_tuples = 60'000;  // leaves for each rank in turn

// Returns a machine of up to three levels of switches. Nodes are attached to switches of all levels. Some cores are
// taken, so that seven to twelve are free. On every third machine the nodes have shapes of their own.
ClusterView random_machine(Random& random) {
  std::vector<SwitchShape> switches{{"root", -1, {}}};
  const std::int32_t count = 2 + random.below(5);
  for (std::int32_t s = 0; s < count; ++s)
    switches.push_back({"s" + std::to_string(s), random.below(3) == 0 ? random.below(s + 1) : 0, {}});
  std::int32_t sockets = 1 + random.below(2), cores = 1 + random.below(2);
  const std::int32_t free = 7 + random.below(6);
  const bool mixed = random.below(3) == 0;
  std::vector<NodeShape> nodes;
  for (std::int32_t n = 0, all = 0; all < free + 2 + random.below(4); all += sockets * cores, ++n) {
    const std::int32_t on = random.below(8) == 0 ? 0 : 1 + random.below(count);
    if (mixed) sockets = 1 + random.below(2), cores = 1 + random.below(2);
    switches[static_cast<std::size_t>(on)].nodes.push_back(n);
    nodes.push_back({"n" + std::to_string(n), sockets, cores, 1});
  }
  ClusterView view = view_of_switches(switches, nodes);
  std::int32_t left = -free;
  for (const NodeView& node : view.nodes) left += node.cores();
  for (; left > 0; --left) {
    std::vector<bool>& some = view.nodes[static_cast<std::size_t>(random.below(std::ssize(view.nodes)))].core_free;
    some[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(some.size())))] = false;
  }
  return view;
}

Request random_request(Random& random, std::int32_t free) {
  Request request;
  request.tasks = 2 + random.below(6);
  const auto tuples = [&] {
    std::int64_t product = 1;
    for (std::int32_t k = 0; k < request.tasks; ++k) product *= free - k;
    return product;
  };
  while (request.tasks > free || tuples() > most_tuples) --request.tasks;
  const std::int32_t density = 1 + random.below(4), heaviest = random.below(2) == 0 ? 4 : 40;
  std::vector<CommEdge> edges{{0, 1, 1 + random.below(heaviest)}};
  for (std::int32_t a = 0; a < request.tasks; ++a)
    for (std::int32_t b = a + 1; b < request.tasks; ++b)
      if (random.below(4) < density) edges.push_back({a, b, 1 + random.below(heaviest)});
  request.matrix = std::make_shared<CommMatrix>(CommMatrix::from_edges(request.tasks, edges));
  if (random.below(3) == 0) request.min_nodes = 1 + random.below(request.tasks);
  if (random.below(3) == 0) request.max_nodes = request.min_nodes + random.below(3);
  if (random.below(4) == 0) request.max_tasks_per_node = 1 + random.below(2);
  if (random.below(6) == 0) request.whole_nodes = true;
  if (random.below(6) == 0) request.required_nodes = {0};
  if (random.below(2) == 0)
    request.parameters["scope"] = "whole";
  else
    request.parameters["levels-up"] = std::to_string(random.below(4) / 2);
  return request;
}

// Tries all placements of a request.
class BruteForce {
 public:
  BruteForce(const ClusterView& view, const Request& request)
      : view_(view),
        request_(request),
        slots_(view, request),
        limits_(view, request, slots_.capacity()),
        groups_(heavy_groups(*request.matrix)),
        usable_(slots_.all_leaves()) {
    std::erase_if(usable_, [&](std::int32_t leaf) { return limits_.capacity()[slots_.node_of(leaf)] == 0; });
    for (const std::int32_t leaf : usable_) {
      node_vertex_.push_back(mapping::node_vertices(view)[slots_.node_of(leaf)]);
      switch_.push_back(mapping::leaf_switches(view)[slots_.node_of(leaf)]);
    }
    if (request.parameters.contains("scope")) {
      tops_ = {0};
    } else {
      for (std::int32_t height = 0; height <= view.tree->height(0); ++height) {
        tops_ = subtrees_with_enough(*view.tree, usable_, request.tasks, height);
        any_ = false;
        each(0, [&](Cost) { any_ = true; });
        if (any_) break;
      }
      tops_ = ancestors(*view.tree, tops_, std::stoi(request.parameters.at("levels-up")));
    }
  }

  // Returns the least value of the objective, and the least hop-bytes with it. With `balanced`, hop-bytes may be 2 %
  // above those of the best placement and above `least`.
  // Returns nothing when no placement is legal.
  std::optional<std::pair<std::int32_t, Cost>> best(bool balanced, Cost least) {
    each(0, [&](Cost cost) { least = std::min(least, cost); });
    std::optional<std::pair<std::int32_t, Cost>> best;
    each(0, [&](Cost cost) {
      if (balanced && (cost - least) * 50 > least) return;
      const std::pair<std::int32_t, Cost> found{value(balanced, at_), cost};
      if (!best || found < *best) best = found;
    });
    return best;
  }

  // Returns the objective of a placement, which is checked to keep to the limits and to the scope, unless it is on the
  // nodes that stock Slurm would choose.
  std::int32_t value(bool balanced, const Placement& placement) {
    at_.clear();
    for (const RankPlace& rank : placement.ranks) {
      const auto found = std::find(usable_.begin(), usable_.end(), view_.nodes[rank.node].first_leaf + rank.cores[0]);
      ck_assert(found != usable_.end());
      at_.push_back(static_cast<std::int32_t>(found - usable_.begin()));
    }
    ck_assert(legal() || counts(placement) == mapping::sequential_counts(limits_));
    return value(balanced, std::exchange(at_, {}));
  }

  // Returns the tasks on each node, which are checked.
  mapping::NodeCounts counts(const Placement& placement) const {
    std::vector<std::int32_t> leaves;
    for (const RankPlace& rank : placement.ranks) leaves.push_back(view_.nodes[rank.node].first_leaf + rank.cores[0]);
    mapping::NodeCounts counts = slots_.counts(leaves);
    ck_assert(limits_.allow(counts) && std::set(leaves.begin(), leaves.end()).size() == leaves.size());
    ck_assert(placement.cost == view_.tree->hop_bytes(*request_.matrix, leaves));
    return counts;
  }

 private:
  std::int32_t value(bool balanced, const std::vector<std::int32_t>& at) const {
    std::map<std::int32_t, std::int32_t> share;
    for (const std::int32_t k : at) ++share[switch_[static_cast<std::size_t>(k)]];
    std::int32_t most = 0, least = INT32_MAX, widest = 0;
    for (const auto& [vertex, tasks] : share) most = std::max(most, tasks), least = std::min(least, tasks);
    for (const std::vector<std::int32_t>& group : groups_) {
      std::set<std::int32_t> used;
      for (const std::int32_t rank : group)
        used.insert(switch_[static_cast<std::size_t>(at[static_cast<std::size_t>(rank)])]);
      widest = std::max(widest, static_cast<std::int32_t>(used.size()));
    }
    return balanced ? most - least : widest;
  }

  bool legal() const {
    std::vector<std::int32_t> leaves;
    std::int32_t top = node_vertex_[static_cast<std::size_t>(at_[0])];
    for (const std::int32_t k : at_) {
      leaves.push_back(usable_[static_cast<std::size_t>(k)]);
      top = view_.tree->lowest_common_ancestor(top, node_vertex_[static_cast<std::size_t>(k)]);
    }
    for (; std::find(tops_.begin(), tops_.end(), top) == tops_.end(); top = view_.tree->parent(top))
      if (top <= 0) return false;
    return limits_.allow(slots_.counts(leaves));
  }

  template <typename Do>
  void each(Cost cost, const Do& act) {
    if (std::ssize(at_) == request_.tasks) {
      if (legal()) act(cost);
      return;
    }
    const auto rank = static_cast<std::int32_t>(at_.size());
    for (std::int32_t k = 0; k < std::ssize(usable_); ++k) {
      if (std::find(at_.begin(), at_.end(), k) != at_.end()) continue;
      Cost more = cost;
      for (std::size_t n = 0; n < request_.matrix->neighbours(rank).size(); ++n)
        if (const std::int32_t other = request_.matrix->neighbours(rank)[n]; other < rank)
          more += Cost{request_.matrix->weights(rank)[n]} *
                  view_.tree->distance(usable_[static_cast<std::size_t>(k)],
                                       usable_[static_cast<std::size_t>(at_[static_cast<std::size_t>(other)])]);
      at_.push_back(k);
      each(more, act);
      at_.pop_back();
    }
  }

  const ClusterView& view_;
  const Request& request_;
  const mapping::Slots slots_;
  const mapping::NodeLimits limits_;
  const std::vector<std::vector<std::int32_t>> groups_;
  std::vector<std::int32_t> usable_, node_vertex_, switch_, tops_;
  std::vector<std::int32_t> at_;  // of the first ranks: index of the leaf in usable_
  bool any_ = false;
};

// Places random small jobs by the objective and compares the results with those of brute force.
void compare(bool balanced, std::uint64_t seed, int cases) {
  Random random(seed);
  int tried = 0, worse = 0, dearer = 0, falsely_optimal = 0, not_proved = 0;
  while (tried < cases) {
    const ClusterView view = random_machine(random);
    std::int32_t free = 0;
    for (const NodeView& node : view.nodes)
      free += static_cast<std::int32_t>(std::count(node.core_free.begin(), node.core_free.end(), true));
    Request request = random_request(random, free);
    std::optional<Placement> least;
    try {
      least = place_treematch(view, request, Deadline::never());
    } catch (const Error&) {  // the limits allow no placement
      continue;
    }
    BruteForce brute_force(view, request);
    const auto best = brute_force.best(balanced, least->cost);
    if (!best) continue;
    ++tried;
    // A step of these nodes may have other cores of them: it costs no more.
    Request on_nodes = request;
    on_nodes.node_tasks = brute_force.counts(*least);
    dearer += place_treematch(view, on_nodes, Deadline::never()).cost > least->cost;
    request.parameters["objective"] = balanced ? "balanced" : "worst-group";
    const Placement found = place_treematch(view, request, Deadline::never());
    Request step = request;
    step.node_tasks = brute_force.counts(found);
    if (balanced) ck_assert((found.cost - least->cost) * 50 <= least->cost);
    const std::int32_t reached = brute_force.value(balanced, found);
    const std::int32_t value = heavy_groups(*request.matrix).empty() ? best->first : reached;
    const bool misses = value > best->first, costs_more = value == best->first && found.cost > best->second;
    worse += misses;
    dearer += costs_more;
    // The ranks of a step on these nodes are placed no worse.
    const Placement again = place_treematch(view, step, Deadline::never());
    ck_assert(brute_force.counts(again) == step.node_tasks);
    worse += brute_force.value(balanced, again) > brute_force.value(balanced, found);
    dearer += again.cost > found.cost;
    const bool optimal = found.reasons.front().ends_with(", optimal");
    falsely_optimal += optimal && (misses || costs_more);
    not_proved += !optimal;
  }
  ck_assert_msg(worse + dearer + falsely_optimal == 0 && not_proved == 0,
                "%s: of %d, %d miss the best value, %d the least hop-bytes; %d falsely optimal, %d not proved",
                balanced ? "balanced" : "worst-group", tried, worse, dearer, falsely_optimal, not_proved);
}

}  // namespace

START_TEST(balanced_as_by_brute_force) { compare(true, 3, instances(300)); }
END_TEST

START_TEST(worst_group_as_by_brute_force) { compare(false, 3, instances(300)); }
END_TEST

int main() {
  Suite* suite = suite_create("objective_search");
  TCase* all = tcase_create("all");
  tcase_add_test(all, balanced_as_by_brute_force);
  tcase_add_test(all, worst_group_as_by_brute_force);
  tcase_set_timeout(all, 300);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
