// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/past_occupancy.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "sim/stock_choice.hpp"

namespace placement::sim {

namespace {

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
  // A node that is smaller than its part leaves more to the others, so the smallest are filled first.
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
  bool start = false;  // cores are given back before others are taken
  std::size_t job = 0;
};

}  // namespace

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
