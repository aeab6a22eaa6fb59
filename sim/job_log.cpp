// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/job_log.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_set>

#include "common/topology/tree_topology.hpp"
#include "common/util/text.hpp"
#include "sim/line_source.hpp"

namespace placement::sim {

// About 136 years. Longer times are errors in the log, and sums of many of them would overflow.
constexpr std::int64_t longest_time_s = std::int64_t{1} << 32;

std::string LogNotes::Note::text() const {
  return (skipped ? "skipped " : "repaired ") + std::to_string(count) + ": " + what + " (first in line " +
         std::to_string(first_line) + ")";
}

std::string LogNotes::text(bool repaired_too) const {
  std::string text;
  for (const Note& note : notes_)
    if (note.skipped || repaired_too) text += (text.empty() ? "" : "; ") + note.text();
  return text;
}

void LogNotes::add(std::string_view what, std::int64_t line, bool skipped) {
  const auto known = std::find_if(notes_.begin(), notes_.end(),
                                  [&](const Note& note) { return note.skipped == skipped && note.what == what; });
  if (known != notes_.end())
    ++known->count;
  else
    notes_.push_back({std::string(what), 1, line, skipped});
}

std::optional<LogJob> usable_job(LogRecord&& record, std::int64_t line, LogNotes& notes,
                                 std::int32_t processors_per_core) {
  const auto refuse = [&](std::string_view why) {
    notes.skipped(why, line);
    return std::nullopt;
  };
  LogJob& job = record.job;
  job.line = line;
  if (job.submit_s < 0 || job.submit_s > longest_time_s) return refuse("no valid submit time");
  if (job.run_s < 0) return refuse("no run time: unknown or negative");
  if (job.run_s == 0) return refuse("run time zero: never started or ended at once");
  if (job.run_s > longest_time_s) return refuse("run time out of range");
  std::int64_t tasks = record.allocated_tasks;
  if (tasks <= 0 && record.requested_tasks > 0) {
    tasks = record.requested_tasks;
    notes.repaired("allocated processors are unknown: using the requested number", line);
  }
  if (tasks <= 0) return refuse("no processors");
  if (processors_per_core > 1) {
    notes.repaired(
        "processors are threads, " + std::to_string(processors_per_core) + " per core: using the number of cores",
        line);
    if (tasks % processors_per_core != 0)
      notes.repaired("threads do not fill their last core: counting the whole core", line);
    tasks = (tasks - 1) / processors_per_core + 1;
  }
  if (tasks > TreeTopology::max_leaves) return refuse("number of processors out of range");
  job.tasks = static_cast<std::int32_t>(tasks);
  if (job.limit_s <= 0 || job.limit_s > longest_time_s) {
    notes.repaired("no requested time: using the run time", line);
    job.limit_s = job.run_s;
  } else if (job.limit_s < job.run_s) {
    notes.repaired("ran longer than requested: using the run time", line);
    job.limit_s = job.run_s;
  }
  if (record.start_s >= job.submit_s && record.start_s <= longest_time_s) job.wait_s = record.start_s - job.submit_s;
  return std::move(job);
}

void fail_unknown_log(const std::string& path, std::int64_t line) {
  fail_at(path, line,
          "unknown log format: expected the output of sacct --parsable2, whose first line names columns such as "
          "JobID|Submit|ElapsedRaw|AllocCPUS, or the Standard Workload Format, with lines of 18 numbers and "
          "comments after ';'; it may be packed by gzip");
}

namespace {

constexpr std::size_t columns = 18;       // of a line
constexpr std::size_t least_columns = 5;  // old logs lack columns at the end; their values are not known

// Returns a number, rounded, because some logs have decimals where the format has whole numbers.
std::optional<std::int64_t> number(std::string_view word) {
  const std::optional<double> value = parse_real(word);
  if (!value || !(std::fabs(*value) < 9e15)) return std::nullopt;
  return std::llround(*value);
}

// Reads the name of a partition from a comment such as "; Partition: 10 standard".
void note_partition(std::string_view comment, std::map<std::int64_t, std::string>& names) {
  const auto words = split_words(comment.substr(1));
  if (words.size() < 3 || words[0] != "Partition:") return;
  if (const auto key = parse_integer(words[1])) names.emplace(*key, words[2]);
}

// Reads a log in the Standard Workload Format from its line `line` on, and hands each job to the sink, in the
// order of the log. Only one line is in memory at a time. Lines that cannot be used are skipped with a note. So are
// lines for the parts of a suspended job, because another line has the whole job. Throws Error when the file cannot be
// read or unpacked.
void read_swf(LineSource& source, std::string line, LogNotes& notes, const JobSink& sink,
              std::int32_t processors_per_core) {
  // The columns that are read, counted from 0.
  constexpr std::size_t job_id = 0, submit = 1, run = 3, allocated = 4, requested = 7, limit = 8, status = 10,
                        partition = 15, preceding = 16;
  std::map<std::int64_t, std::string> partition_names;
  std::unordered_set<std::int64_t> seen;
  do {
    const std::string_view text = trimmed(line);
    if (text.empty()) continue;
    if (text[0] == ';') {
      note_partition(text, partition_names);
      continue;
    }
    const auto words = split_words(text);
    std::int64_t field[columns];
    std::fill(field, field + columns, -1);
    bool good = words.size() >= least_columns;
    for (std::size_t c = 0; good && c < columns && c < words.size(); ++c) {
      const auto value = number(words[c]);
      good = value.has_value();
      if (good) field[c] = *value;
    }
    if (!good) {
      notes.skipped("not a line of numbers in 18 columns", source.number());
      continue;
    }
    if (words.size() != columns) notes.repaired("not 18 columns: missing ones count as unknown", source.number());
    // A job that was suspended or moved has one line for the whole job and one more for each part.
    if (field[status] >= 2 && field[status] <= 4) {
      notes.skipped("a part of a job (status 2 to 4), which another line has in full", source.number());
      continue;
    }
    if (field[job_id] >= 0 && !seen.insert(field[job_id]).second)
      notes.repaired("a repeated job number: counted as another job", source.number());
    if (field[preceding] > 0) notes.repaired("waits for a preceding job: its own submit time counts", source.number());
    LogRecord record{
        {field[job_id], 0, field[submit], field[run], field[limit]}, field[allocated], field[requested], -1};
    if (field[partition] >= 0) {
      record.job.partition_number = field[partition];
      const auto name = partition_names.find(field[partition]);
      record.job.partition = name == partition_names.end() ? std::to_string(field[partition]) : name->second;
    }
    if (auto job = usable_job(std::move(record), source.number(), notes, processors_per_core)) sink(std::move(*job));
  } while (source.next(line));
}

}  // namespace

void read_job_log(const std::string& path, LogNotes& notes, const JobSink& sink, const ProcessorsPerCore& per_core) {
  LineSource source(path);
  std::string line;
  while (source.next(line) && trimmed(line).empty()) {
  }
  const std::string_view first = trimmed(line);
  const std::int64_t first_line = source.number();
  if (begins_sacct_log(first)) {
    if (per_core.sacct < 1)
      throw Error(path +
                  ": sacct counts CPUs, but the nodes of slurm.conf differ in CPUs per core: "
                  "use --threads-per-core");
    return read_sacct(source, line, notes, sink, per_core.sacct);
  }
  bool any = first.empty() || first.starts_with(';') || parse_real(split_words(first)[0]);
  const auto take = [&](LogJob&& job) {
    any = true;
    sink(std::move(job));
  };
  read_swf(source, line, notes, take, per_core.swf);
  if (!any) fail_unknown_log(path, first_line);
}

static bool partition_wanted(const JobSelection& selection, const LogJob& job) {
  return selection.partitions.empty() || std::ranges::any_of(selection.partitions, [&](const std::string& wanted) {
           return equal_any_case(wanted, job.partition) ||
                  (job.partition_number >= 0 && parse_integer(wanted) == job.partition_number);
         });
}

// Returns the partitions of the log as "; its partitions are standard (10), 3", at most 30 of them.
static std::string partitions_text(const std::set<std::pair<std::int64_t, std::string>>& partitions) {
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
