// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/known_job.hpp"

#include "common/topology/slurm_hosts.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "spank/step/scontrol.hpp"

namespace placement::tools {

namespace {

constexpr std::string_view record_begin = "placement: job=";

// Returns the value of the field "NAME=value" of a line, or an empty text.
std::string_view field_in(std::string_view line, std::string_view name) {
  for (const std::string_view word : split_words(line))
    if (word.starts_with(name)) return word.substr(name.size());
  return {};
}

std::optional<std::uint32_t> number_in(std::string_view line, std::string_view name) {
  const auto number = parse_integer(field_in(line, name));
  return number && *number >= 0 && *number < UINT32_MAX ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

// Reads the first line of a job. What follows JobName= is its user's own text.
KnownJob parse_first_line(std::string_view line) {
  const std::string_view ids = line.substr(0, line.find(" JobName="));
  KnownJob job;
  job.id = number_in(ids, "JobId=").value_or(0);
  job.name = std::to_string(job.id);
  job.leader = number_in(ids, "HetJobId=").value_or(0);
  job.offset = number_in(ids, "HetJobOffset=");
  const auto array = number_in(ids, "ArrayJobId="), task = number_in(ids, "ArrayTaskId=");
  if (array) job.name = task ? std::to_string(*array) + "_" + std::to_string(*task) : "";
  return job;
}

// Returns our part of a system comment.
std::string record_in(std::string_view comment) {
  const std::size_t begin = comment.find(record_begin);
  if (begin == comment.npos) return {};
  return printable(comment.substr(begin, comment.find(';', begin) - begin));
}

}  // namespace

std::vector<KnownJob> parse_known_jobs(std::string_view shown_jobs) {
  std::vector<KnownJob> jobs;
  for (const std::string_view line : split_at(shown_jobs, '\n')) {
    const std::string_view field = trimmed(line);
    if (line.starts_with("JobId=")) jobs.push_back(parse_first_line(field));
    if (jobs.empty()) continue;
    if (field.starts_with("JobState=")) jobs.back().pending = field_in(field, "JobState=") == "PENDING";
    if (field.starts_with("Requeue=")) jobs.back().restarts = number_in(field, "Restarts=").value_or(0);
    if (field.starts_with("SystemComment=")) jobs.back().record = record_in(field);
  }
  std::erase_if(jobs, [](const KnownJob& job) { return job.name.empty(); });
  return jobs;
}

// Without a slurm.conf, libslurm would search for one for a minute, so scontrol is not called then.
std::vector<KnownJob> known_jobs(std::uint32_t id) {
  if (!may_exist(slurm_conf_path())) return {};
  try {
    return parse_known_jobs(spank::scontrol({"show", "job", std::to_string(id).c_str()}));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace placement::tools
