// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <ctime>
#include <unordered_set>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "sim/job_log.hpp"
#include "sim/line_source.hpp"

namespace placement::sim {

namespace {

// Returns the seconds of a duration as Slurm writes and reads it, -1 for any other text. With days, the parts count
// from hours: days-hours[:minutes[:seconds]]. Without days, the last part counts seconds: [hours:]minutes:seconds. The
// seconds may have a fraction, which is dropped. A lone number has units of `lone_unit_s` seconds.
std::int64_t duration(std::string_view text, std::int64_t lone_unit_s) {
  constexpr std::int64_t most = 1 << 30;
  std::int64_t seconds = 0;
  std::int64_t unit = lone_unit_s;
  const std::size_t dash = text.find('-');
  const bool days = dash != std::string_view::npos;
  if (days) {
    const auto value = parse_integer(text.substr(0, dash));
    if (!value || *value < 0 || *value > most / 86400) return -1;
    seconds = *value * 86400;
    text.remove_prefix(dash + 1);
  }
  auto parts = split_at(text, ':');
  if (parts.size() > 3) return -1;
  const bool to_seconds = days ? parts.size() == 3 : parts.size() > 1;
  if (to_seconds) parts.back() = parts.back().substr(0, parts.back().find('.'));
  if (days)
    unit = 3600;
  else if (parts.size() > 1)
    unit = parts.size() == 3 ? 3600 : 60;
  for (const std::string_view part : parts) {
    const auto value = parse_integer(part);
    if (!value || *value < 0 || *value > most) return -1;
    seconds += *value * unit;
    unit /= 60;
  }
  return seconds;
}

// Returns the separator of the columns of a header: the first of '|', tab, comma and semicolon that the header has.
char column_separator(std::string_view header) {
  for (const char separator : {'|', '\t', ',', ';'})
    if (header.find(separator) != std::string_view::npos) return separator;
  return '|';
}

// Splits a line into its columns. A column in double quotes may hold the separator, as in files of spreadsheets and
// pandas.
std::vector<std::string_view> columns_of(std::string_view line, char separator) {
  std::vector<std::string_view> columns;
  for (bool more = true; more;) {
    const std::size_t quote = line.starts_with('"') ? line.find('"', 1) : line.npos;
    const bool quoted = quote != line.npos && (quote + 1 == line.size() || line[quote + 1] == separator);
    const std::size_t end = quoted ? quote + 1 : std::min(line.find(separator), line.size());
    columns.push_back(quoted ? line.substr(1, quote - 1) : line.substr(0, end));
    more = end < line.size();
    if (more) line.remove_prefix(end + 1);
  }
  return columns;
}

// Words in place of a time or duration that is not known or has no limit.
bool is_no_value(std::string_view text) {
  for (const std::string_view word : {"", "Unknown", "None", "N/A", "INVALID", "UNLIMITED", "Partition_Limit"})
    if (equal_any_case(text, word)) return true;
  return false;
}

// The numbers of the columns that are read. Where a column can have several names, the first one in the header counts.
struct Header {
  using Names = std::initializer_list<std::string_view>;
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  const std::string& path;
  std::int64_t number;  // of its line in the file `path`
  std::vector<std::string_view> names;
  std::size_t id = need({"JobID", "JobIDRaw"});
  std::size_t submit = need({"Submit"});
  std::size_t eligible = find({"Eligible"});
  std::size_t start = find({"Start"}), end = find({"End"});
  std::size_t elapsed =
      start == absent || end == absent ? need({"ElapsedRaw", "Elapsed"}) : find({"ElapsedRaw", "Elapsed"});
  std::size_t allocated = need({"AllocCPUS", "NCPUS", "AllocTRES", "ReqCPUS", "ReqTRES"});
  std::size_t requested = find({"ReqCPUS"});
  std::size_t limit_minutes = find({"TimelimitRaw"}), limit = find({"Timelimit"});
  std::size_t partition = find({"Partition"}), state = find({"State"}), nodes = find({"NodeList"});

  std::size_t find(Names wanted) const {
    for (const std::string_view name : wanted)
      for (std::size_t c = 0; c < names.size(); ++c)
        if (equal_any_case(names[c], name)) return c;
    return absent;
  }
  std::size_t need(Names wanted) const {
    if (const std::size_t column = find(wanted); column != absent) return column;
    if (find({"JobID", "JobIDRaw", "Submit"}) == absent) fail_unknown_log(path, number);
    fail_at(path, number,
            "the header has no column " + joined(wanted, ", ") +
                ": write the log with sacct --parsable2 --allocations "
                "--format=JobID,Submit,Eligible,ElapsedRaw,AllocCPUS,TimelimitRaw,Partition");
  }
};

// A line after the header.
struct Line {
  const Header& header;
  std::vector<std::string_view> words;
  std::int64_t number;
  LogNotes& notes;
  std::string refusal = {};  // why the line cannot be used; empty: no reason so far

