// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/state_replay.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>

#include "common/state/node_outage.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/error.hpp"
#include "sim/site_data.hpp"

namespace placement::tools {

namespace {

constexpr std::string_view policies_by_state[] = {"NLA", "TOFA"};

// The state of a replay, in which a policy is held against stock Slurm.
struct Conditions {
  ClusterView view;
  sim::ReplayOptions options;
  std::string state;
};

// Returns the outage probabilities of those nodes of the view for which `live` has an estimate.
NodeOutages estimated_outages(const ClusterView& view, const LiveState& live) {
  NodeOutages outages;
  for (const NodeState& node : live.nodes)
    if (node.outage_probability > 0 &&
        std::ranges::any_of(view.nodes, [&](const NodeView& other) { return other.name == node.name; }))
      outages.set(node.name, std::min(node.outage_probability, 1.0));
  return outages;
}

// Gives the nodes of the view their coordinates on the torus of the file `path`.
void put_on_torus(ClusterView& view, const std::string& path) {
  auto torus = std::make_shared<const TorusTopology>(std::move(read_torus(path).torus));
  for (NodeView& node : view.nodes)
    if (node.torus_node = torus->find(node.name); node.torus_node < 0)
      throw Error(path + " has no coordinates of node " + node.name);
  view.torus = std::move(torus);
}

Conditions load_and_network(const ReplayInput& input, const LiveState& live, const std::string& source) {
  Conditions found{input.machine.view(), input.options, "the load and network of " + source};
  if (live.pairs.groups == 0) throw Error("the live data have no network: no probes were made");
  sim::attach_state(found.view, live, source);
  return found;
}

Conditions outages(const ReplayInput& input, const LiveState& live, const std::string& source, const Config& config) {
  Conditions found{input.machine.view(), input.options, "the outage probabilities of " + source};
  if (!outages_known(live) || !(live.outage_horizon_s > 0)) throw Error("the live data have no outage probabilities");
  const NodeOutages known = estimated_outages(found.view, live);
  if (known.size() == 0) throw Error("no node has an outage probability above 0");
  if (!config.torus_file.empty()) {
    put_on_torus(found.view, config.torus_file);
    found.state += ", on the torus of " + config.torus_file;
  }
  sim::attach_outages(found.view, known, live.outage_horizon_s, source);
  found.options.failures_per_hour_of_node = sim::failure_rates(found.view);
  found.options.node_failures_per_hour = 0;
  return found;
}

void replay_in(StateReplay& one, const ReplayInput& input, Conditions conditions, std::size_t threads) {
  const auto jobs = input.jobs.last(std::min(input.jobs.size(), static_cast<std::size_t>(most_state_replay_jobs)));
  one.sample.assign(jobs.begin(), jobs.end());
  const std::int64_t begin_s = one.sample.front().submit_s;
  for (sim::LogJob& job : one.sample) job.submit_s -= begin_s;
  conditions.options.full_start = conditions.options.full_start || jobs.size() < input.jobs.size();
  one.state = conditions.state;
  const sim::Machine machine(std::move(conditions.view));
  std::atomic<bool> stop{false};
  one.replays = run_strategies({machine, one.sample, input.patterns, conditions.options},
                               {sim::parse_strategy("SLURM"), sim::parse_strategy(one.policy)}, threads, stop, false);
  for (const sim::Replay& replay : one.replays) one.summaries.push_back(sim::summarise(machine, one.sample, replay));
}

}  // namespace

bool is_by_state(std::string_view policy) {
  return std::ranges::find(policies_by_state, policy) != std::end(policies_by_state);
}

std::vector<StateReplay> replays_by_state(const ReplayInput& input, const LiveState* live, const std::string& source,
                                          const Config& config, std::size_t threads) {
  std::vector<StateReplay> all(std::size(policies_by_state));
  for (std::size_t k = 0; k < all.size(); ++k) all[k].policy = policies_by_state[k];
  for (StateReplay& one : all) try {
      if (!live) throw Error(source);
      replay_in(one, input,
                &one == &all[0] ? load_and_network(input, *live, source) : outages(input, *live, source, config),
                threads);
    } catch (const Error& error) {
      one.why_not = error.what();
    }
  return all;
}

}  // namespace placement::tools
