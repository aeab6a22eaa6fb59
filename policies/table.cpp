// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/table.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "common/util/word_list.hpp"
#include "pattern/pattern.hpp"
#include "policies/baselines.hpp"
#include "policies/nla.hpp"
#include "tofa/tofa.hpp"
#include "tofa/torus_baselines.hpp"
#include "treematch/treematch.hpp"

namespace placement::policies {

namespace {

constexpr PolicyKey weight_key = {"weight", "traffic of the matrix: bytes (default), or messages of a profile"};

constexpr PolicyKey treematch_keys[] = {
    {"matrix",
     "communication matrix: dense, edge list, MatrixMarket or Open MPI monitoring; without one the nearest nodes"},
    weight_key,
    {"scope", "cores to choose from: subtree (default), whole, or allocation (only ranks are placed)"},
    {"levels-up", "widen the smallest subtree by this number of levels (0)"},
    {"seed", "of the mapper's random choices (1)"},
    {"effort", "work of the search, from 1 to 1000 (10)"},
    {"objective",
     "what to minimize: hop-bytes (default), balanced (uneven shares of leaf switches), or worst-group "
     "(leaf switches that one group of ranks spans)"},
    {"comm-share", "per cent of the run time that is communication, for the expected run time in the record"},
};

constexpr PolicyKey tofa_keys[] = {
    {"matrix", "communication matrix; without one a compact healthy set of nodes is taken"},
    weight_key,
    {"seed", "of the search (1)"},
    {"effort", "work of srun's search, from 1 to 1000 (10)"},
    {"comm-share", "per cent of the run time that is communication (50)"},
    {"job-seconds", "length of the job, to which outage probabilities are converted (its time limit)"},
};

constexpr PolicyKey tofa_paper_keys[] = {
    {"matrix", "communication matrix"},
    weight_key,
    {"seed", "of SCOTCH (1)"},
};

constexpr PolicyKey greedy_keys[] = {{"matrix", "communication matrix"}, weight_key};

constexpr PolicyKey matching_keys[] = {{"matrix", "communication matrix"}, weight_key};

constexpr PolicyKey random_keys[] = {{"seed", "of the random choice (1)"}};

constexpr PolicyKey nla_keys[] = {
    {"matrix", "communication matrix, to place the ranks on the nodes by measured distance"},
    weight_key,
    {"profile", "summary of placement-profile, or the matrix next to it: derives alpha, beta, latency and bandwidth"},
    {"network-use", "the client sends it in place of profile=: waiting:ranks:messages/s:bytes/s[:nodes]"},
    {"alpha", "weight of compute load, 0 to 1 (0.3; NLA without alpha and beta uses the least regret)"},
    {"beta", "weight of network load, 1 - alpha (0.7)"},
    {"latency", "weight of latency in network load (0.25)"},
    {"bandwidth", "weight of missing bandwidth in network load (0.75)"},
    {"cpu_load", "weights of attributes in compute load (0.3)"},
    {"cpu_utilisation", "(0.2)"},
    {"flow_rate_Bps", "(0.2)"},
    {"memory_used_MiB", "(0.1)"},
    {"cores", "(0.1)"},
    {"frequency_MHz", "(0.05)"},
    {"memory_MiB", "(0.05)"},
    {"memory_available_MiB", "(0)"},
    {"users", "(0)"},
    {"processors", "how idle processors are counted: loaded (default), or printed (the paper's formula)"},
    {"max-age", "seconds after which data of a node count as missing (120)"},
    {"wait", "wait at most this number of seconds while the cluster is overloaded (0)"},
    {"seed", "of the mapper's random choices (1)"},
};

constexpr Policy table[] = {
    {.name = "TREEMATCH",
     .summary = "nodes, cores and ranks by the communication matrix, or the nearest nodes",
     .for_users = true,
     .replays_matrices = true,
     .needs_tree = true,
     .keys = treematch_keys,
     .place = treematch::place_treematch,
     .check = treematch::check_treematch},
    {.name = "NLA",
     .summary = "nodes by live load and the network between them",
     .for_users = true,
     .needs_live = true,
     .uses_live = true,
     .selection_rule = netload::SelectionRule::nla,
     .keys = nla_keys,
     .place = place_nla,
     .check = check_nla},
    {.name = "NLA-PAPER",
     .summary = "NLA without the local search",
     .needs_live = true,
     .uses_live = true,
     .selection_rule = netload::SelectionRule::nla_paper,
     .keys = nla_keys,
     .place = place_nla_paper,
     .check = check_nla},
    {.name = "LOAD-AWARE",
     .summary = "the least loaded nodes",
     .needs_live = true,
     .uses_live = true,
     .selection_rule = netload::SelectionRule::load_aware,
     .keys = nla_keys,
     .place = place_load_aware,
     .check = check_nla},
    {.name = "TOFA",
     .summary = "nearby nodes of a torus, avoiding nodes that fail and routes through them",
     .for_users = true,
     .uses_live = true,
     .avoids_faults = true,
     .keys = tofa_keys,
     .place = tofa::place_tofa,
     .place_thoroughly = tofa::place_tofa_thoroughly,
     .check = tofa::check_tofa},
    {.name = "TOFA-PAPER",
     .summary = "the first consecutive healthy nodes, ranks by SCOTCH",
     .needs_matrix = true,
     .needs_torus = true,
     .uses_live = true,
     .avoids_faults = true,
     .keys = tofa_paper_keys,
     .place = tofa::place_tofa_paper,
     .check = tofa::check_tofa_paper},
    {.name = "GREEDY",
     .summary = "the heaviest pairs first, as near as possible",
     .needs_matrix = true,
     .keys = greedy_keys,
     .place = tofa::place_greedy},
    {.name = "MATCHING",
     .summary = "ranks by the hierarchical matching of the job assignment paper",
     .needs_matrix = true,
     .keys = matching_keys,
     .place = place_matching},
    {.name = "MATCHING-PAPER",
     .summary = "MATCHING by the Hungarian method of the paper, up to 2,048 ranks",
     .needs_matrix = true,
     .keys = matching_keys,
     .place = place_matching_paper},
    {.name = "SEQUENTIAL",
     .summary = "the first nodes offered, ranks in order",
     .selection_rule = netload::SelectionRule::sequential,
     .place = place_sequential},
    {.name = "RANDOM",
     .summary = "random nodes, ranks at random",
     .selection_rule = netload::SelectionRule::random,
     .keys = random_keys,
     .place = place_random},
};

bool takes_pattern(const Policy& policy, std::string_view without) {
  return policy.takes("matrix") && without != "matrix";
}

// Returns the keys that the policy takes. A key that is close to `unknown` comes first.
std::string listed(const Policy& policy, std::string_view without, std::string_view unknown) {
  std::vector<std::string_view> known;
  for (const PolicyKey& key : policy.keys)
    if (key.name != without) known.push_back(key.name);
  if (takes_pattern(policy, without))
    for (const pattern::Key& key : pattern::keys()) known.push_back(key.name);
  const auto near = std::find(known.begin(), known.end(), near_miss(unknown, known));
  if (near != known.end()) std::rotate(known.begin(), near, near + 1);
  return known.empty() ? "none" : joined(known, ", ");
}

}  // namespace

std::span<const Policy> policies() { return table; }

std::string policy_names(bool (*is_meant)(const Policy&)) {
  std::vector<std::string_view> names;
  for (const Policy& policy : table)
    if (is_meant(policy)) names.push_back(policy.name);
  return joined(names, ", ");
}

TrafficWeight weight_of(const Parameters& parameters) {
  const auto weight = parameters.find("weight");
  return weight == parameters.end() ? TrafficWeight::bytes : traffic_weight(weight->second);
}

bool Policy::takes(std::string_view key) const {
  return std::any_of(keys.begin(), keys.end(), [key](const PolicyKey& known) { return known.name == key; });
}

const Policy* find_policy(std::string_view name) {
  for (const Policy& policy : table)
    if (equal_any_case(policy.name, name)) return &policy;
  return nullptr;
}

const Policy& check_policy_spec(const PolicySpec& spec, std::string_view without) {
  const Policy* policy = find_policy(spec.policy);
  if (policy == nullptr)
    throw Error("unknown policy " + spec.policy +
                "; known policies: " + policy_names([](const Policy& known) { return known.for_users; }));
  for (const auto& [key, value] : spec.parameters) {
    bool known = takes_pattern(*policy, without) && pattern::is_key(key);
    for (const PolicyKey& candidate : policy->keys)
      known = known || (lower_case(candidate.name) == key && key != without);
    if (!known)
      throw Error("unknown key " + key + " for " + spec.policy + "; known keys: " + listed(*policy, without, key));
  }
  pattern::pattern_of(spec.parameters);
  weight_of(spec.parameters);
  if (policy->check) policy->check(spec.parameters);
  return *policy;
}

}  // namespace placement::policies
