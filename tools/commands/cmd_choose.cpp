// SPDX-License-Identifier: GPL-2.0-or-later
// placectl choose: submits a job of stock Slurm to the idle nodes that suit its traffic best.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <utility>

#include "common/slurm/slurm_command.hpp"
#include "common/util/environment.hpp"
#include "common/util/text.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/launch/launchers.hpp"
#include "tools/launch/srun_words.hpp"
#include "tools/map/map_run.hpp"
#include "tools/map/map_task.hpp"

namespace placement::tools {

namespace {

constexpr Option choose_options[] = {
    matrix_option,
    weight_option,
    pattern_option,
    {'p', "policy", "WORD", "POLICY[=KEY=VALUE,..] as for srun -m [TREEMATCH]"},
    {'n', "ntasks", "N", "number of tasks [that of the matrix]"},
    {'N', "nodes", "N", "number of nodes [as few as possible]"},
    {0, "ntasks-per-node", "N", "tasks of each node"},
    {'c', "cpus-per-task", "N", "CPUs of each task [1]"},
    {0, "partition", "NAME", "partition of the job [Slurm's default]"},
    {0, "extra", "N",
     "if Slurm has to choose the nodes, request N more than --nodes, unless the job would\nstart later; \"placectl run --keep\" returns the worst"},
    {0, "print", nullptr, "print the command in place of running it"},
};

constexpr CommandHelp choose_help{
    "placectl choose [OPTION]... -- sbatch|salloc|srun [ARGUMENT]...",
    "Submits a job, and requests by --nodelist the idle nodes on which its ranks communicate best. The cluster needs no\n"
    "plugins. If the job would start later on these nodes than on Slurm's own choice, --nodelist is left out.\n"
    "Example: placectl choose -m app.mat -n 64 -- sbatch job.sh\n",
    choose_options};

// Returns the names of the idle nodes in the partition `name`, or in Slurm's default partition if it is empty.
std::set<std::string> idle_nodes(const std::string& name) {
  std::set<std::string> nodes;
  const std::string text = SlurmCommand({"sinfo", "--noheader", "--Node", "--states=idle", "--format=%N %P"}).text();
  for (const std::string_view line : split_at(text, '\n')) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() != 2) continue;
    const bool is_default = words[1].ends_with('*');
    const std::string_view partition = words[1].substr(0, words[1].size() - (is_default ? 1 : 0));
    if (name.empty() ? is_default : partition == name) nodes.emplace(words[0]);
  }
  return nodes;
}

void set_machine(const CommandLine& line, MapTask& task) {
  task.view = machine_of_slurmctld(name_of_cluster());
  notify("choose", task.view.warning);
  const std::set<std::string> idle = idle_nodes(line.value_or("partition", ""));
  std::int32_t threads = 1;
  for (NodeView& node : task.view.nodes) {
    if (idle.contains(node.name))
      threads = std::max(threads, node.threads_per_core);
    else
      node.core_free.assign(node.core_free.size(), false);
  }
  use_free_cores(task);
  if (const auto nodes = line.integer("nodes", 1, INT32_MAX)) task.request.min_nodes = task.request.max_nodes = *nodes;
  limit_tasks_per_node(line, task.request);
  const std::int64_t cpus = line.integer("cpus-per-task", 1, INT32_MAX).value_or(1);
  task.request.cores_per_task = static_cast<std::int32_t>((cpus + threads - 1) / threads);
}

void set_matrix(const CommandLine& line, MapTask& task) {
  const auto tasks = line.integer("ntasks", 1, CommMatrix::max_ranks);
  if (!task.matrix && !tasks && !(task.pattern && pattern::fixed_ranks(*task.pattern)))
    throw UsageError("--ntasks is missing: the number of tasks");
  if (task.pattern) make_matrix(line, *task.pattern, 1, task);
  if (!task.matrix) task.matrix = silent_matrix(*tasks);
  if (tasks && *tasks != task.matrix->ranks())
    throw UsageError(formatted("--ntasks %d: the matrix has %d ranks", *tasks, task.matrix->ranks()));
}