  // Returns the time in `column`, -1 when there is none. When the text is not a time, the line is refused as one with
  // `problem`, or used without this time when `problem` is empty.
  std::int64_t time_in(std::size_t column, std::string_view problem) {
    const std::int64_t time_s = time_point(words[column]);
    if (time_s < 0)
      note_unreadable(column, problem,
                      "is not a time such as 2026-01-31T08:30:00: write the log without SLURM_TIME_FORMAT, or with "
                      "SLURM_TIME_FORMAT=%s");
    return time_s;
  }
  // Returns the seconds of the duration in `column`, -1 when there is none. A lone number has units of `lone_unit_s`
  // seconds. `problem` is as for time_in().
  std::int64_t duration_in(std::size_t column, std::int64_t lone_unit_s, std::string_view problem) {
    const std::int64_t duration_s = duration(words[column], lone_unit_s);
    if (duration_s < 0)
      note_unreadable(column, problem,
                      "is not a duration such as 1-12:30:00 or 12:30:00: write the log with sacct's columns ElapsedRaw "
                      "and TimelimitRaw");
    return duration_s;
  }

 private:
  void note_unreadable(std::size_t column, std::string_view problem, const std::string& text) {
    if (is_no_value(words[column])) return;
    const std::string reason = "column " + std::string(header.names[column]) + " " + text;
    if (problem.empty())
      notes.repaired("a value that is not used: " + reason, number);
    else
      refusal = std::string(problem) + ": " + reason;
  }
};

std::int64_t limit_of(Line& line) {
  const Header& header = line.header;
  if (header.limit_minutes != Header::absent)
    if (const auto minutes = parse_integer(line.words[header.limit_minutes]);
        minutes && *minutes >= 0 && *minutes < (1 << 30))
      return *minutes * 60;
  return header.limit != Header::absent ? line.duration_in(header.limit, 60, "") : -1;
}

// Returns the leading number of a job id: 1234, 1234_5 (job array) or 1234+1 (heterogeneous job).
std::int64_t job_number(std::string_view word) {
  return parse_integer(word.substr(0, word.find_first_of("_+["))).value_or(-1);
}

// Returns a count such as 1500, or 1.5K as sacct writes it without --noconvert, or the processors of a list of TRES
// such as "billing=8,cpu=8,mem=4G". Returns -1 for any other text.
std::int64_t count(std::string_view text) {
  if (text.find('=') != std::string_view::npos) {
    for (const std::string_view part : split_at(text, ','))
      if (part.starts_with("cpu=")) return count(part.substr(4));
    return -1;
  }
  constexpr std::string_view units = "KMGTP";
  double value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
  if (failure != std::errc{} || !(std::fabs(value) < 1e15) || unit.size() > 1) return -1;
  if (unit.empty()) return value == std::floor(value) ? static_cast<std::int64_t>(value) : -1;
  const std::size_t power = units.find(unit[0]);
  if (power == std::string_view::npos) return -1;
  value *= std::pow(1024.0, static_cast<double>(power + 1));
  return value < 1e15 ? std::llround(value) : -1;
}

// Returns the run time in seconds, -1 when it is not known.
std::int64_t run_of(Line& line) {
  const Header& header = line.header;
  if (header.elapsed == Header::absent) {
    const std::int64_t start_s = line.time_in(header.start, "no run time");
    const std::int64_t end_s = line.time_in(header.end, "no run time");
    return start_s < 0 || end_s < start_s ? -1 : end_s - start_s;
  }
  if (equal_any_case(header.names[header.elapsed], "Elapsed") && parse_integer(line.words[header.elapsed]))
    line.notes.repaired("column Elapsed is a number alone: it counts as seconds, as in ElapsedRaw", line.number);
  return line.duration_in(header.elapsed, 1, "no run time");
}

// Returns the time at which the job started to wait for cores. A job that is held, depends on another job, or has a
// later begin time is not in the queue before it is eligible.
std::int64_t submit_of(Line& line) {
  const std::int64_t submit_s = line.time_in(line.header.submit, "no valid submit time");
  if (submit_s < 0 || line.header.eligible == Header::absent) return submit_s;
  const std::int64_t eligible_s = line.time_in(line.header.eligible, "");
  if (eligible_s > submit_s)
    line.notes.repaired("eligible after its submission (held, dependent or begun later): it waits from then on",
                        line.number);
  return std::max(submit_s, eligible_s);
}

// Adds notes on a job that can be replayed but is unusual.
void note_oddities(const Line& line, std::unordered_set<std::string>& seen) {
  const Header& header = line.header;
  const auto note = [&](std::string_view what) { line.notes.repaired(what, line.number); };
  const std::string_view id = line.words[header.id];
  if (!seen.insert(std::string(id)).second) note("a repeated job ID, perhaps requeued: each line counts as a job");
  if (id.find('+') != std::string_view::npos) note("a component of a heterogeneous job: a job of its own");
  std::string_view cpus = line.words[header.allocated];
  if (const std::size_t tres = cpus.find("cpu="); tres != std::string_view::npos)
    cpus = cpus.substr(tres, cpus.find(',', tres) - tres);
  if (!cpus.empty() && (cpus.back() < '0' || cpus.back() > '9'))
    note("processors with a unit such as K, rounded: write the log with sacct --noconvert");
  if (header.state == Header::absent) return;
  for (const std::string_view going : {"RUNNING", "SUSPENDED", "COMPLETING", "STOPPED"})
    if (equal_any_case(line.words[header.state], going))
      note("had not ended when the log was written: using the time so far");
}

// Returns the record of a line of a job.
LogRecord record_of(Line& line) {
  const Header& header = line.header;
  LogRecord record;
  LogJob& job = record.job;
  job.id = job_number(line.words[header.id]);
  job.array_task = line.words[header.id].find('_') != std::string_view::npos;
  job.submit_s = submit_of(line);
  job.run_s = run_of(line);
  job.limit_s = limit_of(line);
  record.allocated_tasks = count(line.words[header.allocated]);
  if (header.requested != Header::absent) record.requested_tasks = count(line.words[header.requested]);
  if (header.partition != Header::absent) job.partition = line.words[header.partition];
  if (header.start != Header::absent) record.start_s = time_point(line.words[header.start]);
  if (header.nodes != Header::absent && line.words[header.nodes] != "None assigned")
    job.nodes = line.words[header.nodes];
  return record;
}

}  // namespace

bool begins_sacct_log(std::string_view line) {
  if (line.starts_with(';')) return false;
  if (line.find('|') != std::string_view::npos) return true;
  for (const std::string_view name : columns_of(line, column_separator(line)))
    if (equal_any_case(name, "JobID") || equal_any_case(name, "JobIDRaw")) return true;
  return false;
}

std::int64_t time_point(std::string_view text) {
  if (const auto seconds = parse_integer(text)) return *seconds;
  std::string copy(text);
  if (copy.size() > 10 && copy[10] == ' ') copy[10] = 'T';
  std::tm parts{};
  const char* at = strptime(copy.c_str(), "%Y-%m-%d", &parts);
  if (at == nullptr) return -1;
  std::tm day = parts;  // timegm() turns a day beyond the end of a month into one of the next month
  timegm(&day);
  if (day.tm_mday != parts.tm_mday) return -1;
  if (*at != '\0') {
    if ((at = strptime(at, "T%H:%M", &parts)) == nullptr) return -1;
    if (*at == ':' && (at = strptime(at, ":%S", &parts)) == nullptr) return -1;
    if (*at == '.') at += 1 + std::strspn(at + 1, "0123456789");
    if (*at != '\0' && ((at = strptime(at, "%z", &parts)) == nullptr || *at != '\0')) return -1;
  }
  const std::int64_t zone_s = parts.tm_gmtoff;  // timegm() sets it to 0
  return static_cast<std::int64_t>(timegm(&parts)) - zone_s;
}

void read_sacct(LineSource& source, const std::string& header_line, LogNotes& notes, const JobSink& sink,
                std::int32_t processors_per_core) {
  const char separator = column_separator(header_line);
  const Header header{source.path(), source.number(), columns_of(header_line, separator)};
  std::unordered_set<std::string> seen;
  std::string text;
  while (source.next(text)) {
    if (trimmed(text).empty()) continue;
    Line line{header, columns_of(text, separator), source.number(), notes};
    LogRecord record;
    if (text == header_line)
      line.refusal = "the header again";
    else if (line.words.size() != header.names.size())
      line.refusal = "not as many columns as the header";
    else if (line.words[header.id].find('.') != std::string_view::npos)
      line.refusal = "a job step, not a job";
    else
      record = record_of(line);
    if (!line.refusal.empty()) {
      notes.skipped(line.refusal, source.number());
      continue;
    }
    if (auto job = usable_job(std::move(record), source.number(), notes, processors_per_core)) {
      note_oddities(line, seen);
      sink(std::move(*job));
    }
  }
}

}  // namespace placement::sim
