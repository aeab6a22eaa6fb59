// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <map>
#include <optional>
#include <unordered_set>

#include "common/util/text.hpp"
#include "sim/job_log.hpp"
#include "sim/line_source.hpp"

namespace placement::sim {

namespace {

// The columns that are read, counted from 0; the format has 18.
enum Column {
  job_id = 0,
  submit = 1,
  run = 3,
  allocated = 4,
  requested = 7,
  limit = 8,
  status = 10,
  partition = 15,
  preceding = 16
};
constexpr std::size_t columns = 18;
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

}  // namespace

void read_swf(LineSource& source, std::string line, LogNotes& notes, const JobSink& sink,
              std::int32_t processors_per_core) {
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

}  // namespace placement::sim
