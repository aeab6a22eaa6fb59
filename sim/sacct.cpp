// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <unordered_set>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "sim/job_log.hpp"
#include "sim/line_source.hpp"

namespace placement::sim {

namespace {

// Returns the seconds of a duration [days-][hours:]minutes:seconds, -1 for any other text.
std::int64_t duration(std::string_view text) {
  constexpr std::int64_t most = 1 << 30;
  std::int64_t days = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto value = parse_integer(text.substr(0, dash));
    if (!value || *value < 0 || *value > most / 86400) return -1;
    days = *value;
    text.remove_prefix(dash + 1);
  }
  const auto parts = split_at(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return -1;
  std::int64_t seconds = 0;
  for (const std::string_view part : parts) {
    const auto value = parse_integer(part.substr(0, part.find('.')));
    if (!value || *value < 0 || *value > most) return -1;
    seconds = seconds * 60 + *value;
  }
  return seconds + days * 86400;
}

// The numbers of the columns that are read. Where a column can have several names, the first one in the header counts.
class Header {
 public:
  Header(std::string_view line, std::int64_t number, const std::string& path) : names_(split_at(line, '|')) {
    if (find({"JobID"}) == absent && find({"Submit"}) == absent) fail_unknown_log(path, number);
    id = need(path, {"JobID"});
    submit = need(path, {"Submit"});
    eligible = find({"Eligible"});
    elapsed = find({"ElapsedRaw", "Elapsed"});
    start = find({"Start"});
    end = find({"End"});
    if (start == absent || end == absent) elapsed = need(path, {"ElapsedRaw", "Elapsed"});
    allocated = need(path, {"AllocCPUS", "NCPUS", "ReqCPUS"});
    requested = find({"ReqCPUS"});
    limit_minutes = find({"TimelimitRaw"});
    limit = find({"Timelimit"});
    partition = find({"Partition"});
    state = find({"State"});
    nodes = find({"NodeList"});
  }

  std::size_t columns() const { return names_.size(); }

  std::size_t id, submit, eligible, elapsed, start, end, allocated, requested, limit_minutes, limit, partition, state,
      nodes;
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

 private:
  using Names = std::initializer_list<std::string_view>;

  std::size_t find(Names wanted) const {
    for (const std::string_view name : wanted)
      for (std::size_t c = 0; c < names_.size(); ++c)
        if (equal_any_case(names_[c], name)) return c;
    return absent;
  }
  std::size_t need(const std::string& path, Names wanted) const {
    if (const std::size_t column = find(wanted); column != absent) return column;
    std::string list;
    for (const std::string_view name : wanted) list += (list.empty() ? "" : ", ") + std::string(name);
    fail_at(path, 1,
            "the header has no column " + list +
                ": write the log with sacct --parsable2 --allocations "
                "--format=JobID,Submit,Eligible,ElapsedRaw,AllocCPUS,TimelimitRaw,Partition");
  }

