// SPDX-License-Identifier: GPL-2.0-or-later
// placectl explain and placectl decisions: the decisions of slurmctld and their reasons.
#include <algorithm>
#include <cstdlib>

#include "common/decision/step_records.hpp"
#include "common/slurm/slurm_command.hpp"
#include "common/util/text.hpp"
#include "spank/step/slurm_view.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/monitor_input.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/output/decision_text.hpp"

namespace placement::tools {

namespace {

using spank::ShownJob;  // a plain job, one task of a job array or one component of a heterogeneous job

constexpr std::uint32_t no_job = 0xfffffffe;  // Slurm's NO_VAL
constexpr std::string_view record_begin = "placement: job=";

// Returns the name of the job as its user calls it: 42, or 42_7 for a task of an array.
std::string name_of(const ShownJob& job) { return job.array_task.empty() ? std::to_string(job.id) : job.array_task; }

// Returns our part of a system comment; empty if there is none.
std::string record_in(std::string_view comment) {
  const std::size_t begin = comment.find(record_begin);
  if (begin == comment.npos) return {};
  return printable(comment.substr(begin, comment.find(';', begin) - begin));
}

// Returns what slurmctld knows of the job `id`: one entry for a plain job, else one for each task or component. Of the
// system comments, only our part is kept. Tasks of an array that still wait together are left out. Returns nothing if
// slurmctld does not know the job or does not answer, or on a host without a slurm.conf.
std::vector<ShownJob> known_jobs(std::uint32_t id) {
  if (!slurmctld_answers()) return {};
  setenv("SLURM_TIME_FORMAT", "%s", 1);  // SubmitTime in seconds since 1970
  try {
    auto jobs = spank::parse_shown_jobs(SlurmCommand({"scontrol", "show", "job", std::to_string(id)}).text());
    std::erase_if(jobs, [](const ShownJob& job) { return job.array_task.ends_with('_'); });
    for (ShownJob& job : jobs) job.system_comment = record_in(job.system_comment);
    return jobs;
  } catch (const Error&) {
    return {};
  }
}

constexpr Option explain_options[] = {
    {'v', "verbose", nullptr, "also print the reasons that the policy's mapper gives"},
    history_option,
    ring_option,
    json_option,
};

constexpr CommandHelp explain_help{
    "placectl explain [OPTION]... JOBID[_TASK|+OFFSET]",
    "Prints the decisions about a job, even after the job has ended: nodes, costs, allocation, and the reason if it ran as\n"
    "stock. JOBID_TASK names a task of a job array, JOBID+OFFSET a component of a heterogeneous job. See placectl-explain(1).\n",
    explain_options, 1, 1};

constexpr Option decisions_options[] = {
    {'H', "hours", "N", "only decisions of the last N hours [all]"},
    {'l', "list", "N", "also list the last N decisions"},
    history_option,
    ring_option,
    json_option,
};

constexpr CommandHelp decisions_help{
    "placectl decisions [OPTION]...",
    "Summarizes the decisions of slurmctld: number of jobs by policy and outcome, time per\n"
    "decision, and the reasons why jobs ran as stock.\n",
    decisions_options};

struct NamedJob {
  std::uint32_t id = 0;
  std::string array_task;  // such as 42_7; empty: not a task of a job array
  std::string component;   // such as 42+1; empty: not a component of a heterogeneous job
  bool guessed = false;    // the ID of the component is not known from slurmctld
};

// Sets the job ID of a component. slurmctld reports it while it knows the job. Later it is the leader's ID plus the
// offset, because Slurm numbers the components in sequence. Throws Error if the job does not have the component.
void find_component(NamedJob& named, std::int64_t offset) {
  const std::uint32_t leader = named.id;
  const std::vector<ShownJob> jobs = known_jobs(leader);
  for (const ShownJob& job : jobs) {
    if (job.id == leader && job.offset > 0)
      throw Error(formatted("job %u is itself a component, %u+%u: OFFSET counts from the first component, %u", leader,
                            job.leader, job.offset, job.leader));
    if (job.leader == leader && job.offset == offset) {
      named.id = job.id;
      return;
    }
  }
  if (!jobs.empty() || leader + offset >= no_job)
    throw Error("job " + std::to_string(leader) + " has no component " + std::to_string(offset));
  named.id = leader + static_cast<std::uint32_t>(offset);
  named.guessed = offset > 0;
}

NamedJob parse_job(const std::string& name) {
  const auto sign = name.find_first_of("_+");
  const auto job = parse_integer(name.substr(0, sign));
  const auto part = sign == name.npos ? std::optional<std::int64_t>(0) : parse_integer(name.substr(sign + 1));
  if (!job || *job < 1 || *job >= no_job || !part || *part < 0 || *part >= no_job)
    throw UsageError("JOBID " + shown(name) +
                     ": expected a job ID, JOBID_TASK for a task of a job array, or JOBID+OFFSET "
                     "for a component of a heterogeneous job; steps have no decision of slurmctld");
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

// Returns the restarts in the last record of the job, in the decisions or in its system comment; -1: in neither.
std::int64_t recorded_restarts(const ShownJob& job, const std::vector<Decision>& decisions) {
  std::int64_t last = -1;
  for (const Decision& d : decisions)
    if (name_of(job) == job_name(d)) last = std::max<std::int64_t>(last, d.restarts);
  constexpr std::string_view restarts = "restarts=";
  for (const std::string_view word : split_words(job.system_comment))
    if (word.starts_with(restarts)) last = std::max(last, parse_integer(word.substr(restarts.size())).value_or(-1));
  return last;
}

std::string started_since_note(const ShownJob& job) {
  return "# job " + name_of(job) +
         (job.pending ? " has been requeued since: restart " : " was started again since: restart ") +
         std::to_string(job.restarts) + " has no decision" + (job.pending ? " yet" : "") +
         "; the decision above is of an earlier start\n";
}

// Returns the records of the job's steps that the user of this command ran.
std::vector<Decision> own_steps(std::uint32_t job, DecisionInput& input) {
  if (!slurmctld_answers()) return {};
  const std::string cluster = name_of_cluster();
  if (cluster.empty()) return {};
  try {
    return StepRecords::of_user(cluster, std::getenv).of_job(job);
  } catch (const Error& error) {
    input.notes.push_back(error.what());
    return {};
  }
}

// Removes the steps that the decisions describe, and those of other tasks of an array or of an earlier job.
void drop_described(std::vector<Decision>& steps, const std::vector<Decision>& decisions, const NamedJob& job,
                    const std::vector<ShownJob>& jobs) {
  constexpr double most_skew_s = 60;  // between the clocks of hosts
  const double first_s = !decisions.empty() ? decisions.front().at_s
                         : jobs.size() == 1 ? static_cast<double>(jobs.front().submitted_s)
                                            : 0;
  std::erase_if(steps, [&](const Decision& step) {
    return step.at_s < first_s - most_skew_s || (!job.array_task.empty() && step.array_task != job.array_task) ||
           std::ranges::any_of(decisions, [&](const Decision& decision) {
             return decision.step == step.step && decision.array_task == step.array_task &&
                    decision.restarts == step.restarts;
           });
  });
}

std::string step_line(const Decision& step) {
  return "# step " + step.step + (step.array_task.empty() ? "" : " of job " + step.array_task) + ", " +
         shown_time(step.at_s) + (step.given.empty() ? "" : ", on " + step.given) + ": " + step.policy +
         (step.outcome != DECISION_STOCK ? "" : ", " + std::string(slurms_order_term) + step.reason) +
         (step.cost.empty() ? "" : ", " + step.cost + " hop-bytes, in natural order " + step.natural_cost) +
         (step.terms.empty() ? "" : ", " + step.terms.front()) + "\n";
}

// ---- many decisions

std::string sums_table(const std::vector<Decision>& decisions) {
  TextTable table({"POLICY", "<OUTCOME", "DECISIONS", "MEDIAN", "MOST"});
  for (const DecisionSum& sum : sums_of(decisions))
    table.add({sum.policy, sum.outcome, std::to_string(sum.count), shown_microseconds(sum.median_us),
               shown_microseconds(sum.most_us)});
  return table.text();
}

std::string reasons_table(const std::vector<Decision>& decisions) {
  constexpr std::size_t shown_reasons = 10;
  TextTable table({"AS STOCK BECAUSE", "DECISIONS"});
  for (const auto& [reason, times] : stock_reasons(decisions, shown_reasons))
    table.add({reason, std::to_string(times)});
  return table.empty() ? "" : "\n" + table.text();
}

std::string list_table(const std::vector<Decision>& decisions, std::size_t last) {
  TextTable table({"JOB", "<WHEN", "<POLICY", "<OUTCOME", "TIME", "<ALLOCATED"});
  for (std::size_t i = decisions.size() - std::min(last, decisions.size()); i < decisions.size(); ++i) {
    const Decision& d = decisions[i];
    table.add({std::to_string(d.job_id), shown_time(d.at_s), d.policy.empty() ? "-" : d.policy,
               std::string(decision_outcome_names[d.outcome]) + (d.for_start ? "" : " (ahead)"),
               d.time_us > 0 ? shown_microseconds(static_cast<double>(d.time_us)) : "-", d.given});
  }
  return "\n" + table.text();
}

std::string noted(const DecisionInput& input) {
  std::string text = input.told_by.empty() ? "" : "# reported by " + input.told_by + "\n";
  for (const std::string& note : input.notes) text += "# not read: " + note + "\n";
  return text;
}

// Returns whether `decision` may be about the job that was submitted at `submitted_s` and has had this number of
// restarts. Slurm reuses job IDs. A requeue is a new submission.
bool is_of_job(const Decision& decision, std::int64_t restarts, std::int64_t submitted_s) {
  if (decision.submitted_s == 0 || submitted_s == 0) return true;
  return decision.restarts < restarts ? decision.submitted_s <= submitted_s
                                      : decision.restarts == restarts && decision.submitted_s == submitted_s;
}

// Removes decisions about earlier jobs with this number, by what slurmctld knows, or else by the last decision.
void drop_earlier_jobs(std::vector<Decision>& decisions, const std::vector<ShownJob>& jobs) {
  std::map<std::string, Decision> last;  // of each job or task, which may be very many
  for (const Decision& decision : decisions) last.insert_or_assign(job_name(decision), decision);
  std::map<std::string, const ShownJob*> known;
  for (const ShownJob& job : jobs) known.emplace(name_of(job), &job);
  std::erase_if(decisions, [&](const Decision& decision) {
    const std::string name = job_name(decision);
    if (const auto job = known.find(name); job != known.end())
      return !is_of_job(decision, job->second->restarts, job->second->submitted_s);
    const Decision& end = last.at(name);
    return end.uid != decision.uid || !is_of_job(decision, end.restarts, end.submitted_s);
  });
}

}  // namespace

int command_explain(int argc, char** argv) {
  const CommandLine line(explain_help, argc, argv);
  const NamedJob job = parse_job(line.operands()[0]);
  DecisionInput input = read_decisions(line, config_for_records(), job.id, 0);
  if (!job.array_task.empty())
    std::erase_if(input.decisions, [&](const Decision& decision) { return decision.array_task != job.array_task; });
  std::vector<ShownJob> jobs = known_jobs(job.id);
  std::erase_if(jobs, [&](const ShownJob& known) {
    return job.array_task.empty() ? known.leader != 0 && known.id != job.id : known.array_task != job.array_task;
  });
  drop_earlier_jobs(input.decisions, jobs);
  std::vector<Decision> steps = own_steps(job.id, input);
  for (Decision& decision : input.decisions) describe_step(decision, steps);
  drop_described(steps, input.decisions, job, jobs);
  const std::string comment = input.decisions.empty() && jobs.size() == 1 ? jobs.front().system_comment : "";
  std::vector<ShownJob> later = jobs;  // jobs that started again, or wait for it, after their last start on record
  std::erase_if(later, [&](const ShownJob& known) {
    const std::int64_t recorded = recorded_restarts(known, input.decisions);
    return recorded < 0 || recorded >= known.restarts;
  });
  if (input.decisions.empty() && comment.empty() && steps.empty()) {
    std::string text = "no decision for job " + line.operands()[0] +
                       " is on record: it requested no policy, has not started yet, is too old, "
                       "or had no decision (Mode=off, or TREEMATCH=auto without a stored profile)";
    if (!input.told_by.empty()) text += "\n  asked: " + input.told_by;
    for (const std::string& note : input.notes) text += "\n  not read: " + note;
    throw Error(text);
  }
  if (line.has("json")) {
    JsonWriter json;
    json.begin_object();
    decisions_json(json, "decisions", input.decisions);
    decisions_json(json, "other_steps", steps);
    json.member("system_comment", comment).objects("started_since", later, [&](const ShownJob& known) {
      json.member("job", name_of(known), "restarts", known.restarts, "pending", known.pending);
    });
    notes_json(json, input);
    return write_output("", json.end_object().take());
  }
  std::string text;
  const std::string topology = input.decisions.empty() ? "" : shown_topology();
  for (const Decision& decision : input.decisions)
    text += (text.empty() ? "" : "\n") + explained(decision, job.component, topology, line.has("verbose"));
  if (input.decisions.empty())
    text += (comment.empty() ? "" : comment + "\n") + noted(input);
  else if (!input.told_by.empty())
    text += "# reported by " + input.told_by + "\n";
  for (const Decision& step : steps) text += step_line(step);
  for (const ShownJob& known : later) text += started_since_note(known);
  if (job.guessed)
    text += "# slurmctld no longer knows job " + job.component + ": using job " + std::to_string(job.id) + "\n";
  return write_output("", text);
}

int command_decisions(int argc, char** argv) {
  const CommandLine line(decisions_help, argc, argv);
  const auto hours = line.integer("hours", 1, 1000000);
  const auto last = line.integer("list", 1, std::size_t{INT32_MAX});
  const double since_s = hours ? static_cast<double>(std::time(nullptr)) - 3600.0 * *hours : 0;
  const DecisionInput input = read_decisions(line, config_for_records(), 0, since_s);
  if (line.has("json")) {
    JsonWriter json;
    json.begin_object().member("count", input.decisions.size());
    decisions_json(json, "decisions", input.decisions);
    notes_json(json, input);
    return write_output("", json.end_object().take());
  }
  std::string text = input.decisions.empty() ? "no decision is on record\n"
                                             : sums_table(input.decisions) + reasons_table(input.decisions);
  if (last && !input.decisions.empty()) text += list_table(input.decisions, *last);
  return write_output("", text + noted(input));
}

}  // namespace placement::tools
