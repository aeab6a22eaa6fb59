// SPDX-License-Identifier: GPL-2.0-or-later
// placectl predict: when and where a job would start, and what it would cost, without submitting it.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "common/policy/config.hpp"
#include "common/state/controller_state.hpp"
#include "common/util/text.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/monitor_input.hpp"
#include "tools/output/decision_text.hpp"

namespace placement::tools {

namespace {

constexpr Option predict_options[] = {{'j', "json", nullptr, "print JSON; write this option before srun's options"}};

constexpr CommandHelp predict_help{
    "placectl predict [--json] SRUN-OPTION... [PROGRAM]",
    "Prints when and on which nodes a job with these options would start, and the decision of its policy. slurmctld\n"
    "answers as for srun --test-only. No job is submitted. Example: placectl predict -n64 -m TREEMATCH=app.mat\n",
    predict_options};

// Asks srun, and writes the rest of its output to standard error. Throws Error or (--quiet) UsageError without a start.
Start ask_srun(std::vector<std::string> words) {
  words.insert(words.begin(), "srun");
  const TestedStart tested = test_only(std::move(words));
  std::fputs(tested.other_lines.c_str(), stderr);
  if (tested.start) return *tested.start;
  if (tested.other_lines.empty() && tested.exit_code == 0)
    throw UsageError("remove --quiet (-Q): srun then does not print the start time");
  for (const char* const word : {"unrecognized option '--json'", "invalid option -- 'j'"})
    if (tested.other_lines.find(word) != std::string::npos)
      throw UsageError("write --json (-j) before srun's options, as in: placectl predict --json -n64");
  throw Error("slurmctld predicts no start of this job; see the message of srun above");
}

// Returns whether the planned start is in ten years: behind a job without a time limit it is centuries ahead.
bool is_foreseeable(const Start& start) {
  constexpr std::time_t ten_years_s = 10LL * 366 * 86400;
  return start.seconds < ten_years_s;
}

int write_json(const Start& start, const DecisionInput& input) {
  JsonWriter json;
  json.begin_object().member("start", start.time, "nodes", start.nodes, "processors", start.processors);
  json.member("partition", start.partition, "waits", start.has_to_wait(), "foreseeable", is_foreseeable(start));
  decisions_json(json, "decisions", input.decisions);
  notes_json(json, input);
  return write_output("", json.end_object().take());
}

// Returns why no decision about a job that starts at once is on record.
std::string why_no_decision(const Start& start) {
  // slurmctld has just answered srun, so a state that cannot be read is treated as one without a failure.
  const ControllerInput input = read_controller();
  ControllerState controller = input.state.value_or(ControllerState());
  if (!controller.failure.empty()) return "placement is off in slurmctld: " + controller.failure;
  if (controller.mode == mode_names[PLACEMENT_OFF]) return "Mode=off in slurmctld: every job runs as under stock Slurm";
  if (const auto settings = settings_in_force(input))
    for (const auto& [partition, mode] : settings->partition_modes)
      if (partition == start.partition) controller.mode = mode_names[mode];
  if (!controller.mode.empty() && controller.mode != mode_names[PLACEMENT_ENFORCE])
    return "Mode=" + controller.mode + " in slurmctld for partition " + start.partition +
           ": the job would run as under stock Slurm; in this mode slurmctld only makes a decision when a job starts";
  return "no recorded decision. Possible causes: the options name no policy; an option such as --contiguous makes Slurm "
         "choose the nodes; -m POLICY=auto finds no profile; this host cannot read the records; there are too many queries (50 per "
         "second)";
}

int write_text(const Start& start, const DecisionInput& input) {
  const std::string when = is_foreseeable(start) ? "would start at " + start.time : "start not foreseeable, planned";
  std::string text =
      when + " on " + start.nodes + ", " + start.processors + " processors of partition " + start.partition + "\n";
  const std::string topology = input.decisions.empty() ? "" : shown_topology();
  for (const Decision& decision : input.decisions) text += explained(decision, "", topology);
  if (input.decisions.empty())
    text +=
        start.has_to_wait()
            ? "the job has to wait, so the nodes above are Slurm's plan; when the job starts, the policy chooses among the "
              "nodes that are then free\n"
            : why_no_decision(start) + "\n";
  for (const std::string& note : input.notes)
    if (input.decisions.empty() && !start.has_to_wait()) text += "# not read: " + note + "\n";
  return write_output("", text);
}

}  // namespace

int command_predict(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "-h" || first == "--help") throw HelpWanted(help_text(predict_help));
  const bool json = first == "-j" || first == "--json";
  if (argc < (json ? 3 : 2))
    throw UsageError("expected options of srun, as in: placectl predict -n64 -m TREEMATCH=app.mat");
  if (const char* job = std::getenv("SLURM_JOB_ID"))
    throw Error("inside of job " + shown(job) +
                ", srun would start a step of that job: run placectl predict outside of an allocation");
  for (int k = 1; k < argc; ++k)
    if (argv[k] == std::string_view(":"))
      throw UsageError("':' starts another component of a heterogeneous job: run placectl predict once per component");
  // Slurm reuses the ID of a predicted job, so only decisions from now on are about this job. The time of a decision is
  // by the clock of slurmctld's host, which may differ from this host's clock. So decisions that are on record before
  // are left out, too.
  constexpr double clocks_differ_s = 10;
  const double since_s = static_cast<double>(std::time(nullptr)) - clocks_differ_s;
  const CommandLine own(predict_help, 1, argv);  // has no options: the records are at their default locations
  const Config config = config_for_records();
  const auto earlier = read_decisions(own, config, 0, since_s, RecordKind::predictions).decisions;
  const Start start = ask_srun(std::vector<std::string>(argv + (json ? 2 : 1), argv + argc));
  DecisionInput input = read_decisions(own, config, start.job, since_s, RecordKind::predictions);
  std::erase_if(input.decisions, [&](const Decision& one) {
    const auto is_one = [&](const Decision& other) { return other.job_id == one.job_id && other.at_s == one.at_s; };
    return one.uid != getuid() || std::ranges::any_of(earlier, is_one);
  });
  if (input.decisions.size() > 1) input.decisions.erase(input.decisions.begin(), input.decisions.end() - 1);
  return json ? write_json(start, input) : write_text(start, input);
}

}  // namespace placement::tools
