// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/occupancy.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "sim/stock_choice.hpp"

namespace placement::sim {

namespace {

// Takes all free leaves among `leaves`.
void take_free(Machine& machine, std::span<const std::int32_t> leaves) {
  for (const std::int32_t leaf : leaves) {
    const NodeView& node = machine.view().nodes[static_cast<std::size_t>(machine.node_of(leaf))];
    if (node.core_free[static_cast<std::size_t>(leaf - node.first_leaf)]) machine.take({&leaf, 1});
  }
}

// Returns the cores of a job. Nodes that the machine does not have are left out, with the tasks that fall to them.
std::vector<NodeShare> cores_of(const LogJob& job, const Machine& machine,
                                const std::unordered_map<std::string, std::int32_t>& node_named) {
  std::vector<std::string> names;
  try {
    names = expand_hostlist(job.nodes);
  } catch (const Error&) {  // no list of nodes
    return {};
  }
  std::vector<NodeShare> cores;
  for (const std::string& name : names)
    if (const auto found = node_named.find(name); found != node_named.end()) cores.push_back({found->second, 0});
  std::int64_t left = job.tasks * std::ssize(cores) / std::max<std::int64_t>(std::ssize(names), 1);
  // A node that is smaller than its part leaves more to the other nodes, so the smallest nodes are filled first.
  std::ranges::sort(cores, {}, [&](const NodeShare& one) { return std::tuple(machine.usable_on(one.node), one.node); });
  std::int64_t nodes_left = std::ssize(cores);
  for (NodeShare& one : cores) {
    one.cores = static_cast<std::int32_t>(
        std::min<std::int64_t>(machine.usable_on(one.node), (left + nodes_left - 1) / nodes_left));
    left -= one.cores;
    --nodes_left;
  }
  return cores;
}

// Returns the state of a machine whose jobs use this number of cores of each node. Jobs that share cores may use more
// than a node has.
MachineSample sample_of(const Machine& machine, const std::vector<std::int64_t>& used, std::int64_t time_us) {
  std::vector<std::int32_t> free;
  std::int64_t busy = 0;
  for (std::int32_t n = 0; n < machine.nodes(); ++n) {
    const std::int64_t taken = std::min<std::int64_t>(used[static_cast<std::size_t>(n)], machine.usable_on(n));
    busy += taken;
    free.push_back(machine.usable_on(n) - static_cast<std::int32_t>(taken));
  }
  const LargestRoom room = largest_room(machine, free);
  return {time_us, busy, 0, room.in_switch, room.in_subtree};
}

struct Event {
  std::int64_t time_s = 0;
  bool start = false;  // at one time, ends come first: they free cores for the starts
  std::size_t job = 0;
};

}  // namespace

Occupancy occupancy_of(const ClusterView& view, std::span<const std::vector<std::int32_t>> jobs) {
  ClusterView whole = view;
  for (NodeView& node : whole.nodes) node.core_free.assign(static_cast<std::size_t>(node.cores()), true);
  Machine machine(std::move(whole));
  Occupancy measures;
  for (std::size_t n = 0; n < view.nodes.size(); ++n)
    for (std::size_t core = 0; core < view.nodes[n].core_free.size(); ++core) {
      const std::int32_t leaf = view.nodes[n].first_leaf + static_cast<std::int32_t>(core);
      if (!view.nodes[n].core_free[core]) machine.take({&leaf, 1});
    }
  measures.usable_cores = machine.free_cores();
  for (const std::vector<std::int32_t>& leaves : jobs) {
    if (leaves.empty()) continue;
    for (const std::int32_t leaf : leaves)
      if (leaf < 0 || leaf >= view.tree->leaves() || machine.node_of(leaf) < 0)
        throw Error("leaf " + std::to_string(leaf) + " does not belong to a node");
    const std::int32_t extra = machine.switches_spanned(leaves) - machine.least_switches(std::ssize(leaves));
    ++measures.jobs;
    measures.spread_jobs += extra > 0;
    measures.switches += machine.switches_spanned(leaves);
    measures.extra_switches += extra;
    take_free(machine, leaves);
  }
  if (measures.jobs > 0) {
    measures.switches /= static_cast<double>(measures.jobs);
    measures.extra_switches /= static_cast<double>(measures.jobs);
  }
  measures.free_cores = machine.free_cores();
  const LargestRoom room = largest_room(machine, machine.free());
  measures.largest_in_switch = room.in_switch;
  measures.largest_in_subtree = room.in_subtree;
  return measures;
}

PastOccupancy past_occupancy(const Machine& machine, std::span<const LogJob> jobs, std::int64_t from_s,
                             std::int64_t to_s) {
  PastOccupancy past;
  std::vector<Event> events;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (jobs[k].wait_s < 0 || jobs[k].nodes.empty()) {
      ++past.unknown;
      continue;
    }
    const std::int64_t start_s = jobs[k].submit_s + jobs[k].wait_s;
    events.push_back({start_s, true, k});
    events.push_back({start_s + jobs[k].run_s, false, k});
  }
  std::ranges::sort(events, {}, [](const Event& event) { return std::tuple(event.time_s, event.start, event.job); });
  std::unordered_map<std::string, std::int32_t> node_named;
  for (std::int32_t n = 0; n < machine.nodes(); ++n) node_named.emplace(machine.view().nodes[n].name, n);
  std::vector<std::int64_t> used(static_cast<std::size_t>(machine.nodes()), 0);
  const std::int64_t step_s = std::max<std::int64_t>(1, (to_s - from_s + most_past_samples - 1) / most_past_samples);
  std::int64_t next_s = from_s;
  const auto sample_until = [&](std::int64_t time_s) {
    for (; next_s < std::min(time_s, to_s); next_s += step_s)
      past.samples.push_back(sample_of(machine, used, next_s * 1000000));
  };
  std::unordered_map<std::size_t, std::vector<NodeShare>> cores_of_job;  // between the two events of a job
  for (const Event& event : events) {
    sample_until(event.time_s);
    std::vector<NodeShare> cores;
    if (auto known = cores_of_job.extract(event.job))
      cores = std::move(known.mapped());
    else
      cores_of_job[event.job] = cores = cores_of(jobs[event.job], machine, node_named);
    if (event.start) ++(cores.empty() ? past.unknown : past.jobs);
    for (const NodeShare& one : cores) used[static_cast<std::size_t>(one.node)] += event.start ? one.cores : -one.cores;
  }
  sample_until(to_s);
  if (past.jobs == 0) past.samples.clear();
  return past;
}

}  // namespace placement::sim
