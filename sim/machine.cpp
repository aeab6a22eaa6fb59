// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/machine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "common/state/pair_arrays.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "mapping/node_choice.hpp"
#include "netload/live_input.hpp"
#include "tofa/fault_model.hpp"

namespace placement::sim {

namespace {

// Returns the sums of the largest size, the two largest sizes, and so on.
std::vector<std::int64_t> sums_of_largest(std::vector<std::int64_t> sizes) {
  std::sort(sizes.rbegin(), sizes.rend());
  std::partial_sum(sizes.begin(), sizes.end(), sizes.begin());
  return sizes;
}

std::int32_t different(std::vector<std::int32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  return static_cast<std::int32_t>(std::unique(numbers.begin(), numbers.end()) - numbers.begin());
}

std::unordered_map<std::string, std::int32_t> numbers_of_nodes(const ClusterView& view) {
  std::unordered_map<std::string, std::int32_t> number;
  for (std::size_t n = 0; n < view.nodes.size(); ++n) number.emplace(view.nodes[n].name, static_cast<std::int32_t>(n));
  return number;
}

}  // namespace

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

Machine::Machine(ClusterView view) : view_(std::move(view)), node_of_leaf_(view_.tree->leaves(), -1) {
  if (view_.nodes.empty()) throw Error("the machine has no nodes");
  const TreeTopology& tree = *view_.tree;
  for (std::int32_t n = 0; n < nodes(); ++n) {
    NodeView& node = view_.nodes[n];
    if (node.cores() < 1) throw Error("node " + node.name + " has no cores");
    if (view_.torus && node.torus_node < 0) throw Error("node " + node.name + " has no coordinates on the torus");
    const auto usable = static_cast<std::int32_t>(std::count(node.core_free.begin(), node.core_free.end(), true));
    cores_ += usable;
    free_.push_back(usable);
    for (std::int32_t c = 0; c < node.cores(); ++c) node_of_leaf_.at(node.first_leaf + c) = n;
  }
  if (cores_ == 0) throw Error("the machine has no cores for jobs");
  usable_ = free_;
  free_cores_ = cores_;
  node_room_ = sums_of_largest({usable_.begin(), usable_.end()});
  const auto place = [&tree](std::int32_t vertex) { return std::pair(tree.first_leaf(vertex), vertex); };
  switch_vertex_ = mapping::leaf_switches(view_);
  const std::vector<std::int32_t> vertex_of_node = switch_vertex_;
  std::ranges::sort(switch_vertex_, {}, place);
  switch_vertex_.erase(std::unique(switch_vertex_.begin(), switch_vertex_.end()), switch_vertex_.end());
  std::vector<std::int64_t> switch_cores(switch_vertex_.size(), 0);
  for (std::int32_t n = 0; n < nodes(); ++n) {
    const auto found = std::ranges::lower_bound(switch_vertex_, place(vertex_of_node[n]), {}, place);
    switch_of_node_.push_back(static_cast<std::int32_t>(found - switch_vertex_.begin()));
    switch_cores[switch_of_node_[n]] += usable_[n];
  }
  switch_room_ = sums_of_largest(switch_cores);
  if (!view_.live) return;
  for (const float value : view_.live->pairs.bandwidth_Bps) {
    if (!(value > 0)) continue;
    least_Bps_ = least_Bps_ > 0 ? std::min<double>(least_Bps_, value) : value;
    most_Bps_ = std::max<double>(most_Bps_, value);
  }
}

std::vector<std::int32_t> Machine::nodes_of(std::span<const std::int32_t> leaves) const {
  std::vector<std::int32_t> nodes;
  nodes.reserve(leaves.size());
  for (const std::int32_t leaf : leaves) nodes.push_back(node_of_leaf_[leaf]);
  return nodes;
}

double Machine::bandwidth_Bps(std::int32_t a, std::int32_t b) const {
  if (a == b) return 8 * most_Bps_;
  const std::int32_t u = view_.nodes[a].state, v = view_.nodes[b].state;
  if (u < 0 || v < 0) return least_Bps_;
  const double found = node_pair(view_.live->pairs, u, v).bandwidth_Bps;
  return found >= least_Bps_ ? found : least_Bps_;
}

double Machine::transfer_s(const CommMatrix& matrix, std::span<const std::int32_t> node_of_rank) const {
  double seconds = 0;
  for (std::int32_t a = 0; a < matrix.ranks(); ++a)
    for (std::size_t k = 0; k < matrix.neighbours(a).size(); ++k)
      if (const std::int32_t b = matrix.neighbours(a)[k]; b > a)
        seconds += static_cast<double>(matrix.weights(a)[k]) / bandwidth_Bps(node_of_rank[a], node_of_rank[b]);
  return seconds;
}

double Machine::communication(const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank) const {
  if (least_Bps_ > 0) return transfer_s(matrix, nodes_of(leaf_of_rank));
  if (!view_.torus) return static_cast<double>(view_.tree->hop_bytes(matrix, leaf_of_rank));
  std::vector<std::int32_t> position = nodes_of(leaf_of_rank);
  for (std::int32_t& place : position) place = view_.torus->position(view_.nodes[place].torus_node);
  return static_cast<double>(tofa::hop_bytes(*view_.torus, matrix, position));
}

double Machine::slowdown(std::span<const std::int32_t> leaves) const {
  double most = 0;
  if (!view_.live) return 1;
  for (const std::int32_t n : nodes_of(leaves)) {
    const NodeView& node = view_.nodes[n];
    const double load = node.state < 0 ? 0 : netload::load_beyond_slurm(view_.live->nodes[node.state]);
    if (load > 0) most = std::max(most, load / node.cores());
  }
  return 1 + most;
}

std::int32_t Machine::switch_distance(std::int32_t a, std::int32_t b) const {
  const TreeTopology& tree = *view_.tree;
  const std::int32_t u = switch_vertex_[a];
  const std::int32_t v = switch_vertex_[b];
  return tree.level(u) + tree.level(v) - 2 * tree.level(tree.lowest_common_ancestor(u, v));
}

std::int32_t Machine::least(const std::vector<std::int64_t>& room, std::int64_t cores) {
  const auto found = std::lower_bound(room.begin(), room.end(), cores);
  return static_cast<std::int32_t>(std::min<std::ptrdiff_t>(found - room.begin() + 1, std::ssize(room)));
}

std::int32_t Machine::nodes_spanned(std::span<const std::int32_t> leaves) const {
  std::vector<std::int32_t> used = nodes_of(leaves);
  return different(used);
}

std::int32_t Machine::switches_spanned(std::span<const std::int32_t> leaves) const {
  std::vector<std::int32_t> used;
  for (const std::int32_t leaf : leaves) used.push_back(switch_of_node_[node_of_leaf_[leaf]]);
  return different(used);
}

void Machine::set(std::span<const std::int32_t> leaves, bool free) {
  const std::int32_t change = free ? 1 : -1;
  for (const std::int32_t leaf : leaves) {
    const std::int32_t n = node_of_leaf_[leaf];
    NodeView& node = view_.nodes[n];
    const auto core = static_cast<std::size_t>(leaf - node.first_leaf);
    if (node.core_free[core] == free)
      throw Error("core " + std::to_string(core) + " of " + node.name + " is " + (free ? "free" : "in use") +
                  " already");
    node.core_free[core] = free;
    free_[n] += change;
    free_cores_ += change;
  }
}

std::vector<std::int32_t> free_leaves(const Machine& machine, std::span<const std::int32_t> nodes) {
  std::vector<std::int32_t> leaves;
  for (const std::int32_t n : nodes) {
    const NodeView& node = machine.view().nodes[n];
    for (std::int32_t core = 0; core < node.cores(); ++core)
      if (node.core_free[core]) leaves.push_back(node.first_leaf + core);
  }
  return leaves;
}

LargestRoom largest_room(const Machine& machine, std::span<const std::int32_t> free) {
  const TreeTopology& tree = *machine.view().tree;
  std::vector<std::int64_t> cores(static_cast<std::size_t>(machine.switches()), 0);
  for (std::int32_t n = 0; n < machine.nodes(); ++n) cores[machine.switch_of(n)] += free[n];
  LargestRoom room;
  // Leaf switches are numbered from left to right, so that those of one subtree have consecutive numbers.
  std::int32_t subtree = -1;
  std::int64_t in_subtree = 0;
  for (std::int32_t s = 0; s < machine.switches(); ++s) {
    std::int32_t top = machine.switch_vertex(s);
    while (top > 0 && tree.parent(top) > 0) top = tree.parent(top);
    if (top != subtree) in_subtree = 0;
    subtree = top;
    in_subtree += cores[s];
    room.in_switch = std::max(room.in_switch, cores[s]);
    room.in_subtree = std::max(room.in_subtree, in_subtree);
  }
  return room;
}

FreeLeaves free_leaves_of(const Machine& machine, std::int64_t time_us) {
  std::vector<std::int32_t> nodes(static_cast<std::size_t>(machine.nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  std::vector<std::int32_t> leaves = free_leaves(machine, nodes);
  std::sort(leaves.begin(), leaves.end());
  FreeLeaves free;
  free.time_us = time_us;
  for (const std::int32_t leaf : leaves) {
    if (free.runs.empty() || free.runs.back().second + 1 != leaf) free.runs.emplace_back(leaf, leaf);
    free.runs.back().second = leaf;
  }
  return free;
}

std::string free_leaves_text(const FreeLeaves& free, std::int64_t cores) {
  std::string text;
  std::int64_t count = 0;
  for (const auto& [first, last] : free.runs)
    for (std::int32_t leaf = first; leaf <= last; ++leaf, ++count) text += std::to_string(leaf) + '\n';
  return "# " + std::to_string(free.time_us / 1'000'000) + " s after the start, " + std::to_string(count) + " of " +
         std::to_string(cores) + " cores are free\n" + text;
}

}  // namespace placement::sim
