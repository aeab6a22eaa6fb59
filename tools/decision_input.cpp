// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/decision_input.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "config.h"
#include "core/error.hpp"
#include "core/slurm_hosts.hpp"
#ifdef HAVE_SQLITE
#include "monitor/database.hpp"
#endif

namespace placement {

namespace {

#ifdef HAVE_SQLITE
std::vector<Decision> read_history(const std::string& path, std::uint32_t job, double since_s) {
  constexpr int wait_ms = 2000;
  if (!std::filesystem::exists(path)) throw Error(path + ": there is no such file");
  Database database(path, Database::Access::read, wait_ms);
  Statement rows(database, "SELECT record FROM decision WHERE (?1 = 0 OR job = ?1) AND at >= ?2 ORDER BY id");
  std::vector<Decision> decisions;
  for (rows.bind(static_cast<std::int64_t>(job), since_s); rows.step();)
    decisions.push_back(parse_decision_text(rows.text(0)));
  return decisions;
}
#else
std::vector<Decision> read_history(const std::string& path, std::uint32_t, double) {
  throw Error(path + ": this placectl was built without SQLite");
}
#endif

}  // namespace

DecisionReader ring_reader(const CommandLine& line, const Config& config) {
  const auto named = line.value("ring");
  const std::string path = named ? std::string(*named) : config.decision_file;
  if (!std::filesystem::exists(path)) throw Error(path + ": there is no such file");
  std::vector<uid_t> owners;
  if (!named) {
    owners = slurmctld_users(slurm_conf_path());
    owners.push_back(geteuid());
  }
  return DecisionReader(path, {}, std::move(owners));
}

DecisionInput read_decisions(const CommandLine& line, const Config& config, std::uint32_t job, double since_s) {
  DecisionInput input;
  const auto add = [&](const char* option, auto read) {
    try {
      for (Decision& decision : read())
        if ((job == 0 || decision.job_id == job) && decision.at_s >= since_s)
          input.decisions.push_back(std::move(decision));
    } catch (const Error& error) {
      if (line.has(option)) throw;
      input.notes.push_back(error.what());
    }
  };
  const std::string history = line.value_or("history", config.state_directory + "/history.sqlite");
  add("history", [&] { return read_history(history, job, since_s); });
  add("ring", [&] { return ring_reader(line, config).read(); });
  std::set<std::string> seen;
  std::erase_if(input.decisions, [&](const Decision& decision) { return !seen.insert(decision_text(decision)).second; });
  std::stable_sort(input.decisions.begin(), input.decisions.end(),
                   [](const Decision& a, const Decision& b) { return a.at_s < b.at_s; });
  return input;
}

}  // namespace placement
