// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/decision_input.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "common/decision/ring_place.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/util/error.hpp"
#include "config.h"
#ifdef HAVE_SQLITE
#include "monitor/monitor/database.hpp"
#endif

namespace placement {

namespace {

#ifdef HAVE_SQLITE
// A record that cannot be read is noted and hides no other one.
void read_history(DecisionInput& input, const std::string& path, std::uint32_t job, double since_s) {
  constexpr int wait_ms = 2000;
  if (!std::filesystem::exists(path)) throw Error(path + ": there is no such file");
  Database database(path, Database::Access::read, wait_ms);
  Statement rows(database, "SELECT record, id FROM decision WHERE (?1 = 0 OR job = ?1) AND at >= ?2 ORDER BY id");
  std::int64_t damaged = 0;
  std::string first;
  for (rows.bind(static_cast<std::int64_t>(job), since_s); rows.step();) try {
      input.decisions.push_back(parse_decision_text(rows.text(0)));
    } catch (const Error& error) {
      if (damaged++ == 0) first = "row " + std::to_string(rows.integer(1)) + ": " + error.what();
    }
  if (damaged > 0)
    input.notes.push_back(path + ": " + std::to_string(damaged) + (damaged == 1 ? " record" : " records, the first") + " at " + first);
}
#else
void read_history(DecisionInput&, const std::string& path, std::uint32_t, double) {
  throw Error(path + ": this placectl was built without SQLite");
}
#endif

// Takes out what slurm.conf says that the caller may not see.
void hide_private_jobs(DecisionInput& input) {
  const std::string conf = slurm_conf_path();
  if (!jobs_are_private(conf)) return;
  const uid_t self = geteuid();
  const std::vector<uid_t> privileged = slurmctld_users(conf);
  if (std::find(privileged.begin(), privileged.end(), self) != privileged.end()) return;
  std::erase_if(input.decisions, [self](const Decision& decision) { return decision.uid != self; });
  input.notes.push_back("decisions about other users' jobs (PrivateData=jobs)");
}

}  // namespace

DecisionReader ring_reader(const CommandLine& line, const Config& config) {
  const auto named = line.value("ring");
  const std::string path = named ? std::string(*named) : config.decision_file;
  std::vector<uid_t> owners;
  if (!named) {
    owners = slurmctld_users(slurm_conf_path());
    owners.push_back(geteuid());
  }
  if (!std::filesystem::exists(path) && (named || find_ring(path, owners).empty()))
    throw Error(path + ": there is no such file");
  return DecisionReader(path, {}, std::move(owners));
}

DecisionInput read_decisions(const CommandLine& line, const Config& config, std::uint32_t job, double since_s) {
  DecisionInput input;
  const auto add = [&](const char* option, auto read) {
    try {
      read();
    } catch (const Error& error) {
      if (line.has(option)) throw;
      input.notes.push_back(error.what());
    }
  };
  const std::string history = line.value_or("history", config.state_directory + "/history.sqlite");
  add("history", [&] { read_history(input, history, job, since_s); });
  add("ring", [&] {
    for (Decision& decision : ring_reader(line, config).read()) input.decisions.push_back(std::move(decision));
  });
  if (input.notes.size() == 2)  // neither could be read
    if (const std::string elsewhere = controllers_elsewhere(slurm_conf_path()); !elsewhere.empty()) input.notes.push_back(elsewhere);
  // Also what a damaged history gives for another job's.
  std::erase_if(input.decisions, [&](const Decision& decision) {
    return (job != 0 && decision.job_id != job) || decision.at_s < since_s;
  });
  hide_private_jobs(input);
  std::set<std::string> seen;
  std::erase_if(input.decisions, [&](const Decision& decision) { return !seen.insert(decision_text(decision)).second; });
  std::stable_sort(input.decisions.begin(), input.decisions.end(),
                   [](const Decision& a, const Decision& b) { return a.at_s < b.at_s; });
  return input;
}

}  // namespace placement
