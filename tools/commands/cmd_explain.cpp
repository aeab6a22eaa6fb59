// SPDX-License-Identifier: GPL-2.0-or-later
// placectl explain and placectl decisions: the decisions of slurmctld and their reasons.
#include <slurm/slurm.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>

#include "common/topology/slurm_hosts.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "spank/step/scontrol.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/decision_input.hpp"
#include "tools/input/settings_in_force.hpp"
#include "tools/output/decision_text.hpp"
#include "tools/output/json.hpp"
#include "tools/output/output.hpp"
#include "tools/output/text_table.hpp"

namespace placement::tools {

namespace {

constexpr Option decisions_json_option{'j', "json", nullptr, "in JSON"};
constexpr Option explain_options[] = {history_option, ring_option, decisions_json_option};

constexpr CommandHelp explain_help{
    "placectl explain",
    "[OPTION]... JOBID[_TASK|+OFFSET]",
    "Tells what was decided for a job, also long after it has ended: the nodes that the policy could\n"
    "choose from, what it wanted and why, how old the live data were, what Slurm allocated, what Slurm\n"
    "itself would have taken where it was asked, and why the job ran as stock if it did. A job that\n"
    "was requeued has one decision for each start; one that was told to wait (NLA's wait=) has one for\n"
    "that too, at most every ten minutes. Of a job array JOBID_TASK names one task, JOBID all of them.\n"
    "JOBID+OFFSET names a component of a heterogeneous job, whose steps have no decisions of their own.\n",
    explain_options,
    1,
    1};

constexpr Option decisions_options[] = {
    {'H', "hours", "N", "of the last N hours [all]"},
    {'l', "list", "N", "also list the last N decisions"},
    history_option,
    ring_option,
    decisions_json_option,
};

constexpr CommandHelp decisions_help{
    "placectl decisions",
    "[OPTION]...",
    "Sums up what slurmctld decided: how many jobs by policy and outcome, the time that a decision\n"
    "took, and the reasons for which jobs ran as stock.\n",
    decisions_options,
    0,
    0};

void notes_json(JsonWriter& json, const DecisionInput& input) {
  json.member("told_by", input.told_by).key("notes").begin_array();
  for (const std::string& note : input.notes) json.value(note);
  json.end_array();
}

// A job as its user names it.
struct NamedJob {
  std::uint32_t id = 0;
  std::string array_task;  // such as 42_7; empty: not a task of a job array
  std::string component;   // such as 42+1; empty: not a component of a heterogeneous job
  bool guessed = false;    // the ID of the component is not known from slurmctld
};

[[noreturn]] void fail_name(const std::string& name) {
  throw UsageError("JOBID " + shown(name) + ": it takes the number of a job, JOBID_TASK for a task of a job array, or JOBID+OFFSET "
                   "for a component of a heterogeneous job; slurmctld decides about jobs, not about steps");
}

// Returns the value of the field "NAME=value" in a line of scontrol, or an empty text.
std::string field_in(std::string_view line, std::string_view name) {
  for (const std::string_view word : split_words(line))
    if (word.starts_with(name)) return std::string(word.substr(name.size()));
  return {};
}

// Sets the job ID of a component. slurmctld tells it while it knows the job. Later it is taken for the leader's ID plus
// the offset, because Slurm numbers the components one after the other. Throws Error when the job has no such component.
void find_component(NamedJob& named, std::int64_t offset) {
  const std::uint32_t leader = named.id;
  std::string jobs;
  try {
    if (may_exist(slurm_conf_path())) jobs = spank::scontrol({"-o", "show", "job", std::to_string(leader).c_str()});
  } catch (const Error&) {  // slurmctld does not know the job any more
  }
  for (const std::string_view line : split_at(jobs, '\n'))
    if (field_in(line, "HetJobOffset=") == std::to_string(offset))
      if (const auto id = parse_integer(field_in(line, "JobId=")); id && *id > 0 && *id < NO_VAL) {
        named.id = static_cast<std::uint32_t>(*id);
        return;
      }
  if (!jobs.empty() || leader + offset >= NO_VAL)
    throw Error("job " + std::to_string(leader) + " has no component " + std::to_string(offset));
  named.id = leader + static_cast<std::uint32_t>(offset);
  named.guessed = offset > 0;
}

NamedJob parse_job(const std::string& name) {
  const auto sign = name.find_first_of("_+");
  const auto job = parse_integer(name.substr(0, sign));
  const auto part = sign == name.npos ? std::optional<std::int64_t>(0) : parse_integer(name.substr(sign + 1));
  if (!job || *job < 1 || *job >= NO_VAL || !part || *part < 0 || *part >= NO_VAL) fail_name(name);
  NamedJob named{static_cast<std::uint32_t>(*job), {}, {}};
  if (sign == name.npos) return named;
  const std::string shown_name = std::to_string(*job) + name[sign] + std::to_string(*part);
  if (name[sign] == '_') {
    named.array_task = shown_name;
  } else {
    named.component = shown_name;
    find_component(named, *part);
  }
  return named;
}

std::string system_comment_in(std::string_view shown_jobs, std::uint32_t job) {
  bool is_asked = false;
  for (const std::string_view line : split_at(shown_jobs, '\n')) {
    const std::string_view field = trimmed(line);
    if (field.starts_with("JobId=")) is_asked = split_words(field)[0].substr(6) == std::to_string(job);
    if (is_asked && field.starts_with("SystemComment=")) return std::string(field.substr(14));
  }
  return {};
}

// Returns what the plugin wrote into the job's system comment; empty when slurmctld does not know the job. Without a
// slurm.conf, libslurm would search for one for a minute, so it is not called then.
std::string system_comment(std::uint32_t job) {
  if (!may_exist(slurm_conf_path())) return {};
  std::string text;
  try {
    text = system_comment_in(spank::scontrol({"show", "job", std::to_string(job).c_str()}), job);
  } catch (const Error&) {
    return {};
  }
  const std::size_t begin = text.find("placement: ");
  if (begin == std::string::npos) return {};
  return shown(text.substr(begin, text.find(';', begin) - begin));
}

// ---- many decisions

struct Sum {
  std::int64_t count = 0;
  std::vector<std::int64_t> times_us;
};

std::string sums_table(const std::vector<Decision>& decisions) {
  std::map<std::pair<std::string, std::string>, Sum> sums;
  for (const Decision& d : decisions) {
    Sum& sum = sums[{d.policy.empty() ? "-" : d.policy, std::string(outcome_name(d)) + (d.for_start ? "" : " (ahead)")}];
    ++sum.count;
    if (!d.remembered && d.time_us > 0) sum.times_us.push_back(d.time_us);
  }
  TextTable table({"POLICY", "<OUTCOME", "DECISIONS", "MEDIAN", "MOST"});
  for (auto& [key, sum] : sums) {
    std::sort(sum.times_us.begin(), sum.times_us.end());
    const bool timed = !sum.times_us.empty();
    table.add({key.first, key.second, std::to_string(sum.count),
               timed ? shown_microseconds(static_cast<double>(sum.times_us[sum.times_us.size() / 2])) : "-",
               timed ? shown_microseconds(static_cast<double>(sum.times_us.back())) : "-"});
  }
  return table.text();
}

std::string reasons_table(const std::vector<Decision>& decisions) {
  std::map<std::string, std::int64_t> count;
  for (const Decision& d : decisions)
    if (d.outcome == DECISION_STOCK) ++count[d.reason.empty() ? "?" : d.reason];
  if (count.empty()) return {};
  std::vector<std::pair<std::int64_t, std::string>> most;
  for (const auto& [reason, times] : count) most.emplace_back(-times, reason);
  std::sort(most.begin(), most.end());
  constexpr std::size_t shown_reasons = 10;
  most.resize(std::min(most.size(), shown_reasons));
  TextTable table({"AS STOCK BECAUSE", "DECISIONS"});
  for (const auto& [times, reason] : most) table.add({reason, std::to_string(-times)});
  return "\n" + table.text();
}

std::string list_table(const std::vector<Decision>& decisions, std::size_t last) {
  TextTable table({"JOB", "<WHEN", "<POLICY", "<OUTCOME", "TIME", "<ALLOCATED"});
  for (std::size_t i = decisions.size() - std::min(last, decisions.size()); i < decisions.size(); ++i) {
    const Decision& d = decisions[i];
    table.add({std::to_string(d.job_id), shown_time(d.at_s), d.policy.empty() ? "-" : d.policy,
               std::string(outcome_name(d)) + (d.for_start ? "" : " (ahead)"),
               d.time_us > 0 ? shown_microseconds(static_cast<double>(d.time_us)) : "-", d.given});
  }
  return "\n" + table.text();
}

std::string noted(const DecisionInput& input) {
  std::string text = input.told_by.empty() ? "" : "# told by " + input.told_by + "\n";
  for (const std::string& note : input.notes) text += "# not read: " + note + "\n";
  return text;
}

}  // namespace

int command_explain(int argc, char** argv) {
  const CommandLine line(explain_help, argc, argv);
  if (line.wants_help()) {
    write_output("", help_text(explain_help));
    return exit_ok;
  }
  const NamedJob job = parse_job(line.operands()[0]);
  DecisionInput input = read_decisions(line, config_for_records(), job.id, 0);
  if (!job.array_task.empty())
    std::erase_if(input.decisions, [&](const Decision& decision) { return decision.array_task != job.array_task; });
  const std::string comment = input.decisions.empty() && job.array_task.empty() ? system_comment(job.id) : "";
  if (input.decisions.empty() && comment.empty()) {
    std::string text = "no decision for job " + line.operands()[0] + " is on record: it asked for no policy, it has not started yet, it is too long ago, "
                       "or no decision was made (Mode=off, or TREEMATCH=auto without a stored profile)";
    if (!input.told_by.empty()) text += "\n  asked: " + input.told_by;
    for (const std::string& note : input.notes) text += "\n  not read: " + note;
    throw Error(text);
  }
  if (line.has("json")) {
    JsonWriter json;
    json.begin_object().key("decisions").begin_array();
    for (const Decision& decision : input.decisions) decision_json(json, decision);
    json.end_array().member("system_comment", comment);
    notes_json(json, input);
    write_output("", json.end_object().take());
    return exit_ok;
  }
  std::string text;
  for (const Decision& decision : input.decisions) text += (text.empty() ? "" : "\n") + explained(decision, job.component);
  if (input.decisions.empty())
    text += comment + "\n" + noted(input);
  else if (!input.told_by.empty())
    text += "# told by " + input.told_by + "\n";
  if (job.guessed) text += "# slurmctld does not know job " + job.component + " any more: it is taken for job " + std::to_string(job.id) + "\n";
  write_output("", text);
  return exit_ok;
}

int command_decisions(int argc, char** argv) {
  const CommandLine line(decisions_help, argc, argv);
  if (line.wants_help()) {
    write_output("", help_text(decisions_help));
    return exit_ok;
  }
  const auto hours = line.integer("hours", 1, 1000000);
  const auto last = line.integer("list", 1, INT32_MAX);
  const double since_s = hours ? static_cast<double>(std::time(nullptr)) - 3600.0 * static_cast<double>(*hours) : 0;
  const DecisionInput input = read_decisions(line, config_for_records(), 0, since_s);
  if (line.has("json")) {
    JsonWriter json;
    json.begin_object().member("count", static_cast<std::int64_t>(input.decisions.size())).key("decisions").begin_array();
    for (const Decision& decision : input.decisions) decision_json(json, decision);
    json.end_array();
    notes_json(json, input);
    write_output("", json.end_object().take());
    return exit_ok;
  }
  std::string text = input.decisions.empty() ? "no decision is on record\n" : sums_table(input.decisions) + reasons_table(input.decisions);
  if (last && !input.decisions.empty()) text += list_table(input.decisions, static_cast<std::size_t>(*last));
  write_output("", text + noted(input));
  return exit_ok;
}

}  // namespace placement::tools