  std::vector<std::string_view> names_;
};

std::int64_t limit_of(const Header& header, const std::vector<std::string_view>& words) {
  if (header.limit_minutes != Header::absent)
    if (const auto minutes = parse_integer(words[header.limit_minutes]);
        minutes && *minutes >= 0 && *minutes < (1 << 30))
      return *minutes * 60;
  return header.limit != Header::absent ? duration(words[header.limit]) : -1;
}

// Returns the leading number of a job id: 1234, 1234_5 (job array) or 1234+1 (heterogeneous job).
std::int64_t job_number(std::string_view word) {
  return parse_integer(word.substr(0, word.find_first_of("_+["))).value_or(-1);
}

// Returns a count such as 1500, or 1.5K as sacct writes it without --noconvert; -1 for any other text.
std::int64_t count(std::string_view text) {
  constexpr std::string_view units = "KMGTP";
  double value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
  if (failure != std::errc{} || !(std::fabs(value) < 1e15) || unit.size() > 1) return -1;
  if (unit.empty()) return value == std::floor(value) ? static_cast<std::int64_t>(value) : -1;
  const std::size_t power = units.find(unit[0]);
  if (power == std::string_view::npos) return -1;
  value *= std::pow(1000.0, static_cast<double>(power + 1));
  return value < 1e15 ? std::llround(value) : -1;
}

std::int64_t run_of(const Header& header, const std::vector<std::string_view>& words) {
  if (header.elapsed == Header::absent) {
    const std::int64_t start_s = time_point(words[header.start]);
    const std::int64_t end_s = time_point(words[header.end]);
    return start_s < 0 || end_s < start_s ? -1 : end_s - start_s;
  }
  const std::string_view elapsed = words[header.elapsed];
  return elapsed.find(':') == std::string_view::npos ? parse_integer(elapsed).value_or(-1) : duration(elapsed);
}

// Returns the time at which the job began to wait for cores. A job that is held, depends on another job or has a begin
// time in the future is not in the queue before it is eligible.
std::int64_t submit_of(const Header& header, const std::vector<std::string_view>& words, std::int64_t line,
                       LogNotes& notes) {
  const std::int64_t submit_s = time_point(words[header.submit]);
  if (submit_s < 0 || header.eligible == Header::absent) return submit_s;
  const std::int64_t eligible_s = time_point(words[header.eligible]);
  if (eligible_s > submit_s)
    notes.repaired("eligible after its submission (held, dependent or begun later): it waits from then on", line);
  return std::max(submit_s, eligible_s);
}

// Adds notes on a job that can be replayed but is unusual.
void note_oddities(const Header& header, const std::vector<std::string_view>& words, std::int64_t line,
                   std::unordered_set<std::string>& seen, LogNotes& notes) {
  const std::string_view id = words[header.id];
  if (!seen.insert(std::string(id)).second)
    notes.repaired("a job given before, requeued perhaps: each line is a job", line);
  if (id.find('+') != std::string_view::npos)
    notes.repaired("a component of a heterogeneous job: a job of its own", line);
  const std::string_view cpus = words[header.allocated];
  if (!cpus.empty() && (cpus.back() < '0' || cpus.back() > '9'))
    notes.repaired("processors in thousands and the like, rounded: write the log with sacct --noconvert", line);
  if (header.state == Header::absent) return;
  const std::string_view state = words[header.state];
  for (const std::string_view going : {"RUNNING", "SUSPENDED", "COMPLETING", "STOPPED"})
    if (equal_any_case(state, going))
      notes.repaired("had not ended when the log was written: the time so far is taken", line);
}

}  // namespace

std::int64_t time_point(std::string_view text) {
  if (const auto seconds = parse_integer(text)) return *seconds;
  const std::string copy(text);
  for (const char* format : {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"}) {
    std::tm parts{};
    const char* stop = strptime(copy.c_str(), format, &parts);
    if (stop == nullptr || *stop != '\0') continue;
    std::tm day{};  // timegm() turns a day beyond the end of a month into one of the next month
    day.tm_year = parts.tm_year;
    day.tm_mon = parts.tm_mon;
    day.tm_mday = parts.tm_mday;
    timegm(&day);
    return day.tm_mday == parts.tm_mday ? static_cast<std::int64_t>(timegm(&parts)) : -1;
  }
  return -1;
}

void read_sacct(LineSource& source, LogNotes& notes, const JobSink& sink, std::int32_t processors_per_core) {
  std::string first;
  while (trimmed(first).empty())
    if (!source.next(first)) throw Error(source.path() + ": empty, no header line");
  const Header header(first, source.number(), source.path());
  std::unordered_set<std::string> seen;
  std::string line;
  while (source.next(line)) {
    if (trimmed(line).empty()) continue;
    if (line == first) {
      notes.skipped("the header again", source.number());
      continue;
    }
    const auto words = split_at(line, '|');
    if (words.size() != header.columns()) {
      notes.skipped("not as many columns as the header", source.number());
      continue;
    }
    if (words[header.id].find('.') != std::string_view::npos) {
      notes.skipped("a job step, not a job", source.number());
      continue;
    }
    LogRecord record;
    record.id = job_number(words[header.id]);
    record.array_task = words[header.id].find('_') != std::string_view::npos;
    record.submit_s = submit_of(header, words, source.number(), notes);
    record.run_s = run_of(header, words);
    record.limit_s = limit_of(header, words);
    record.allocated_tasks = count(words[header.allocated]);
    if (header.requested != Header::absent) record.requested_tasks = count(words[header.requested]);
    if (header.partition != Header::absent) record.partition = words[header.partition];
    if (header.start != Header::absent) record.start_s = time_point(words[header.start]);
    if (header.nodes != Header::absent && words[header.nodes] != "None assigned") record.nodes = words[header.nodes];
    if (auto job = usable_job(std::move(record), source.number(), notes, processors_per_core)) {
      note_oddities(header, words, source.number(), seen, notes);
      sink(std::move(*job));
    }
  }
}

}  // namespace placement::sim
