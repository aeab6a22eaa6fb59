// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/matrix/matrix_format.hpp"
#include "common/policy/config.hpp"
#include "common/policy/policy.hpp"
#include "common/policy/policy_spec.hpp"
#include "netload/selection.hpp"

namespace placement::policies {

// A policy: a row in table.cpp. Other code uses its properties, not its name; only placectl compares names, for its
// advice.
struct Policy {
  std::string_view name;          // in upper case, such as TREEMATCH
  bool for_users = false;         // true: -m accepts it; false: only tools and the simulator do
  bool needs_matrix = false;      // it cannot place a job without a communication matrix
  bool replays_matrices = false;  // the replay leaves jobs without a matrix to stock Slurm, as the published replays do
  bool needs_tree = false;        // it maps to trees, and never to a torus
  bool needs_torus = false;       // it maps to a torus, and never to trees
  bool needs_live = false;        // it cannot choose nodes without ClusterView::live
  bool uses_live = false;         // the placement depends on ClusterView::live
  // It avoids nodes and routes that fail. On a torus its costs are hop-bytes of the torus.
  bool avoids_faults = false;
  // The rule of `placectl select` for this policy; empty: `placectl select` does not accept the policy.
  std::optional<netload::SelectionRule> selection_rule = std::nullopt;
  // The parameters that it takes, as documented. PolicySpec has them in lower case.
  std::span<const std::string_view> keys = {};
  PlaceFunction place;  // places a request by this policy
  // `place` without slurmctld's time budget, for nodes of one core each; may be null.
  PlaceFunction place_thoroughly = nullptr;
  // Returns the measure of placements of a step (node_tasks is given), for as long as view and request exist. A null
  // pointer, or an empty function, stands for hop-bytes.
  StepMeasure (*step_measure)(const ClusterView&, const Request&) = nullptr;
  void (*check)(const Parameters&) = nullptr;  // throws Error when `place` would refuse a value; may be null

  // Returns whether the policy takes the key `name`, written as in `keys`. A policy with the key `matrix` also takes
  // the keys of a pattern, which `keys` does not list.
  bool takes(std::string_view name) const;
};

// Returns the table of all policies.
std::span<const Policy> policies();

// Returns the names of the policies for which `is_meant` is true, in the order of the table, with ", " between them.
std::string policy_names(bool (*is_meant)(const Policy&));

// Returns the policy with this name, in upper or lower case, or null.
const Policy* find_policy(std::string_view name);

// Returns the weight that the key weight= selects; without this key, bytes. Throws Error for an unknown value.
TrafficWeight weight_of(const Parameters& parameters);

// Checks a policy and its parameters, and returns the policy. Throws Error for an unknown policy or key, with the known
// ones, and for a wrong value, with the correct form. The key `without` counts as unknown, because the caller does not
// support it; empty: none. If it is "matrix", the keys of a pattern are unknown, too.
const Policy& check_policy_spec(const PolicySpec& spec, std::string_view without = {});

// Checks the keys NlaWeights and PartitionPolicies of placement.conf. Throws Error when a policy would reject the value
// of one of them; the message names the key.
void check_policy_settings(const Config& config);

// Returns all mistakes that check_policy_settings() could report.
std::vector<std::string> policy_setting_mistakes(const Config& config);

}  // namespace placement::policies
