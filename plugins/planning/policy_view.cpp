// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/policy_view.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "policies/nla.hpp"
#include "policies/table.hpp"

namespace placement::planning {

namespace {

void set_surroundings(ClusterView& view, const Machine& machine, const LiveNow& live, std::uint32_t leaves_per_core) {
  view.tree = machine.view(static_cast<std::int32_t>(leaves_per_core)).tree;
  view.torus = machine.torus();
  view.outages = machine.outages();
  view.live = live.state;
  view.live_age_s = live.age_s;
  view.why_not_live = live.why_not;
}

std::int32_t state_of(const LiveNow& live, std::int32_t node) { return live.state ? (*live.state_of_node)[node] : -1; }

// Returns the parameters of the partition's policy if that is `policy`, else none. `name` may be null.
Parameters partition_parameters(const char* name, const std::string& policy, const Config& config) {
  if (name == nullptr) return {};
  for (const auto& [partition, word] : config.partition_policies) {
    if (partition != name) continue;
    PolicySpec spec = parse_policy_spec(word);
    if (spec.policy == policy) return std::move(spec.parameters);
  }
  return {};
}

// Adds the keys of `defaults` that the policy accepts and the job does not give. alpha and beta belong together:
// neither is added if the job gives one. network-use excludes alpha, beta, latency and bandwidth.
void add_defaults(const policies::Policy& policy, Parameters& parameters, const Parameters& defaults) {
  const bool own_weights = parameters.contains("network-use");
  const bool own_balance = own_weights || parameters.contains("alpha") || parameters.contains("beta");
  for (const auto& [key, value] : defaults) {
    if (!policy.takes(key) || (own_balance && (key == "alpha" || key == "beta"))) continue;
    if (own_weights && (key == "latency" || key == "bandwidth")) continue;
    parameters.try_emplace(key, value);
  }
}

Parameters policy_parameters(const placement_request& request, const JobRequest& job_request, const Config& config) {
  Parameters parameters = job_request.spec.parameters;
  add_defaults(*job_request.policy, parameters,
               partition_parameters(request.partition, job_request.spec.policy, config));
  if (request.time_limit_s > 0 && job_request.policy->takes("job-seconds"))
    parameters.try_emplace("job-seconds", std::to_string(request.time_limit_s));
  if (config.treematch_scope == TreeScope::whole) parameters.try_emplace("scope", "whole");
  if (!config.nla_weights.empty())
    add_defaults(*job_request.policy, parameters, parse_policy_spec("NLA=" + config.nla_weights).parameters);
  if (config.treematch_levels_up > 0) parameters.try_emplace("levels-up", std::to_string(config.treematch_levels_up));
  return parameters;
}

}  // namespace

std::int32_t clamped(std::uint64_t value) {
  return static_cast<std::int32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::int32_t>::max()));
}

Request policy_request(const CandidateNodes& candidates, const placement_request& request,
                       const JobRequest& job_request, const Config& config) {
  Request result;
  result.tasks = static_cast<std::int32_t>(candidates.tasks);
  result.cores_per_task = clamped(candidates.leaves_per_task);
  result.min_nodes = std::max(clamped(request.min_nodes), 1);
  result.max_nodes = std::max(clamped(request.max_nodes), 1);
  if (request.tasks_per_node > 0) {
    result.max_tasks_per_node = clamped(request.tasks_per_node);
    result.equal_tasks_per_node = true;
  }
  result.whole_nodes = request.whole_nodes;
  result.waited_s = request.waited_s;
  result.max_wait_s = request.no_wait ? 0 : config.max_wait_s;
  result.node_level = candidates.node_level;
  result.required_nodes = candidates.required;
  result.matrix = candidates.matrix;
  result.parameters = policy_parameters(request, job_request, config);
  return result;
}

ClusterView view_of(const Machine& machine, const LiveNow& live, const placement_offer& offer,
                    std::span<const std::uint32_t> nodes, std::uint32_t leaves_per_core) {
  const ClusterView& all = machine.view(static_cast<std::int32_t>(leaves_per_core));
  ClusterView view;
  set_surroundings(view, machine, live, leaves_per_core);
  view.nodes.reserve(nodes.size());
  for (const std::uint32_t node : nodes) {
    NodeView& added = view.nodes.emplace_back(all.nodes[offer.node[node]]);
    added.state = state_of(live, offer.node[node]);
    added.torus_node = machine.torus_node(offer.node[node]);
  }
  return view;
}

const ClusterView& PolicyViews::of(const Machine& machine, const LiveNow& live, const placement_offer& offer,
                                   const CandidateNodes& candidates) {
  if (&machine != machine_ || candidates.leaves_per_core != leaves_per_core_ || !candidates.all_leaves_usable()) {
    *this = {};
    machine_ = &machine;
    leaves_per_core_ = candidates.leaves_per_core;
  }
  try {
    set_surroundings(view_, machine, live, leaves_per_core_);
    change_nodes(machine, offer, candidates);
    change_cores(candidates);
  } catch (...) {
    *this = {};
    throw;
  }
  for (std::size_t n = 0; n < node_.size(); ++n) view_.nodes[n].state = state_of(live, node_[n]);
  return view_;
}

void PolicyViews::change_nodes(const Machine& machine, const placement_offer& offer, const CandidateNodes& candidates) {
  std::vector<std::int32_t> wanted;
  wanted.reserve(candidates.nodes.size());
  for (const std::uint32_t node : candidates.nodes) wanted.push_back(offer.node[node]);
  if (wanted == node_) return;
  const ClusterView& all = machine.view(static_cast<std::int32_t>(leaves_per_core_));
  std::vector<std::int32_t> place(static_cast<std::size_t>(machine.nodes()), -1);  // node of the machine -> of the view
  for (std::size_t n = 0; n < node_.size(); ++n)
    place[static_cast<std::size_t>(node_[n])] = static_cast<std::int32_t>(n);
  std::vector<NodeView> nodes;
  std::vector<std::vector<std::uint8_t>> cores(wanted.size());
  nodes.reserve(wanted.size());
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    const std::int32_t before = std::exchange(place[static_cast<std::size_t>(wanted[n])], -1);
    if (before >= 0) {
      nodes.push_back(std::move(view_.nodes[static_cast<std::size_t>(before)]));
      cores[n] = std::move(cores_[static_cast<std::size_t>(before)]);
      continue;
    }
    nodes.push_back(all.nodes[static_cast<std::size_t>(wanted[n])]);
    nodes.back().torus_node = machine.torus_node(wanted[n]);
  }
  view_.nodes = std::move(nodes);
  cores_ = std::move(cores);
  node_ = std::move(wanted);
}

void PolicyViews::change_cores(const CandidateNodes& candidates) {
  for (std::size_t n = 0; n < node_.size(); ++n) {
    const std::uint32_t node = candidates.nodes[n];
    const auto cores = candidates.cores(node);
    if (candidates.all_leaves_usable() && !cores_[n].empty() && std::ranges::equal(cores, cores_[n])) continue;
    view_.nodes[n].core_free = candidates.usable_leaves(node);
    cores_[n].assign(cores.begin(), cores.end());
  }
  if (!candidates.all_leaves_usable()) machine_ = nullptr;  // the next job may use other leaves: keep nothing
}

}  // namespace placement::planning
