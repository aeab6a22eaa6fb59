// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/switch_drawing.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/topology/scontrol_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"

namespace placement::tools {

namespace {

constexpr std::size_t most_lines = 32;

// The nodes of a job in the order of its record, and their switches.
struct JobSwitches {
  std::vector<std::string> nodes;
  std::vector<std::int64_t> tasks;  // of each node; empty: not known
  std::vector<std::string> ranks;   // of each node, as "0,5-7"; empty: not known
  std::vector<SwitchShape> switches;
};

// Returns the nodes that are drawn.
const std::string& nodes_to_draw(const Decision& decision) {
  return decision.given.empty() ? decision.choice : decision.given;
}

bool is_cut(const std::string& hosts) { return hosts.ends_with(".."); }

JobSwitches switches_of(const std::string& hosts, std::string_view topology) {
  JobSwitches job;
  if (hosts.empty() || is_cut(hosts)) return job;
  try {
    job.nodes = expand_hostlist(hosts);
    std::vector<NodeShape> shapes;
    for (const std::string& node : job.nodes) shapes.push_back({node});
    job.switches = parse_scontrol_topology(topology, shapes);
  } catch (const Error&) {
    job.switches.clear();
  }
  return job;
}

// Returns the numbers of a text such as 4(x3),2: 4, 4, 4 and 2. Returns none if they are not `count`.
std::vector<std::int64_t> expand_counts(std::string_view text, std::size_t count) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : split_at(text, ',')) {
    const std::size_t times = part.find("(x");
    const auto number = parse_integer(part.substr(0, times));
    const auto repeated = times == part.npos ? 1 : parse_integer(part.substr(times + 2, part.size() - times - 3));
    if (!number || !repeated || *repeated < 1 || numbers.size() + static_cast<std::size_t>(*repeated) > count)
      return {};
    numbers.insert(numbers.end(), static_cast<std::size_t>(*repeated), *number);
  }
  return numbers.size() == count ? numbers : std::vector<std::int64_t>();
}

// Returns the ranks of each of `count` nodes from the term of a decision that has them; none if no term has them.
std::vector<std::string> ranks_in(const std::vector<std::string>& terms, std::size_t count) {
  constexpr std::string_view name = "ranks: ";
  std::vector<std::string> ranks;
  for (const std::string& term : terms) {
    if (!term.starts_with(name)) continue;
    for (const std::string_view of_node : split_at(std::string_view(term).substr(name.size()), ';'))
      ranks.emplace_back(of_node);
  }
  return ranks.size() == count ? ranks : std::vector<std::string>();
}

// Returns the nodes at a switch, as "n[1-3] with 4 tasks each, n4 with 2 tasks", or with ranks as "n1: 0,5 n2: 1-3".
std::string nodes_text(const JobSwitches& job, std::span<const std::int32_t> attached) {
  if (!job.ranks.empty()) {
    std::string text;
    for (const std::int32_t node : attached)
      text += (text.empty() ? "" : "  ") + job.nodes[static_cast<std::size_t>(node)] + ": " +
              job.ranks[static_cast<std::size_t>(node)];
    return text;
  }
  std::vector<std::pair<std::int64_t, std::vector<std::string>>> groups;  // of nodes with equally many tasks
  for (const std::int32_t node : attached) {
    const auto n = static_cast<std::size_t>(node);
    const std::int64_t tasks = job.tasks.empty() ? 0 : job.tasks[n];
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == tasks; });
    if (group == groups.end()) group = groups.insert(groups.end(), {tasks, {}});
    group->second.push_back(job.nodes[n]);
  }
  std::string text;
  for (const auto& [tasks, names] : groups) {
    text += (text.empty() ? "" : ", ") + compress_hostlist(names);
    if (!job.tasks.empty())
      text += " with " + std::to_string(tasks) + (tasks == 1 ? " task" : " tasks") + (names.size() > 1 ? " each" : "");
  }
  return text;
}

// Adds the line of a switch, then those of the switches below it. Slurm's trees have few levels; others are not drawn.
void draw(const JobSwitches& job, std::size_t number, std::size_t level, std::vector<std::string>& lines) {
  constexpr std::size_t most_levels = 16;
  const SwitchShape& one = job.switches[number];
  const std::string nodes = nodes_text(job, one.nodes);
  lines.push_back(std::string(2 * level, ' ') + one.name + (nodes.empty() ? "" : ": " + nodes));
  for (std::size_t below = 0; below < job.switches.size() && level < most_levels; ++below)
    if (job.switches[below].parent == static_cast<std::int32_t>(number)) draw(job, below, level + 1, lines);
}

}  // namespace

std::vector<std::string> drawn_on_switches(const Decision& decision, std::string_view topology) {
  JobSwitches job = switches_of(nodes_to_draw(decision), topology);
  const bool as_chosen = decision.given.empty() || decision.given == decision.choice;
  if (as_chosen) job.tasks = expand_counts(decision.tasks_per_node, job.nodes.size());
  if (as_chosen || !decision.step.empty()) job.ranks = ranks_in(decision.terms, job.nodes.size());
  std::vector<std::string> lines;
  for (std::size_t number = 0; number < job.switches.size(); ++number)
    if (job.switches[number].parent < 0) draw(job, number, 0, lines);
  if (lines.size() > most_lines) {
    const std::size_t missing = lines.size() - most_lines + 1;
    lines.resize(most_lines - 1);
    lines.push_back("and " + std::to_string(missing) + " more switches");
  }
  return lines;
}

bool lacks_nodes_to_draw(const Decision& decision, std::string_view topology) {
  const bool has_switches =
      topology.find("SwitchName=") != topology.npos || topology.find("BlockName=") != topology.npos;
  return has_switches && is_cut(nodes_to_draw(decision));
}

std::size_t leaf_switches_of(const std::string& nodes, std::string_view topology) {
  const JobSwitches job = switches_of(nodes, topology);
  return static_cast<std::size_t>(std::count_if(job.switches.begin(), job.switches.end(),
                                                [](const SwitchShape& one) { return !one.nodes.empty(); }));
}

}  // namespace placement::tools
