// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/stored_decisions.hpp"

#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <set>

#include "config.h"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/topology/slurm_hosts.hpp"
#ifdef HAVE_SQLITE
#include "monitor/monitor/database.hpp"
#endif

namespace placement::monitor {

constexpr int rows_at_once = 500;

static bool in_group(uid_t user, const std::string& name) {
  if (name.empty()) return false;
  const group* const wanted = getgrnam(name.c_str());
  const passwd* const entry = getpwuid(user);
  if (wanted == nullptr || entry == nullptr) return false;
  const gid_t id = wanted->gr_gid;
  std::vector<gid_t> groups(64);
  int count = static_cast<int>(groups.size());
  while (getgrouplist(entry->pw_name, entry->pw_gid, groups.data(), &count) < 0) {
    if (static_cast<std::size_t>(count) <= groups.size()) return false;
    groups.resize(static_cast<std::size_t>(count));
  }
  groups.resize(static_cast<std::size_t>(count));
  return std::ranges::find(groups, id) != groups.end();
}

bool DecisionFilter::admits(const Decision& decision) const {
  return (job == 0 || decision.job_id == job) && decision.at_s >= since_s && (!only_of || decision.uid == *only_of);
}

#ifdef HAVE_SQLITE
std::string history_query(const DecisionFilter& filter, bool newest_first) {
  // The words differ with and without a job: SQLite takes the index of jobs for "job = ?1" only if that stands alone.
  return std::string("SELECT ") + (newest_first ? "length(record)" : "record") + ", id FROM decision WHERE " +
         (filter.job != 0 ? "job = ?1" : "?1 = 0") + " AND at >= ?2 AND id >= ?3" +
         (filter.only_of ? " AND uid = " + std::to_string(*filter.only_of) : "") + " ORDER BY id " +
         (newest_first ? "DESC" : "LIMIT " + std::to_string(rows_at_once));
}

// Returns the id of the first record to read. Adds a note if older records are left out.
static std::int64_t first_record(Database& database, const DecisionFilter& filter, std::vector<std::string>& notes) {
  std::int64_t first = 0, bytes = 0;
  if (filter.most_bytes == 0) return first;
  Statement rows(database, history_query(filter, true).c_str());
  for (rows.bind(static_cast<std::int64_t>(filter.job), filter.since_s, first); rows.step(); first = rows.integer(1)) {
    bytes += rows.integer(0);
    if (bytes <= static_cast<std::int64_t>(filter.most_bytes)) continue;
    notes.push_back(database.path() + ": decisions before the last " + std::to_string(filter.most_bytes >> 20) +
                    " MiB");
    break;
  }
  return first;
}

void read_history(const std::string& path, const DecisionFilter& filter, const std::function<void(Decision&)>& take,
                  std::vector<std::string>& notes) {
  constexpr int wait_ms = 2000;
  if (!may_exist(path)) throw Error(path + ": the file does not exist");
  Database database(path, Database::Access::read, wait_ms);
  std::int64_t damaged = 0, next = first_record(database, filter, notes);
  std::string first;
  Statement rows(database, history_query(filter, false).c_str());
  for (std::vector<Decision> some;; some.clear()) {
    int count = 0;
    for (rows.bind(static_cast<std::int64_t>(filter.job), filter.since_s, next); rows.step(); ++count) try {
        next = rows.integer(1) + 1;
        some.push_back(parse_decision_text(rows.text(0)));
      } catch (const DatabaseError&) {
        throw;
      } catch (const Error& error) {
        if (damaged++ == 0) first = "row " + std::to_string(rows.integer(1)) + ": " + error.what();
      }
    // In a damaged history a record can be of another job or user than its row.
    for (Decision& decision : some)
      if (filter.admits(decision)) take(decision);
    if (count < rows_at_once) break;
  }
  if (damaged > 0)
    notes.push_back(path + ": " + std::to_string(damaged) + (damaged == 1 ? " record" : " records, the first") +
                    " at " + first);
}
#else
void read_history(const std::string& path, const DecisionFilter&, const std::function<void(Decision&)>&,
                  std::vector<std::string>&) {
  throw Error(path + ": this program was built without SQLite");
}
#endif

DecisionReader open_ring(const std::string& path, std::vector<uid_t> owners) {
  if (!may_exist(path) && (owners.empty() || find_ring(path, owners).empty()))
    throw Error(path + ": the file does not exist");
  return DecisionReader(path, {}, std::move(owners));
}

void settle_decisions(std::vector<Decision>& decisions) {
  std::ranges::stable_sort(decisions, {}, &Decision::at_s);
  std::set<std::string> seen;  // texts of the decisions with time at_s
  double at_s = -1;
  std::erase_if(decisions, [&](const Decision& decision) {
    if (decision.at_s != at_s) seen.clear();
    at_s = decision.at_s;
    return !seen.insert(decision_text(decision)).second;
  });
}

bool sees_all_jobs(uid_t user, const std::string& slurm_conf_path, const std::string& readers) {
  return !has_private_jobs(slurm_conf_path) || sees_private_data(user, slurm_conf_path, readers);
}

bool sees_private_data(uid_t user, const std::string& slurm_conf_path, const std::string& readers) {
  const std::vector<uid_t> privileged = slurmctld_users(slurm_conf_path);
  return std::ranges::find(privileged, user) != privileged.end() || in_group(user, readers);
}

}  // namespace placement::monitor
