// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctime>


#include "core/error.hpp"
#include "core/text.hpp"
#include "sim/job_log.hpp"
#include "sim/line_source.hpp"

namespace placement {

namespace {

// 2024-05-01T12:00:00 as seconds since 1970 (UTC), or a plain number of seconds; -1 otherwise.
std::int64_t time_point(std::string_view text) {
  if (const auto seconds = parse_integer(text)) return *seconds;
  std::tm parts{};
  const std::string copy(text);
  const char* stop = strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  return stop != nullptr && *stop == '\0' ? static_cast<std::int64_t>(timegm(&parts)) : -1;
}

// [days-]hours:minutes:seconds, with the parts on the left left out; -1 otherwise.
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

// The columns of interest; the first of the names that the header has.
class Header {
 public:
  Header(std::string_view line, const std::string& path) : names_(split_at(line, '|')) {
    id = need(path, {"JobID"});
    submit = need(path, {"Submit"});
    elapsed = need(path, {"ElapsedRaw", "Elapsed"});
    allocated = need(path, {"AllocCPUS", "NCPUS", "ReqCPUS"});
    requested = find({"ReqCPUS"});
    limit_minutes = find({"TimelimitRaw"});
    limit = find({"Timelimit"});
    partition = find({"Partition"});
  }

  std::size_t columns() const { return names_.size(); }

  std::size_t id, submit, elapsed, allocated, requested, limit_minutes, limit, partition;
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
    fail_at(path, 1, "the header has no column " + list +
                         ": write the log with sacct --parsable2 --allocations "
                         "--format=JobID,Submit,ElapsedRaw,AllocCPUS,TimelimitRaw,Partition");
  }

  std::vector<std::string_view> names_;
};

std::int64_t limit_of(const Header& header, const std::vector<std::string_view>& words) {
  if (header.limit_minutes != Header::absent)
    if (const auto minutes = parse_integer(words[header.limit_minutes]); minutes && *minutes < (1 << 30))
      return *minutes * 60;
  return header.limit != Header::absent ? duration(words[header.limit]) : -1;
}

// 1234, 1234_5 (of an array), 1234+1 (of a heterogeneous job): the leading number.
std::int64_t job_number(std::string_view word) {
  return parse_integer(word.substr(0, word.find_first_of("_+["))).value_or(-1);
}

}  // namespace

void read_sacct(const std::string& path, LogNotes& notes, const JobSink& sink) {
  LineSource source(path);
  std::string first;
  if (!source.next(first)) throw Error(path + ": empty, no header line");
  const Header header(first, path);
  const auto number = [](std::string_view word) { return parse_integer(word).value_or(-1); };
  std::string line;
  while (source.next(line)) {
    if (trimmed(line).empty()) continue;
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
    record.submit_s = time_point(words[header.submit]);
    const std::string_view elapsed = words[header.elapsed];
    record.run_s = elapsed.find(':') == std::string_view::npos ? number(elapsed) : duration(elapsed);
    record.limit_s = limit_of(header, words);
    record.allocated_tasks = number(words[header.allocated]);
    if (header.requested != Header::absent) record.requested_tasks = number(words[header.requested]);
    if (header.partition != Header::absent) record.partition = words[header.partition];
    if (auto job = usable_job(std::move(record), source.number(), notes)) sink(std::move(*job));
  }
}

}  // namespace placement
