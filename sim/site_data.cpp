// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/site_data.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "common/state/live_check.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/random.hpp"
#include "common/util/text.hpp"
#include "mapping/node_choice.hpp"
#include "sim/rng_streams.hpp"

namespace placement::sim {

namespace {

double fraction(Random& random) { return sim::fraction(random.next()); }

// Returns the group of each node, for the table of pairs. There is one group for each vertex just above nodes. On a
// torus there is one for each node, or for some consecutive nodes when there are more than 1024.
std::vector<std::int32_t> groups_of_nodes(const ClusterView& view, std::vector<std::int32_t>& vertex_of_group) {
  std::vector<std::int32_t> group;
  const std::size_t in_a_row = (view.nodes.size() + 1023) / 1024;
  const std::vector<std::int32_t> switches = mapping::leaf_switches(view);
  std::map<std::int32_t, std::int32_t> number;
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    const std::int32_t above = view.torus ? static_cast<std::int32_t>(n / in_a_row) : switches[n];
    const auto [found, added] = number.emplace(above, static_cast<std::int32_t>(number.size()));
    if (added) vertex_of_group.push_back(view.torus ? static_cast<std::int32_t>(n) : above);
    group.push_back(found->second);
  }
  return group;
}

std::int32_t links_between(const ClusterView& view, std::int32_t a, std::int32_t b) {
  if (view.torus) {
    const TorusTopology& torus = *view.torus;
    return torus.distance(torus.position(view.nodes[a].torus_node), torus.position(view.nodes[b].torus_node));
  }
  const TreeTopology& tree = *view.tree;
  return tree.level(a) + tree.level(b) - 2 * tree.level(tree.lowest_common_ancestor(a, b));
}

PairTable random_pairs(const ClusterView& view, Random& random) {
  std::vector<std::int32_t> place;  // for each group: its vertex, or on a torus its first node
  std::vector<std::int32_t> group_of_node = groups_of_nodes(view, place);
  const std::size_t groups = place.size();
  if (groups > static_cast<std::size_t>(max_pair_groups))
    throw Error("the machine has " + std::to_string(groups) + " leaf switches: too many for a made-up state");
  PairArrays arrays(static_cast<std::int32_t>(groups), std::move(group_of_node));
  std::vector<double> busy;  // for each group: share of its links that others use
  for (std::size_t g = 0; g < groups; ++g)
    busy.push_back(fraction(random) < 0.7 ? 0.2 * fraction(random) : 0.9 * fraction(random));
  constexpr double peak = 12.5e9;
  for (std::size_t a = 0; a < groups; ++a)
    for (std::size_t b = a; b < groups; ++b) {
      const double used = std::min(0.95, std::max(busy[a], busy[b]) + 0.05 * fraction(random));
      const double latency = 1.5 + 0.4 * links_between(view, place[a], place[b]) * (1 + used) + 0.1 * fraction(random);
      arrays.set(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                 {static_cast<float>(latency), static_cast<float>(peak * (1 - used)), static_cast<float>(peak),
                  PairSource::assumed, 0});
    }
  return pair_table(std::move(arrays));
}

RunningMeans always(double value) { return {value, value, value}; }

std::unordered_map<std::string, std::int32_t> numbers_of_nodes(const ClusterView& view) {
  std::unordered_map<std::string, std::int32_t> number;
  for (std::size_t n = 0; n < view.nodes.size(); ++n) number.emplace(view.nodes[n].name, static_cast<std::int32_t>(n));
  return number;
}

}  // namespace

LiveState random_state(const ClusterView& view, std::uint64_t seed) {
  Random random(seed);
  LiveState state;
  for (const NodeView& node : view.nodes) {
    NodeState told;
    told.name = node.name;
    told.liveness = Liveness::up;
    told.age_s = 0;
    told.cores = node.cores();
    told.sockets = node.sockets;
    told.frequency_MHz = 2500;
    told.memory_MiB = 65536;
    const double kind = fraction(random);
    const double most = kind < 0.6 ? 0.02 : kind < 0.9 ? 0.25 : 1.0;  // largest share of its cores that has load
    const double share = most * fraction(random);
    told.cpu_load = always(share * node.cores());
    told.slurm_load = always(0);
    told.cpu_utilisation = always(share);
    told.memory_available_MiB = always(65536 * (0.95 - 0.5 * share));
    told.flow_rate_Bps = always(1e9 * share * fraction(random));
    told.users = always(share > 0.02 ? 1 : 0);
    state.nodes.push_back(std::move(told));
  }
  state.pairs = random_pairs(view, random);
  check_live_state(state);
  return state;
}

void attach_state(ClusterView& view, LiveState state, const std::string& source) {
  const auto number = numbers_of_nodes(view);
  std::size_t known = 0;
  for (std::size_t s = 0; s < state.nodes.size(); ++s)
    if (const auto found = number.find(state.nodes[s].name); found != number.end()) {
      view.nodes[found->second].state = static_cast<std::int32_t>(s);
      ++known;
    }
  if (known == 0) throw Error(source + ": names no node of the machine, whose first node is " + view.nodes.at(0).name);
  view.live = std::make_shared<const LiveState>(std::move(state));
}

void attach_outages(ClusterView& view, const NodeOutages& outages, double horizon_s, const std::string& source) {
  const auto number = numbers_of_nodes(view);
  if (const auto unknown = outages.first_unknown([&](const std::string& name) { return number.contains(name); });
      !unknown.name.empty())
    throw Error(source + (unknown.line > 0 ? ":" + std::to_string(unknown.line) : "") + ": node " +
                shown(unknown.name) + " is not one of the machine, whose first is " + view.nodes.at(0).name);
  LiveState state = view.live ? *view.live : LiveState{};
  const bool pairs = state.pairs.groups > 0;
  state.outage_horizon_s = horizon_s;
  for (NodeView& node : view.nodes) {
    if (node.state < 0) {
      if (pairs) throw Error(source + ": node " + node.name + " is not in the given state");
      node.state = static_cast<std::int32_t>(state.nodes.size());
      state.nodes.push_back({});
      state.nodes.back().name = node.name;
      state.nodes.back().liveness = Liveness::up;
      state.nodes.back().age_s = 0;
    }
    NodeState& told = state.nodes[node.state];
    told.outage_probability = outages.of(node.name);
  }
  view.live = std::make_shared<const LiveState>(std::move(state));
}

std::vector<double> failure_rates(const ClusterView& view) {
  std::vector<double> rates(view.nodes.size(), 0);
  if (!view.live || !(view.live->outage_horizon_s > 0)) return rates;
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    if (view.nodes[n].state < 0) continue;
    const double probability = view.live->nodes[view.nodes[n].state].outage_probability;
    if (probability > 0)
      rates[n] = -std::log1p(-std::min(probability, 0.999999)) / (view.live->outage_horizon_s / 3600);
  }
  return rates;
}

}  // namespace placement::sim
