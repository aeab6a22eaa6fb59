// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/site_data.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::sim {

namespace {

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

}  // namespace placement::sim