// Returns the command with the options of the command line that Slurm knows, and `more`.
Words with_options(const CommandLine& line, const Words& words, const MapTask& task, const Words& more) {
  Words result{words[0], "--ntasks=" + std::to_string(task.matrix->ranks())};
  for (const char* const option : {"nodes", "ntasks-per-node", "cpus-per-task", "partition"})
    if (const auto value = line.value(option); value && (more.empty() || option != std::string_view("nodes")))
      result.push_back(std::string("--") + option + "=" + *value);
  result.insert(result.end(), more.begin(), more.end());
  result.insert(result.end(), words.begin() + 1, words.end());
  return result;
}

// Returns when slurmctld would start the job; nothing if it names no start. salloc cannot ask, but has options of srun.
std::optional<Start> start_of(Words words) {
  constexpr std::string_view not_asked[] = {"-Q",        "--quiet", "--no-shell",    "--bell",
                                            "--no-bell", "-K",      "--kill-command"};
  if (words[0] == "salloc") words[0] = "srun";
  std::erase_if(words,
                [&](const std::string& word) { return std::ranges::find(not_asked, word) != std::end(not_asked); });
  return test_only(std::move(words)).start;
}

// Returns why a job with these options must not name nodes; empty if it may.
std::string why_no_nodes(const SrunWords& job) {
  constexpr std::pair<std::string_view, const char*> reasons[] = {
      {"array", "the tasks of an array would wait for the same nodes"},
      {"begin", "other nodes may be idle when the job starts"},
      {"dependency", "other nodes may be idle when the job starts"},
      {"hold", "other nodes may be idle when the job starts"},
      {"nodefile", "the job names its nodes"},
      {"nodelist", "the job names its nodes"}};
  for (const auto& [option, why] : reasons)
    if (job.value(option)) return "--" + std::string(option) + ": " + why;
  return job.unknown.empty() ? "" : job.unknown + ": this option is not known, and may change the start of the job";
}

// Returns the same for a command, with the #SBATCH lines of its script.
std::string why_no_nodes(const Words& words) {
  const std::vector<SrunOption> known = options_in_help(SlurmCommand({words[0], "--help"}).output().text);
  const SrunWords job = parse_srun(words, known);
  std::string why = why_no_nodes(job);
  if (words[0] != "sbatch" || !why.empty()) return why;
  if (!environment_value("SBATCH_ARRAY_INX").empty())
    return "SBATCH_ARRAY_INX: the tasks would wait for the same nodes";
  if (job.value("wrap") || job.program >= words.size()) return {};
  std::ifstream script(words[job.program]);
  for (std::string line; std::getline(script, line) && (line.starts_with('#') || trimmed(line).empty());) {
    if (!line.starts_with("#SBATCH ")) continue;
    Words of_line{words[0]};
    for (const std::string_view option : split_words(std::string_view(line).substr(8))) of_line.emplace_back(option);
    if (why = why_no_nodes(parse_srun(of_line, known)); !why.empty()) return why;
  }
  return {};
}

bool starts_later(const Start& start, const std::optional<Start>& stock) {
  return start.has_to_wait() && (!stock || start.time > stock->time);
}

// Returns the command without nodes, or that with --extra nodes if the job starts no later with them. With a limit of
// 0 for the wait, --switches delays no job. It matters where Slurm heeds the topology only for jobs that ask for it.
Words stock_command(const CommandLine& line, const Words& words, const MapTask& task) {
  const std::string switches = "--switches=1@0";
  Words plain = with_options(line, words, task, {});
  plain.insert(plain.begin() + 2, switches);
  const auto extra = line.integer("extra", 1, INT32_MAX);
  if (!extra) return plain;
  const std::int64_t ranks = task.matrix->ranks(), keep = *line.integer("nodes", 1, INT32_MAX);
  const std::int64_t per_node = line.integer("ntasks-per-node", 1, INT32_MAX).value_or((ranks + keep - 1) / keep);
  const Words larger = with_options(
      line, words, task,
      {switches, "--nodes=" + std::to_string(keep + *extra), "--ntasks-per-node=" + std::to_string(per_node),
       "--ntasks=" + std::to_string((keep + *extra) * per_node)});
  const std::optional<Start> start = start_of(larger);
  if (!start || starts_later(*start, start_of(plain))) {
    notify("choose", std::string("no extra nodes: ") +
                         (start ? "the job would start later with them" : "slurmctld predicts no start with them"));
    return plain;
  }
  notify("choose", "extra nodes of the job: " + std::to_string(*extra) + "; in it, placectl run --keep " +
                       std::to_string(keep) + (task.pattern ? " --ntasks " + std::to_string(ranks) : "") +
                       " returns the worst");
  return larger;
}

