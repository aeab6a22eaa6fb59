// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/stored_decisions.hpp"

#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <set>

#include "config.h"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/decision/ring_place.hpp"
#include "common/topology/slurm_hosts.hpp"
#ifdef HAVE_SQLITE
#include "monitor/monitor/database.hpp"
#endif

namespace placement::monitor {

namespace {

bool in_group(uid_t user, const std::string& name) {
  const group* const wanted = name.empty() ? nullptr : getgrnam(name.c_str());
  const passwd* const entry = getpwuid(user);
  if (wanted == nullptr || entry == nullptr) return false;
  const gid_t id = wanted->gr_gid;
  std::vector<gid_t> groups(64);
  int count = static_cast<int>(groups.size());
  while (getgrouplist(entry->pw_name, entry->pw_gid, groups.data(), &count) < 0) {
    if (static_cast<std::size_t>(count) <= groups.size()) return false;
    groups.resize(static_cast<std::size_t>(count));
  }
  return std::find(groups.begin(), groups.begin() + count, id) != groups.begin() + count;
}

}  // namespace

#ifdef HAVE_SQLITE
std::string history_query(const DecisionFilter& filter) {
  // The words differ with and without a job: SQLite takes the index of jobs for "job = ?1" only if that stands alone.
  return std::string("SELECT record, id FROM decision WHERE ") + (filter.job != 0 ? "job = ?1" : "?1 = 0") +
         " AND at >= ?2" + (filter.only_of ? " AND uid = " + std::to_string(*filter.only_of) : "") +
         " ORDER BY id DESC LIMIT ?3";
}

void add_history(const std::string& path, const DecisionFilter& filter, std::vector<Decision>& decisions,
                 std::vector<std::string>& notes) {
  constexpr int wait_ms = 2000;
  if (!may_exist(path)) throw Error(path + ": there is no such file");
  Database database(path, Database::Access::read, wait_ms);
  Statement rows(database, history_query(filter).c_str());
  std::int64_t damaged = 0, read = 0;
  std::string first;
  rows.bind(static_cast<std::int64_t>(filter.job), filter.since_s, filter.most > 0 ? filter.most : -1);
  for (; rows.step(); ++read) try {
      decisions.push_back(parse_decision_text(rows.text(0)));
    } catch (const Error& error) {
      ++damaged;
      first = "row " + std::to_string(rows.integer(1)) + ": " + error.what();
    }
  if (damaged > 0)
    notes.push_back(path + ": " + std::to_string(damaged) + (damaged == 1 ? " record" : " records, the first") +
                    " at " + first);
  if (filter.most > 0 && read == filter.most)
    notes.push_back(path + ": decisions before the last " + std::to_string(filter.most));
}
#else
void add_history(const std::string& path, const DecisionFilter&, std::vector<Decision>&, std::vector<std::string>&) {
  throw Error(path + ": this program was built without SQLite");
}
#endif

DecisionReader open_ring(const std::string& path, std::vector<uid_t> owners) {
  if (!may_exist(path) && (owners.empty() || find_ring(path, owners).empty()))
    throw Error(path + ": there is no such file");
  return DecisionReader(path, {}, std::move(owners));
}

void settle_decisions(const DecisionFilter& filter, std::vector<Decision>& decisions) {
  // This also removes records in a damaged history that show the wrong job.
  std::erase_if(decisions, [&](const Decision& decision) {
    return (filter.job != 0 && decision.job_id != filter.job) || decision.at_s < filter.since_s ||
           (filter.only_of && decision.uid != *filter.only_of);
  });
  std::set<std::string> seen;
  std::erase_if(decisions, [&](const Decision& decision) { return !seen.insert(decision_text(decision)).second; });
  std::stable_sort(decisions.begin(), decisions.end(),
                   [](const Decision& a, const Decision& b) { return a.at_s < b.at_s; });
}

bool sees_all_jobs(uid_t user, const std::string& slurm_conf_path, const std::string& readers) {
  return !has_private_jobs(slurm_conf_path) || sees_private_data(user, slurm_conf_path, readers);
}

bool sees_private_data(uid_t user, const std::string& slurm_conf_path, const std::string& readers) {
  const std::vector<uid_t> privileged = slurmctld_users(slurm_conf_path);
  return std::find(privileged.begin(), privileged.end(), user) != privileged.end() || in_group(user, readers);
}

}  // namespace placement::monitor
