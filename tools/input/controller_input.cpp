// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/controller_input.hpp"

#include <cstdio>
#include <string_view>
#include <unordered_map>

#include "common/slurm/controller_by_scontrol.hpp"
#include "common/slurm/controller_query.hpp"
#include "common/slurm/slurm_command.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/topology/topology_read.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "config.h"
#include "spank/step/slurm_view.hpp"

namespace placement::tools {

namespace {

// Returns the cores of one job as leaves. A node that slurmctld no longer shows is left out.
std::vector<std::int32_t> leaves_of(const spank::ShownJob& job,
                                    const std::unordered_map<std::string_view, const NodeView*>& node_named) {
  std::vector<std::int32_t> leaves;
  for (const spank::ShownJob::Part& part : job.parts)
    for (const std::string& name : expand_hostlist(part.nodes)) {
      const auto found = node_named.find(name);
      if (found == node_named.end()) continue;
      const NodeView& node = *found->second;
      const auto cpus = listed_cores(part.cpus, node.cores() * node.threads_per_core);
      if (!cpus)
        throw Error("slurmctld shows the CPUs '" + part.cpus + "' of " + name + ", which has " +
                    std::to_string(node.cores() * node.threads_per_core));
      for (const std::int32_t cpu : *cpus)
        if (const std::int32_t leaf = node.first_leaf + cpu / node.threads_per_core;
            leaves.empty() || leaves.back() != leaf)
          leaves.push_back(leaf);
    }
  return leaves;
}

// Parses a line as "srun: Job 8 to start at 2026-11-22T20:07:40 using 8 processors on nodes n[1-4] in partition all".
// Slurm 22.05 to 26.05 print this form. Returns nothing for any other line.
std::optional<Start> parse_start(std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  Start start;
  for (std::size_t k = 0; k + 1 < words.size(); ++k) {
    const std::string next(words[k + 1]);
    if (words[k] == "Job")
      start.job = static_cast<std::uint32_t>(parse_integer(next).value_or(0));
    else if (words[k] == "at")
      start.time = next;
    else if (words[k] == "using")
      start.processors = next;
    else if (words[k] == "nodes")
      start.nodes = next;
    else if (words[k] == "partition")
      start.partition = next;
  }
  if (line.find(" to start at ") == line.npos || start.job == 0 || start.nodes.empty()) return std::nullopt;
  std::tm parts{};
  const char* const stop = strptime(start.time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  parts.tm_isdst = -1;
  if (stop && *stop == '\0') start.seconds = std::mktime(&parts) - std::time(nullptr);
  return start;
}

}  // namespace

bool knows_slurm_conf() { return std::string_view(SLURM_BINDIR).empty() || may_exist(slurm_conf_path()); }

bool slurmctld_answers() {
  static const bool answers = [] {
    try {
      return knows_slurm_conf() && SlurmCommand({"scontrol", "ping"}).output().text.find(" is UP") != std::string::npos;
    } catch (const Error&) {
      return false;
    }
  }();
  return answers;
}

ControllerInput read_controller() {
  if (!knows_slurm_conf()) return {{}, "no slurm.conf to find slurmctld"};
  if (!slurmctld_answers()) return {{}, "slurmctld does not answer"};
  try {
    return {controller_state_of(ask_controller()), {}};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

std::string described(const ControllerInput& controller) {
  if (!controller.state) return "not known: " + controller.why_not;
  const ControllerState& state = *controller.state;
  if (state.mode.empty()) return trouble_of(state);
  if (!state.failure.empty()) return state.mode + ": " + state.failure;
  return state.mode + ", by " + state.configuration;
}

std::optional<Config> settings_in_force(const ControllerInput& controller) {
  if (!controller.state || controller.state->mode.empty() || !controller.state->failure.empty()) return std::nullopt;
  Config config;
  const auto take = [&config](std::string_view name, std::string_view value) {
    const bool is_cut = value.size() >= max_fact_bytes && value.ends_with("..");
    for (const ConfigKey& key : config_keys())
      if (key.name == name && !is_cut) key.set(config, value);
  };
  take("Mode", controller.state->mode);
  for (const auto& [key, value] : controller.state->settings) take(key, value);
  return config;
}

std::string format_settings(const Config& config) {
  std::string text;
  for (const ConfigKey& key : config_keys()) {
    const std::string value = key.show(config);
    text += (value.empty() ? "# " : "") + std::string(key.name) + "=" + value + "\n";
  }
  return text;
}

std::string settings_not_in_force(const Config& file, const Config& in_force, const std::string& reader) {
  std::string text;
  for (const ConfigKey& key : config_keys()) {
    const std::string name(key.name), here = key.show(file), there = key.show(in_force);
    if (here != there && here.size() <= max_fact_bytes)
      text += "# " + name + "=" + here + " of this file is not in force (" + name + "=" + there +
              " is): " + (reader.empty() ? "scontrol reconfigure" : reader) + "\n";
  }
  return text;
}

Config config_for_records() {
  try {
    return read_config(placement_conf_path(), MissingFile::defaults);
  } catch (const Error& error) {
    std::fprintf(stderr, "placectl: %s: using the default settings\n", error.what());
    return {};
  }
}

const std::string& configuration_of_slurmctld() {
  static const std::string configuration = SlurmCommand({"scontrol", "show", "config"}).text();
  return configuration;
}

std::string name_of_cluster() {
  const std::string name = environment_value("SLURM_CLUSTER_NAME");
  if (!name.empty()) return name;
  return std::string(config_value(configuration_of_slurmctld(), "ClusterName"));
}

ClusterView machine_of_slurmctld(const std::string& cluster) {
  if (!knows_slurm_conf()) throw Error(slurm_conf_path() + ": not found, so slurmctld cannot be asked");
  const KnownNodes nodes = ask_known_nodes();
  ClusterView view = view_of_shown(SlurmCommand({"scontrol", "show", "topology"}).text(), nodes.shapes, cluster);
  for (std::size_t i = 0; i < view.nodes.size(); ++i)
    if (!nodes.take_jobs[i]) view.nodes[i].core_free.assign(view.nodes[i].core_free.size(), false);
  return view;
}

std::vector<std::vector<std::int32_t>> leaves_of_running_jobs(const ClusterView& view) {
  std::unordered_map<std::string_view, const NodeView*> node_named;
  for (const NodeView& node : view.nodes) node_named.emplace(node.name, &node);
  std::vector<std::vector<std::int32_t>> jobs;
  for (const spank::ShownJob& job : spank::parse_shown_jobs(SlurmCommand({"scontrol", "-d", "show", "job"}).text()))
    if (job.holds_cpus) jobs.push_back(leaves_of(job, node_named));
  return jobs;
}

TestedStart test_only(std::vector<std::string> words, const std::vector<std::string>& changes) {
  words[0] = path_of_command(words[0]);
  words.insert(words.begin() + 1, "--test-only");
  words.insert(words.begin(), "SLURM_TIME_FORMAT=standard");  // the form that parse_start() reads
  words.insert(words.begin(), changes.begin(), changes.end());
  words.insert(words.begin(), "/usr/bin/env");
  CommandOutput output = SlurmCommand(words, true).output();
  if (output.text.find("No command given to execute") != std::string::npos) {
    words.emplace_back("true");
    output = SlurmCommand(words, true).output();
  }
  TestedStart tested{{}, {}, output.exit_code};
  for (const std::string_view line : split_at(output.text, '\n'))
    if (const auto start = parse_start(line))
      tested.start = start;
    else if (!line.empty())
      tested.other_lines += std::string(line) + "\n";
  return tested;
}

}  // namespace placement::tools