// Returns whether other jobs wait for nodes of the partition. They may be started first, on nodes that -w names. Throws
// Error if squeue does not answer.
bool others_wait(const std::string& partition) {
  const std::string reasons =
      SlurmCommand({"squeue", "--noheader", "--states=PENDING", "--partition=" + partition, "--format=%r"}).text();
  return reasons.find("Resources") != std::string::npos || reasons.find("Priority") != std::string::npos;
}

// Returns the command for the nodes of the policy, or the command without nodes and the reason.
Words chosen_command(const CommandLine& line, const Words& words, MapTask& task) {
  const auto as_stock = [&](const std::string& why) {
    notify("choose", "Slurm chooses the nodes: " + why);
    return stock_command(line, words, task);
  };
  const std::string why = why_no_nodes(words);
  if (!why.empty()) return as_stock(why);
  MapOutcome outcome;
  try {
    outcome = run_map(task);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    return as_stock("the idle nodes do not suit the job: " + std::string(error.what()));
  }
  std::map<std::int32_t, std::string> nodes;
  for (const RankPlace& place : outcome.places) nodes.emplace(place.node, task.view.nodes[place.node].name);
  const std::string list = joined(nodes, ",", [](const auto& node) { return node.second; });
  const Words chosen =
      with_options(line, words, task, {"--nodes=" + std::to_string(nodes.size()), "--nodelist=" + list});
  const std::optional<Start> of_stock = start_of(with_options(line, words, task, {})), of_chosen = start_of(chosen);
  if (!of_chosen)
    return as_stock("slurmctld predicts no start on " + list +
                    (words[0] == "sbatch" && !of_stock ? "; the script must be a file or --wrap" : ""));
  if (starts_later(*of_chosen, of_stock))
    return as_stock("the job would start on " + list + " at " + of_chosen->time + ", and on Slurm's nodes " +
                    (of_stock ? "at " + of_stock->time : "at a time that is not known"));
  try {
    if (others_wait(of_chosen->partition))
      return as_stock("other jobs wait in partition " + of_chosen->partition +
                      ", and the job could have to wait longer for nodes that it names");
  } catch (const Error& error) {
    return as_stock("it is not known whether other jobs wait: " + std::string(error.what()));
  }
  notify("choose", list + ": " + to_string(outcome.cost) + " hop-bytes, in natural order on the first idle nodes " +
                       to_string(outcome.natural_cost));
  return chosen;
}

}  // namespace

int command_choose(int argc, char** argv) {
  const Words words = take_command(argc, argv);
  const CommandLine line(choose_help, argc, argv);
  if (words.empty() || (words[0] != "sbatch" && words[0] != "salloc" && words[0] != "srun"))
    throw UsageError("expected sbatch, salloc or srun after --, as in placectl choose -m FILE -n 64 -- sbatch job.sh");
  if (line.has("extra") && !line.has("nodes")) throw UsageError("--extra is in addition to --nodes, which is missing");
  if (std::getenv("SLURM_JOB_ID")) throw Error("this job has its nodes: use placectl run");
  MapTask task = read_task(line, "choose", true);
  set_matrix(line, task);
  Words command;
  if (srun_has_policies()) {
    command = words_with_policy(line, with_options(line, words, task, {}), false);
    notify("choose", "slurmctld chooses the nodes by -m");
  } else {
    set_machine(line, task);
    command = chosen_command(line, words, task);
  }
  if (!line.has("print")) execute(command);
  std::puts(joined(command, " ", quoted).c_str());
  return exit_ok;
}

}  // namespace placement::tools
