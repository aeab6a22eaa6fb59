// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/util/error.hpp"

namespace placement::sim {

// A job of a log that can be replayed.
struct LogJob {
  std::int64_t id = 0;
  std::int64_t line = 0;               // line of the log
  std::int64_t submit_s = 0;           // submit time in seconds on the log's own clock, >= 0
  std::int64_t run_s = 1;              // run time in seconds, > 0
  std::int64_t limit_s = 1;            // requested time in seconds, >= run_s
  std::int32_t tasks = 1;              // one core each
  std::string partition = {};          // name of the partition, or its number when the log has no names; may be empty
  std::int64_t partition_number = -1;  // -1: none
  std::int64_t wait_s = -1;            // time from submit_s until it started on the site's machine; -1: not known
  std::string nodes = {};              // nodes on which it ran on the site's machine, as a host list; empty: not known
  bool array_task = false;             // a task of a job array; all tasks of the array have this id
};

// A record of a log before it is checked. In all its numbers, -1 stands for a value that is not known.
struct LogRecord {
  LogJob job;  // without line, tasks and wait_s
  std::int64_t allocated_tasks = -1;
  std::int64_t requested_tasks = -1;
  std::int64_t start_s = -1;
};

// Notes on lines of a log that were skipped or repaired. Each reason is listed once, with its count and first line.
class LogNotes {
 public:
  struct Note {
    std::string what;
    std::int64_t count = 0;
    std::int64_t first_line = 0;
    bool skipped = false;  // true: the line was left out; false: it was repaired and used

    std::string text() const;  // for example "skipped 3: no processors (first in line 7)", or "repaired 3: .."
  };

  void skipped(std::string_view what, std::int64_t line) { add(what, line, true); }
  void repaired(std::string_view what, std::int64_t line) { add(what, line, false); }

  const std::vector<Note>& notes() const { return notes_; }  // in the order in which the reasons first occurred
  // Returns the texts of skipped lines, and of repaired ones if `repaired_too`, with "; " between them.
  std::string text(bool repaired_too) const;

 private:
  void add(std::string_view what, std::int64_t line, bool skipped);

  std::vector<Note> notes_;
};

// Returns a time as seconds since 1970 (UTC). The text is a number of seconds, or has the form 2024-05-01T12:00:00. A
// blank may stand in place of the T. The seconds or the time of day may be missing. A fraction of a second is dropped.
// A zone may follow (Z, +0200 or +02:00). Returns -1 for any other text.
std::int64_t time_point(std::string_view text);

// Processors that a log counts for each core, by kind of log: 1 or more, or 0 if the nodes of the machine differ in
// this number. Slurm counts each thread of a core as a processor if slurm.conf says so.
struct ProcessorsPerCore {
  std::int32_t sacct = 1;
  std::int32_t swf = 1;
};

class LineSource;
using JobSink = std::function<void(LogJob&&)>;

// Turns a record of a log into a job with one task per core. The number of cores is the number of processors divided by
// processors_per_core (at least 1), rounded up. Returns nothing and adds a note for a record that cannot be used:
// without a valid submit time, run time or number of processors. `line` is the line of the record, for notes.
std::optional<LogJob> usable_job(LogRecord&& record, std::int64_t line, LogNotes& notes,
                                 std::int32_t processors_per_core = 1);

// Reads the output of `sacct --parsable2` or --parsable after its header, and hands each job to the sink, in the order
// of the log. The header names the columns, separated by '|', or by tabs, commas or semicolons if it has no '|'.
// sacct.cpp lists the required and optional columns. Times without a zone count as UTC. Job steps and unusable lines
// are skipped with a note. Throws Error when the file cannot be read or unpacked, or when the header has no required
// column.
void read_sacct(LineSource& source, const std::string& header_line, LogNotes& notes, const JobSink& sink,
                std::int32_t processors_per_core);

// Returns whether `line` can be the header of a log of sacct: it has a '|', or a column JobID or JobIDRaw.
bool begins_sacct_log(std::string_view line);

// Throws an Error with the message that the given line begins no known kind of log, and with the start of each kind.
[[noreturn]] void fail_unknown_log(const std::string& path, std::int64_t line);

// Reads a log of either kind, plain or packed by gzip, from a file or a pipe, and hands each job to the sink. The first
// line that is not blank decides: the log is one of sacct if begins_sacct_log(). Otherwise the log is in the Standard
// Workload Format. Throws Error when the file cannot be read or unpacked, or when it is a log of neither kind. Also
// throws Error if the log is from sacct and per_core.sacct is 0.
void read_job_log(const std::string& path, LogNotes& notes, const JobSink& sink,
                  const ProcessorsPerCore& per_core = {});

// Selects the jobs of a log that are replayed.
struct JobSelection {
  ProcessorsPerCore per_core;
  std::vector<std::string> partitions;  // names or numbers; empty: all
  std::optional<std::int64_t> from_s;   // jobs submitted before this time on the log's clock are left out
  std::int64_t window_s = std::numeric_limits<std::int64_t>::max();   // length of the window
  std::int64_t most_jobs = std::numeric_limits<std::int64_t>::max();  // counted from the first submitted
};

// The selected jobs of a log.
struct JobList {
  std::vector<LogJob> jobs;       // sorted by submit time; submit times count from the start of the window
  std::int64_t begin_s = 0;       // start of the window, on the log's clock
  std::int64_t not_selected = 0;  // number of usable jobs that are not selected
};

// A log that can be read, and has no job to replay.
class NoJobs : public Error {
 public:
  using Error::Error;
};

// Reads the log at `path` and returns the selected jobs. The window begins at from_s if it is given, otherwise at the
// first selected job. Jobs that are out of order are sorted, with a note. Throws Error when the log cannot be read,
// and NoJobs when no job is selected.
JobList select_jobs(const std::string& path, const JobSelection& selection, LogNotes& notes);

}  // namespace placement::sim
