// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/job_selection.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::sim {

namespace {

bool partition_wanted(const JobSelection& selection, const LogJob& job) {
  return selection.partitions.empty() || std::ranges::any_of(selection.partitions, [&](const std::string& wanted) {
           return equal_any_case(wanted, job.partition) ||
                  (job.partition_number >= 0 && parse_integer(wanted) == job.partition_number);
         });
}

// Returns the partitions of the log as "; its partitions are standard (10), 3", at most 30 of them.
std::string partitions_text(const std::set<std::pair<std::int64_t, std::string>>& partitions) {
  constexpr std::size_t most_shown = 30;
  std::string list;
  std::size_t count = 0;
  for (const auto& [number, name] : partitions) {
    if (count++ == most_shown) return "; its partitions are " + list + " and more";
    list += (list.empty() ? "" : ", ") + (name.empty() ? std::string("(none)") : shown(name));
    if (number >= 0 && name != std::to_string(number)) list += " (" + std::to_string(number) + ")";
  }
  return "; its partitions are " + list;
}

}  // namespace

JobList select_jobs(const std::string& path, const JobSelection& selection, LogNotes& notes) {
  JobList list;
  std::int64_t before_s = 0;
  std::int64_t usable = 0, first_s = INT64_MAX, last_s = 0;
  std::set<std::pair<std::int64_t, std::string>> partitions;
  bool partition_found = false;
  read_job_log(
      path, notes,
      [&](LogJob&& job) {
        ++usable;
        first_s = std::min(first_s, job.submit_s);
        last_s = std::max(last_s, job.submit_s);
        const bool wanted = partition_wanted(selection, job);
        partition_found = partition_found || wanted;
        if (!wanted && !partition_found) partitions.emplace(job.partition_number, job.partition);
        if (!wanted || job.submit_s < selection.from_s.value_or(0) ||
            (selection.from_s && job.submit_s - *selection.from_s >= selection.window_s)) {
          ++list.not_selected;
          return;
        }
        if (job.submit_s < before_s) notes.repaired("submitted before the job above it: sorted", job.line);
        before_s = job.submit_s;
        list.jobs.push_back(std::move(job));
      },
      selection.per_core);
  if (usable == 0) {
    const std::string why = notes.text(false);
    throw NoJobs(path + ": no job in it can be replayed" + (why.empty() ? "" : ": " + why));
  }
  std::ranges::stable_sort(list.jobs, {}, &LogJob::submit_s);
  if (!list.jobs.empty()) {
    const std::int64_t begin_s = selection.from_s.value_or(list.jobs.front().submit_s);
    const auto end = std::ranges::lower_bound(list.jobs, selection.window_s, {},
                                              [&](const LogJob& job) { return job.submit_s - begin_s; });
    const auto kept = std::min<std::int64_t>(end - list.jobs.begin(), selection.most_jobs);
    list.not_selected += static_cast<std::int64_t>(list.jobs.size()) - kept;
    list.jobs.resize(static_cast<std::size_t>(kept));
    for (LogJob& job : list.jobs) job.submit_s -= begin_s;
    list.begin_s = begin_s;
  }
  if (list.jobs.empty())
    throw NoJobs(path + ": none of its " + std::to_string(usable) + " usable jobs is in the selection" +
                 (partition_found ? "" : partitions_text(partitions)) +
                 (selection.from_s ? "; by its clock they were submitted from " + std::to_string(first_s) + " to " +
                                         std::to_string(last_s) + " s"
                                   : ""));
  return list;
}

}  // namespace placement::sim
