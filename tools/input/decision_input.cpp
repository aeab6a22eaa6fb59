// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/decision_input.hpp"

#include <unistd.h>

#include <utility>

#include "common/slurm/slurm_command.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/util/input_file.hpp"
#include "monitor/monitor/stored_decisions.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/monitor_input.hpp"

namespace placement::tools {

namespace {

// Opens slurmctld's ring at its oldest decision. Unless the command line names the ring, it must belong to root, to
// SlurmUser or to the caller. Throws Error when the file does not exist.
DecisionReader ring_reader(const CommandLine& line, const Config& config) {
  const auto named = line.value("ring");
  if (named) return monitor::open_ring(*named, {});
  std::vector<uid_t> owners = slurmctld_users(slurm_conf_path());
  owners.push_back(geteuid());
  return monitor::open_ring(config.decision_file, std::move(owners));
}

// Returns the decisions and the predictions of the files of this host, or of the monitors.
DecisionInput read_all(const CommandLine& line, const Config& config, std::uint32_t job, double since_s) {
  DecisionInput input;
  monitor::DecisionFilter filter{job, since_s, {}, 0};
  if (hides_other_jobs(config)) filter.only_of = geteuid();
  const auto take = [&](Decision& decision) { input.decisions.push_back(std::move(decision)); };
  // Returns whether the file of an option could be read.
  const auto add = [&](const char* option, auto read) {
    try {
      read();
      return true;
    } catch (const Error& error) {
      if (line.has(option)) throw;
      input.notes.push_back(error.what());
    }
    return false;
  };
  const std::string history = line.value_or("history", config.state_directory + "/history.sqlite");
  const bool has_history = add("history", [&] { monitor::read_history(history, filter, take, input.notes); });
  const bool has_ring = add("ring", [&] {
    for (Decision& decision : ring_reader(line, config).read())
      if (filter.admits(decision)) take(decision);
  });
  if (filter.only_of) input.notes.push_back("decisions about other users' jobs (PrivateData=jobs)");
  monitor::settle_decisions(input.decisions);
  if (line.has("history") || line.has("ring") || has_history) return input;
  // On a controller the history and the ring may be readable only for the monitor; then the monitor is asked.
  const std::string elsewhere = controllers_elsewhere(slurm_conf_path());
  const bool on_controller = elsewhere.empty() && may_exist(slurm_conf_path());
  if (has_ring ? !on_controller || !may_exist(history) : elsewhere.empty() && !on_controller) return input;
  try {
    DecisionInput told = ask_for_decisions(config, job, since_s);
    monitor::settle_decisions(told.decisions);
    return told;
  } catch (const Error& error) {
    if (!elsewhere.empty()) input.notes.push_back(elsewhere);
    input.notes.push_back(error.what());
  }
  return input;
}

}  // namespace

bool hides_other_jobs(const Config& config) try {
  return !monitor::sees_all_jobs(geteuid(), slurm_conf_path(), config.monitor_readers);
} catch (const Error&) {  // without a slurm.conf
  return false;
}

DecisionInput read_decisions(const CommandLine& line, const Config& config, std::uint32_t job, double since_s,
                             RecordKind kind) {
  DecisionInput input = read_all(line, config, job, since_s);
  if (input.decisions.empty() && !line.has("history") && !line.has("ring"))
    if (const auto controller = read_controller().state; controller && controller->mode.empty())
      input.notes.push_back(trouble_of(*controller));
  std::erase_if(input.decisions,
                [&](const Decision& decision) { return decision.predicted != (kind == RecordKind::predictions); });
  return input;
}

void notes_json(JsonWriter& json, const DecisionInput& input) {
  json.member("told_by", input.told_by).list("notes", input.notes);
}

protocol::RingState read_ring(const CommandLine& line, const Config& config) {
  constexpr double none_s = 1e11;  // later than any decision, so that the answer has no decisions
  protocol::RingState input;
  try {
    DecisionReader reader = ring_reader(line, config);
    const std::vector<Decision> decisions = reader.read();
    input.written = reader.cursor().next;
    if (!decisions.empty()) input.last_s = decisions.back().at_s;
  } catch (const Error& error) {
    input.trouble = error.what();
  }
  if (input.trouble.empty() || line.has("ring") || line.has("state") || !may_exist(slurm_conf_path())) return input;
  try {
    return ask_for_decisions(config, 0, none_s).ring;
  } catch (const Error& error) {
    input.trouble += "; " + std::string(error.what());
  }
  return input;
}

std::string shown_topology() {
  if (!slurmctld_answers()) return {};
  try {
    return SlurmCommand({"scontrol", "show", "topology"}).text();
  } catch (const Error&) {
    return {};
  }
}

}  // namespace placement::tools
