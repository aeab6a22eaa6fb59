// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace placement::sim {

// A job of a log that can be replayed.
struct LogJob {
  std::int64_t id = 0;
  std::int64_t line = 0;      // of the log
  std::int64_t submit_s = 0;  // on the log's own clock, >= 0
  std::int64_t run_s = 1;     // > 0
  std::int64_t limit_s = 1;   // what the user asked for, >= run_s
  std::int32_t tasks = 1;     // one core each
  std::string partition;      // its name where the log has names, else its number; perhaps empty
  std::int64_t partition_number = -1;  // -1: none
};

// A record as it stands in a log; -1 is "not known".
struct LogRecord {
  std::int64_t id = -1;
  std::int64_t submit_s = -1;
  std::int64_t run_s = -1;
  std::int64_t limit_s = -1;
  std::int64_t allocated_tasks = -1;
  std::int64_t requested_tasks = -1;
  std::string partition;
  std::int64_t partition_number = -1;
};

// What was odd in a log: each reason once, with how often and where first.
class LogNotes {
 public:
  struct Note {
    std::string what;
    std::int64_t count = 0;
    std::int64_t first_line = 0;
    bool skipped = false;  // the line was left out; else it was put right
  };

  void skipped(std::string_view what, std::int64_t line) { add(what, line, true); }
  void repaired(std::string_view what, std::int64_t line) { add(what, line, false); }

  const std::vector<Note>& notes() const { return notes_; }  // in the order in which they came up
  std::int64_t skipped_lines() const;
  // "skipped 3: no processors (first in line 7); ..." of the lines left out; empty without one.
  std::string skipped_text() const;

 private:
  void add(std::string_view what, std::int64_t line, bool skipped);

  std::vector<Note> notes_;
};

// 2024-05-01T12:00:00, also without seconds or time of day, as seconds since 1970 (UTC), or a plain number of
// seconds; -1 otherwise.
std::int64_t time_point(std::string_view text);

// Processors of a log for each core: Slurm counts the threads of a core where slurm.conf does. From 1 on; 0 where the
// machine's nodes differ in it.
struct ProcessorsPerCore {
  std::int32_t sacct = 1;
  std::int32_t swf = 1;
};

class LineSource;
using JobSink = std::function<void(LogJob&&)>;

// The job of a record, or none with a note: no submit time, never ran, no processors. Of so many processors there is
// one core, and what is left over takes one more.
std::optional<LogJob> usable_job(LogRecord&& record, std::int64_t line, LogNotes& notes, std::int32_t processors_per_core = 1);

// Hands each job of a Standard Workload Format log to the sink, in the order of the log; one line in memory at a time. What cannot be used is skipped with a note, and so are the parts
// of jobs that were suspended, which another line has in full. Throws Error when the file cannot be
// read or unpacked.
void read_swf(LineSource& source, LogNotes& notes, const JobSink& sink, std::int32_t processors_per_core = 1);

// The same of `sacct --parsable2` output (or --parsable) with a header line, which may come again; JobID,
// Submit, Elapsed, ElapsedRaw or Start and End, and AllocCPUS, NCPUS or ReqCPUS are needed, Eligible, Timelimit or
// TimelimitRaw, Partition and State used. Job steps are skipped. Times without a zone count as UTC. Throws
// Error also when the header lacks a column.
void read_sacct(LineSource& source, LogNotes& notes, const JobSink& sink, std::int32_t processors_per_core = 1);

// Throws that this line begins neither kind of log, and what each begins with.
[[noreturn]] void fail_unknown_log(const std::string& path, std::int64_t line);

// Either of them, plain or gzip, a file or a pipe: where the first line that is not blank has a '|', and is no comment,
// it is sacct's. Throws Error also when it is neither: no header of sacct, or no line of numbers first and no job at all.
void read_job_log(const std::string& path, LogNotes& notes, const JobSink& sink, const ProcessorsPerCore& per_core = {});

}  // namespace placement::sim
