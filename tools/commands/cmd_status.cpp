// SPDX-License-Identifier: GPL-2.0-or-later
// placectl status: the data on which placement is based at present.
#include <array>
#include <cmath>

#include "common/state/node_fields.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "policies/table.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/monitor_input.hpp"

namespace placement::tools {

namespace {

constexpr Option status_options[] = {state_option, json_option};

constexpr CommandHelp status_help{
    "placectl status [OPTION]...",
    "Prints the mode in force in slurmctld, the live state of the cluster, and the last decision. Exit code 1 if one of\n"
    "them is not in order. With --state, slurmctld is not asked.\n",
    status_options};

struct Status {
  std::optional<ControllerInput> controller;  // none: slurmctld was not asked
  std::string file_mode;     // Mode of this host's placement.conf; empty: it has none, or one that is wrong
  std::string file_trouble;  // what is wrong with this host's placement.conf; empty: nothing
  std::string file;
  std::string trouble;  // why there is no usable state; empty: there is one
  bool set_up = true;   // false: there is no state, and no sign that placement-monitor ever ran here
  StateInput input;
  bool read = false;
  std::array<std::vector<std::string>, liveness_names.size()> nodes;
  std::array<std::int64_t, pair_source_names.size()> pairs{};  // pairs of groups, by source
  double oldest_pair_s = unknown_value;
  protocol::RingState ring;
  std::vector<MonitorReport> monitors;  // empty: none was asked
};

// Reads this host's placement.conf, and asks slurmctld for the settings in force unless --state is given. Returns the
// settings by which the data are judged: the settings in force, else the file's, else the defaults.
Config configuration_of(Status& status, const CommandLine& line) {
  Config config;
  try {
    config = read_config(placement_conf_path(), MissingFile::defaults);
    policies::check_policy_settings(config);
    if (may_exist(placement_conf_path())) status.file_mode = mode_names[config.mode];
  } catch (const Error& error) {
    status.file_trouble = error.what();
  }
  if (line.has("state")) return config;
  status.controller = read_controller();
  Config in_force = settings_in_force(*status.controller).value_or(config);
  if (!controllers_elsewhere(slurm_conf_path()).empty()) {  // the files of a controller are not on this host
    in_force.snapshot_file = config.snapshot_file;
    in_force.decision_file = config.decision_file;
  }
  return in_force;
}

// Returns whether this host shows that placement-monitor is used: it is a controller with a snapshot or with the
// monitor's history, or no controller. A file that this user may not see counts as one that is there.
bool has_monitor(const Config& config) {
  return may_exist(config.snapshot_file) || may_exist(config.state_directory + "/history.sqlite") ||
         !controllers_elsewhere(slurm_conf_path()).empty();
}

void look_at_state(Status& status, const CommandLine& line, const Config& config) {
  try {
    status.input = read_state(line, config);
  } catch (const Error& error) {
    status.trouble = error.what();
    status.set_up = line.has("state") || has_monitor(config);
    return;
  }
  status.read = true;
  if (status.input.age_s > static_cast<double>(config.snapshot_max_age_s))
    status.trouble = status.input.described(config);
  for (const NodeState& node : status.input.state.nodes)
    status.nodes[static_cast<std::size_t>(node.liveness)].push_back(node.name);
  const PairTable& pairs = status.input.state.pairs;
  for (std::int32_t a = 0; a < pairs.groups; ++a)
    for (std::int32_t b = a + 1; b < pairs.groups; ++b) {
      const std::size_t at = cell_index(pairs.groups, a, b);
      ++status.pairs[static_cast<std::size_t>(pairs.source[at])];
      if (pairs.source[at] == PairSource::measured || pairs.source[at] == PairSource::mpi)
        status.oldest_pair_s = std::fmax(status.oldest_pair_s, pairs.age_s[at]);
    }
}

// Asks the monitors what is in force in them. Returns none on a host without a slurm.conf.
std::vector<MonitorReport> monitors_of_cluster(const Config& config) {
  try {
    protocol::Query notes;
    notes.kind = protocol::Query::Kind::notes;
    return ask_each_monitor({&notes, 1}, config);
  } catch (const Error&) {
    return {};
  }
}

// Returns what is wrong in slurmctld; empty if it does not answer, which is no error of the live state.
std::string trouble_of(const Status& status) {
  return status.controller && status.controller->state ? trouble_of(*status.controller->state) : "";
}

std::string as_text(const Status& status, const Config& config) {
  std::string text;
  if (status.controller) {
    text += "mode       " + described(*status.controller) + "\n";
    const auto& state = status.controller->state;
    if (state && !state->mode.empty() && !status.file_mode.empty() && state->mode != status.file_mode)
      text += "           this host's " + placement_conf_path() + " has Mode=" + status.file_mode +
              ", which is not in force\n";
    if (!status.file_trouble.empty()) text += "           this host's file is wrong: " + status.file_trouble + "\n";
    if (state && !state->mode.empty() && state->failure.empty() && !trouble_of(*state).empty())
      text += "slurmctld  " + trouble_of(*state) + "\n";
    if (state && state->longest_hold_us >= 0)
      text += "locks      held for at most " + fixed_number(static_cast<double>(state->longest_hold_us) / 1e3, 1) +
              " ms to place one job, " + std::to_string(state->decisions_over_limit) +
              " decisions over DecisionTimeMs\n";
  }
  text += "live state " +
          (status.read     ? status.input.described(config)
           : status.set_up ? status.trouble
                           : "not set up: placement-monitor has not run on this host; policy NLA requires it") +
          "\n";
  for (const std::size_t liveness : {1u, 2u, 3u, 0u})
    if (const auto& names = status.nodes[liveness]; !names.empty()) {
      const std::string name(liveness_names[liveness]);
      text += name + std::string(11 - name.size(), ' ') + std::to_string(names.size()) +
              " nodes: " + compress_hostlist(names) + "\n";
    }
  if (status.read && status.input.state.pairs.groups > 0) {
    text += "pairs      " + std::to_string(status.input.state.pairs.groups) +
            " groups of nodes: " + shown_sources(status.pairs) + "\n";
    if (!std::isnan(status.oldest_pair_s))
      text += "           the oldest measurement was " + shown_seconds(status.oldest_pair_s) + " old\n";
  }
  for (const MonitorReport& monitor : status.monitors) {
    if (!monitor.trouble.empty() && status.set_up) text += "monitor    " + monitor.trouble + "\n";
    for (const std::string& note : monitor.notes) text += "monitor    on " + monitor.from + ": " + note + "\n";
  }
  if (!status.ring.trouble.empty()) return text + "decisions  " + status.ring.trouble + "\n";
  text += "decisions  " + std::to_string(status.ring.written);
  return text + (std::isnan(status.ring.last_s) ? "" : ", the last at " + shown_time(status.ring.last_s)) + "\n";
}

std::string as_json(const Status& status) {
  const auto& state = status.controller ? status.controller->state : std::nullopt;
  JsonWriter json;
  json.begin_object().member("mode", state ? state->mode : "", "mode_of_file", status.file_mode);
  json.member("slurmctld_trouble", trouble_of(status), "file", status.file, "set_up", status.set_up);
  const bool has_times = state && state->longest_hold_us >= 0;
  json.member("longest_hold_s", has_times ? static_cast<double>(state->longest_hold_us) / 1e6 : unknown_value,
              "decisions_over_limit", has_times ? static_cast<double>(state->decisions_over_limit) : unknown_value);
  json.member("usable", status.trouble.empty(), "trouble", status.trouble);
  json.member("age_s", status.read ? status.input.age_s : unknown_value).key("nodes").begin_object();
  for (std::size_t l = 0; l < status.nodes.size(); ++l)
    json.member(liveness_names[l], compress_hostlist(status.nodes[l]));
  json.end_object().key("pairs").begin_object();
  for (std::size_t s = 0; s < status.pairs.size(); ++s) json.member(pair_source_names[s], status.pairs[s]);
  json.end_object().objects("monitors", status.monitors, [&](const MonitorReport& monitor) {
    json.member("host", monitor.from, "trouble", monitor.trouble).list("not_in_force", monitor.notes);
  });
  json.member("decisions", status.ring.written, "last_decision_s", status.ring.last_s);
  return json.member("ring_trouble", status.ring.trouble).end_object().take();
}

}  // namespace

int command_status(int argc, char** argv) {
  const CommandLine line(status_help, argc, argv);
  Status status;
  const Config config = configuration_of(status, line);
  status.file = line.value_or("state", config.snapshot_file);
  look_at_state(status, line, config);
  status.ring = read_ring(line, config);
  if (!line.has("state")) status.monitors = monitors_of_cluster(config);
  write_output("", line.has("json") ? as_json(status) : as_text(status, config));
  return (status.trouble.empty() || !status.set_up) && status.file_trouble.empty() && trouble_of(status).empty()
             ? exit_ok
             : exit_bad_input;
}

}  // namespace placement::tools
