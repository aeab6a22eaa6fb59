// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/policy_request.hpp"

#include <algorithm>
#include <limits>

#include "policies/nla.hpp"
#include "policies/table.hpp"

namespace placement::planning {

namespace {

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

// Adds the keys of `defaults` that the job does not give and that the policy takes. alpha and beta belong together, so
// neither is added if the job gives one of them. network-use gives all weights, so it excludes alpha, beta, latency and
// bandwidth.
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
  result.tasks = static_cast<std::int32_t>(candidates.tasks());
  result.cores_per_task = clamped(candidates.leaves_per_task());
  result.min_nodes = std::max(clamped(request.min_nodes), 1);
  result.max_nodes = std::max(clamped(request.max_nodes), 1);
  if (request.tasks_per_node > 0) {
    result.max_tasks_per_node = clamped(request.tasks_per_node);
    result.equal_tasks_per_node = true;
  }
  result.whole_nodes = request.whole_nodes;
  result.waited_s = request.waited_s;
  result.max_wait_s = request.no_wait ? 0 : config.max_wait_s;
  result.node_level = candidates.node_level();
  result.required_nodes = candidates.required();
  result.matrix = candidates.matrix();
  result.parameters = policy_parameters(request, job_request, config);
  return result;
}

}  // namespace placement::planning
