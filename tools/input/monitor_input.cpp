// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/monitor_input.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "common/slurm/slurm_command.hpp"
#include "common/state/snapshot.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "config.h"
#include "monitor/monitor/stored_decisions.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/snapshot_json.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

#ifdef BUILD_MONITOR
static protocol::MonitorAddress address_of_monitors(const Config& config) {
  read_slurm_hosts(slurm_conf_path());  // without a slurm.conf there is nobody to ask, and slurmctld is not waited for
  return protocol::monitor_address(slurm_conf_path(), read_controller().state.value_or(ControllerState{}), config);
}

protocol::MonitorAnswer ask_monitors(const protocol::Query& query, const Config& config) {
  return protocol::ask_monitors(address_of_monitors(config), query);
}

// Asks as ask_monitors() for the decisions about `job` (0: about all jobs) that were made at `since_s` or later, and
// returns them. Throws Error.
static protocol::DecisionAnswer ask_for_decisions(const Config& config, std::uint32_t job, double since_s) {
  protocol::Query query;
  query.kind = protocol::Query::Kind::decisions;
  query.job = job;
  query.since_s = since_s;
  const protocol::MonitorAnswer answer = ask_monitors(query, config);
  protocol::DecisionAnswer decisions = protocol::parse_answer_text(answer.text);
  decisions.told_by = described(answer);
  return decisions;
}

std::vector<MonitorReport> ask_each_monitor(std::span<const protocol::Query> queries, const Config& config) {
  protocol::MonitorAddress address = address_of_monitors(config);
  std::vector<MonitorReport> reports;
  for (const SlurmHost& host : std::exchange(address.controllers, {})) {
    address.controllers = {host};
    MonitorReport& report = reports.emplace_back();
    report.from = host.name;
    try {
      for (const protocol::Query& query : queries) {
        const std::string text = protocol::ask_monitors(address, query).text;
        for (const std::string_view note : split_at(text, '\n'))
          if (!note.empty()) report.notes.push_back(printable(note));
      }
    } catch (const Error& error) {
      report.trouble = error.what();
    }
  }
  return reports;
}
#else
[[noreturn]] static void fail_without_munge() {
  throw Error(
      "this placectl was built without munge, or with --disable-slurm-plugins: it cannot ask placement-monitor");
}

protocol::MonitorAnswer ask_monitors(const protocol::Query&, const Config&) { fail_without_munge(); }

static protocol::DecisionAnswer ask_for_decisions(const Config&, std::uint32_t, double) { fail_without_munge(); }

std::vector<MonitorReport> ask_each_monitor(std::span<const protocol::Query>, const Config&) { fail_without_munge(); }
#endif

std::string described(const protocol::MonitorAnswer& answer) { return "placement-monitor on " + answer.from; }

std::string StateInput::described(const Config& config) const {
  std::string text = path + ": " + shown_seconds(age_s) + " old";
  if (age_s > static_cast<double>(config.snapshot_max_age_s))
    text += ", too old for decisions (SnapshotMaxAgeS=" + std::to_string(config.snapshot_max_age_s) + ")";
  return text;
}

// Returns whether the monitors may have a state that this user cannot read on this host. Either the file is missing and
// the controllers are other hosts, or the user may not read it.
static bool may_be_asked_for(const std::string& path) {
  if (may_exist(path)) return access(path.c_str(), R_OK) != 0 && errno == EACCES;
  return !controllers_elsewhere(slurm_conf_path()).empty();
}

StateInput read_state(const CommandLine& line, const Config& config) {
  StateInput input;
  input.path = line.value_or("state", config.snapshot_file);
  try {
    input.state = read_live_state(input.path);
  } catch (const Error& error) {
    if (line.has("state") || !may_be_asked_for(input.path)) throw;
    const std::string elsewhere = controllers_elsewhere(slurm_conf_path());
    const std::string why = error.what() + (elsewhere.empty() ? "" : "; " + elsewhere);
    try {
      const protocol::MonitorAnswer answer = ask_monitors(protocol::Query{}, config);
      input.path = described(answer);
      input.state = decode_snapshot(answer.text);
    } catch (const Error& refusal) {
      throw Error(why + "; " + refusal.what());
    }
  }
  input.age_s = std::max(0.0, static_cast<double>(std::time(nullptr) - input.state.published_at_s));
  return input;
}

std::vector<std::int32_t> chosen_nodes(const CommandLine& line, const LiveState& state) {
  std::set<std::string> wanted;
  if (const auto list = line.value("nodes"))
    for (std::string& name : from_command_line([&] { return expand_hostlist(*list); })) wanted.insert(std::move(name));
  std::vector<std::int32_t> nodes;
  for (std::size_t n = 0; n < state.nodes.size(); ++n)
    if (!line.has("nodes") || wanted.erase(state.nodes[n].name) > 0) nodes.push_back(static_cast<std::int32_t>(n));
  if (!wanted.empty())
    throw Error("--nodes: the snapshot has no " +
                compress_hostlist(std::vector<std::string>(wanted.begin(), wanted.end())));
  return nodes;
}

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
