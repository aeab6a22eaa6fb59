// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/job_placement.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "common/util/error.hpp"
#include "common/util/deadline.hpp"
#include "common/util/text.hpp"
#include "pattern/pattern.hpp"

namespace placement::sim {

namespace {

// Returns a view of the nodes of an allocation, in which only the allocated cores are free.
ClusterView allocation_view(const Machine& machine, const std::vector<std::int32_t>& leaves) {
  ClusterView view{machine.view().tree, {}, machine.view().torus, machine.view().live};
  std::int32_t last = -1;
  for (const std::int32_t leaf : leaves) {
    const std::int32_t n = machine.node_of(leaf);
    if (n != last) {
      view.nodes.push_back(machine.view().nodes[n]);
      std::fill(view.nodes.back().core_free.begin(), view.nodes.back().core_free.end(), false);
      last = n;
    }
    view.nodes.back().core_free[leaf - view.nodes.back().first_leaf] = true;
  }
  return view;
}

Request policy_request(const Machine& machine, const Strategy& strategy, const JobRequest& job) {
  Request request = job;
  request.parameters = strategy.policy.parameters;
  if (job.whole_nodes) request.max_nodes = machine.least_nodes(job.tasks);
  const policies::Policy& policy = *policies::find_policy(strategy.policy.policy);
  // Sets a key if the policy has it and the strategy does not set it.
  const auto tell = [&](const char* key, std::int64_t value) {
    if (value > 0 && policy.takes(key)) request.parameters.emplace(key, std::to_string(value));
  };
  tell("job-seconds", job.limit_s);  // Slurm too knows only the requested time
  tell("effort", job.effort);
  return request;
}

// Returns the leaves of all free cores of the nodes on which the given leaves are.
std::vector<std::int32_t> whole_nodes(const Machine& machine, const std::vector<std::int32_t>& leaves) {
  std::set<std::int32_t> nodes;
  for (const std::int32_t leaf : leaves) nodes.insert(machine.node_of(leaf));
  return free_leaves(machine, std::vector(nodes.begin(), nodes.end()));
}

}  // namespace

JobPlacement place_job(const Machine& machine, const Strategy& strategy, const JobRequest& job,
                       const Deadline& deadline) {
  JobPlacement placed;
  placed.leaf_of_rank = stock_choice(machine, job.tasks, job.stock);
  if (job.matrix) placed.cost = placed.stock_cost = machine.communication(*job.matrix, placed.leaf_of_rank);
  const policies::Policy* policy = strategy.stock ? nullptr : policies::find_policy(strategy.policy.policy);
  if (policy != nullptr && (job.matrix || !(policy->needs_matrix || policy->replays_matrices))) {
    placed.asked = true;
    const double stock_slowdown = machine.slowdown(placed.leaf_of_rank);
    const std::chrono::nanoseconds begin = processor_time();
    try {
      ClusterView allocation;
      if (strategy.allocated) allocation = allocation_view(machine, placed.leaf_of_rank);
      const ClusterView& view = strategy.allocated ? allocation : machine.view();
      Request request = policy_request(machine, strategy, job);
      if (strategy.allocated)
        for (const NodeView& node : view.nodes)
          request.node_tasks.push_back(
              static_cast<std::int32_t>(std::count(node.core_free.begin(), node.core_free.end(), true)));
      const Placement placement = policy->place(view, request, deadline);
      for (std::size_t r = 0; r < placement.ranks.size(); ++r) {
        const RankPlace& place = placement.ranks[r];
        placed.leaf_of_rank[r] = view.nodes[place.node].first_leaf + place.cores.front();
      }
      if (job.matrix) placed.cost = machine.communication(*job.matrix, placed.leaf_of_rank);
      placed.slowdown = machine.slowdown(placed.leaf_of_rank) / stock_slowdown;
    } catch (const Error& error) {
      placed.refusal = error.what();
    }
    placed.thinking_us = (processor_time() - begin).count() / 1000;
  }
  placed.taken = job.whole_nodes ? whole_nodes(machine, placed.leaf_of_rank) : placed.leaf_of_rank;
  return placed;
}

Strategy parse_strategy(std::string_view word) {
  Strategy strategy;
  strategy.name = word;
  const auto treematch = [&](Parameters parameters) { strategy.policy = {"TREEMATCH", std::move(parameters)}; };
  constexpr std::string_view levels_up = "TM-Isub+";
  if (equal_any_case(word, "SLURM")) {
    strategy.stock = true;
  } else if (equal_any_case(word, "TM-A")) {
    strategy.allocated = true;
    treematch({{"scope", "allocation"}});
  } else if (equal_any_case(word, "TM-I")) {
    treematch({{"scope", "whole"}});
  } else if (equal_any_case(word, "TM-Isub")) {
    treematch({{"scope", "subtree"}});
  } else if (equal_any_case(word.substr(0, levels_up.size()), levels_up)) {
    const std::string_view k = word.substr(levels_up.size());
    if (const auto number = parse_integer(k); !number || *number < 0 || *number > 64)
      throw Error("strategy " + shown(word) + ": a number of levels from 0 to 64 follows the +");
    treematch({{"scope", "subtree"}, {"levels-up", std::string(k)}});
  } else {
    naming_file("strategy " + shown(word), [&] {
      strategy.policy = parse_policy_spec(word);
      if (policies::find_policy(strategy.policy.policy) == nullptr)
        throw Error("unknown; strategies are SLURM, TM-A, TM-I, TM-Isub, TM-Isub+K, " +
                    policies::policy_names([](const policies::Policy&) { return true; }));
      policies::check_policy_spec(strategy.policy);
      for (const auto& [key, value] : strategy.policy.parameters)
        if (key == "matrix" || pattern::is_key(key))
          throw Error("matrices come from --pattern, not from a policy's matrix= or pattern");
    });
  }
  return strategy;
}

}  // namespace placement::sim
