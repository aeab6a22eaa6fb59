// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/table.hpp"

#include <strings.h>

#include <string>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "policies/baselines.hpp"
#include "policies/nla.hpp"
#include "tofa/greedy_policy.hpp"
#include "tofa/tofa.hpp"
#include "tofa/tofa_paper.hpp"
#include "treematch/treematch.hpp"

namespace placement::policies {

namespace {

constexpr PolicyKey treematch_keys[] = {
    {"matrix", "communication matrix: dense, edge list, MatrixMarket or Open MPI monitoring"},
    {"scope", "cores to choose from: subtree (default), whole, or allocation (only ranks are placed)"},
    {"levels-up", "widen the smallest subtree by so many levels (0)"},
    {"seed", "of the mapper's random choices (1)"},
    {"effort", "how long a good mapping is searched for, from 1 to 1000 (10)"},
    {"objective", "what is made least: hop-bytes (default), balanced (uneven shares of leaf switches), or worst-group "
                  "(leaf switches that one group of ranks spans)"},
};

constexpr PolicyKey tofa_keys[] = {
    {"matrix", "communication matrix; without one a compact healthy set of nodes is taken"},
    {"seed", "of the search (1)"},
    {"effort", "how long srun looks for a good mapping, from 1 to 1000 (10)"},
    {"comm-share", "per cent of the run time that is communication (50)"},
    {"job-seconds", "length of the job, to which outage probabilities are converted (its time limit)"},
};

constexpr PolicyKey tofa_paper_keys[] = {
    {"matrix", "communication matrix"},
    {"seed", "of SCOTCH (1)"},
};

constexpr PolicyKey greedy_keys[] = {{"matrix", "communication matrix"}};

constexpr PolicyKey matching_keys[] = {{"matrix", "communication matrix"}};

constexpr PolicyKey random_keys[] = {{"seed", "of the random choice (1)"}};

constexpr PolicyKey nla_keys[] = {
    {"matrix", "communication matrix, to place the ranks on the nodes by measured distance"},
    {"profile", "summary of placement-profile, or its matrix beside it: derives the four weights that follow"},
    {"network-use", "what profile= is replaced by: waiting:ranks:messages/s:bytes/s[:nodes]"},
    {"alpha", "weight of compute load, 0 to 1 (0.3)"},
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
    {"processors", "what load leaves of a node: loaded (default), or printed, as in the paper"},
    {"max-age", "seconds after which data of a node count as missing (120)"},
    {"wait", "wait at most so many seconds while the cluster is overloaded (0)"},
    {"seed", "of the mapper's random choices (1)"},
};

constexpr Policy table[] = {
    {"TREEMATCH", "nodes, cores and ranks by the communication matrix", true, true, treematch_keys,
     treematch::place_treematch, treematch::check_treematch},
    {"NLA", "nodes by live load and the network between them", false, true, nla_keys, place_nla, check_nla, true},
    {"NLA-PAPER", "the same without the local search", false, false, nla_keys, place_nla_paper, check_nla, true},
    {"LOAD-AWARE", "the least loaded nodes", false, false, nla_keys, place_load_aware, check_nla, true},
    {"TOFA", "near nodes of a torus, off nodes that fail and the routes through them", false, true, tofa_keys,
     tofa::place_tofa, tofa::check_tofa, true},
    {"TOFA-PAPER", "the first healthy window of nodes, ranks by SCOTCH", true, false, tofa_paper_keys,
     tofa::place_tofa_paper, nullptr, true},
    {"GREEDY", "the heaviest pairs first, as near as possible", true, false, greedy_keys, tofa::place_greedy},
    {"MATCHING", "ranks by the hierarchical matching of the job assignment paper", true, false, matching_keys,
     place_matching},
    {"SEQUENTIAL", "the first nodes offered, ranks in order", false, false, {}, place_sequential},
    {"RANDOM", "random nodes, ranks at random", false, false, random_keys, place_random},
};

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string listed(std::span<const PolicyKey> keys, std::string_view without) {
  std::string names;
  for (const PolicyKey& key : keys)
    if (key.name != without) names += (names.empty() ? "" : ", ") + std::string(key.name);
  return names.empty() ? "none" : names;
}

std::string users_policies() {
  std::string names;
  for (const Policy& policy : table)
    if (policy.for_users) names += (names.empty() ? "" : ", ") + std::string(policy.name);
  return names;
}

}  // namespace

std::span<const Policy> policies() { return table; }

const Policy* find_policy(std::string_view name) {
  for (const Policy& policy : table)
    if (same(policy.name, name)) return &policy;
  return nullptr;
}

const Policy& check_policy_spec(const PolicySpec& spec, std::string_view without) {
  const Policy* policy = find_policy(spec.policy);
  if (policy == nullptr)
    throw Error("unknown policy " + spec.policy + ": known are " + users_policies());
  for (const auto& [key, value] : spec.parameters) {
    bool known = false;
    for (const PolicyKey& candidate : policy->keys) known = known || (lower_case(candidate.name) == key && key != without);
    if (!known)
      throw Error("unknown key " + key + " for " + spec.policy + ": known are " + listed(policy->keys, without));
  }
  if (policy->check) policy->check(spec.parameters);
  return *policy;
}

}  // namespace placement::policies
