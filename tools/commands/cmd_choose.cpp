// SPDX-License-Identifier: GPL-2.0-or-later
// placectl choose: submits a job of stock Slurm to the idle nodes that suit its traffic best.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "common/slurm/slurm_command.hpp"
#include "common/topology/step_view.hpp"
#include "common/util/environment.hpp"
#include "common/util/hostlist.hpp"
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
     "if Slurm has to choose the nodes, request N more than --nodes, unless the job would\nstart later; \"placectl run --keep\" then returns the nodes that suit the ranks worst"},
    {0, "print", nullptr, "print the command in place of running it"},
};

constexpr CommandHelp choose_help{
    "placectl choose [OPTION]... -- sbatch|salloc|srun [ARGUMENT]...",
    "Submits a job, and requests by --nodelist the idle nodes on which its ranks communicate best. The cluster needs no\n"
    "plugins. If the job would start later on these nodes than on Slurm's own choice, --nodelist is left out.\n"
    "Example: placectl choose -m app.mat -n 64 -- sbatch job.sh\n",
    choose_options};

// The options of a job, from its command line and from the #SBATCH lines of its script. The command line takes
// precedence.
struct JobOptions {
  std::vector<SrunWords> sources;  // the #SBATCH lines, then the command line: a later source takes precedence
  bool has_components = false;     // the job is heterogeneous
  std::string foreign = {};        // what placectl cannot read in the script; empty: nothing

  // Returns the value of an option, or nothing.
  std::optional<std::string> value(std::string_view name) const {
    for (auto source = sources.rbegin(); source != sources.rend(); ++source)
      if (auto value = source->value(name)) return value;
    return std::nullopt;
  }
};

// Reads the options of the command and of its script.
JobOptions options_of_job(const Words& words) {
  const std::vector<SrunOption> known = options_in_help(SlurmCommand({words[0], "--help"}).output().text);
  JobOptions job;
  const SrunWords of_command = parse_srun(words, known);
  job.has_components = std::ranges::find(words, ":") != words.end();
  if (words[0] == "sbatch" && !of_command.value("wrap")) {
    const std::string name = of_command.program < words.size() ? words[of_command.program] : "standard input";
    std::string path = name;
    if (std::error_code ignored; !std::filesystem::exists(path, ignored)) path = path_in_search(path);
    if (!std::filesystem::is_regular_file(path)) {
      job.foreign = name + " is not a regular file";
      path.clear();
    }
    std::ifstream script(path);
    for (std::string line; std::getline(script, line);) {
      const std::string_view text = trimmed(line);
      if (!text.empty() && text[0] != '#') break;  // sbatch reads no options after the first command
      if (line.starts_with("#PBS") || line.starts_with("#BSUB")) job.foreign = "the script has lines of PBS or LSF";
      const bool is_own = line.starts_with("#SBATCH");
      if (!is_own && !line.starts_with("#SLURM")) continue;
      Words of_line = split_quoted(std::string_view(line).substr(is_own ? 7 : 6));
      const std::string first = of_line.empty() ? "" : lower_case(of_line[0]);
      job.has_components |= first == "hetjob" || first == "packjob";
      of_line.insert(of_line.begin(), words[0]);
      job.sources.push_back(parse_srun(of_line, known));
    }
  }
  job.sources.push_back(of_command);
  return job;
}

// Options that set the size of a job. placectl choose and the job's command both accept them.
constexpr const char* size_options[] = {"ntasks", "nodes", "ntasks-per-node", "cpus-per-task"};

// The requested job. Its size comes from the options of placectl or, if they are missing, from the options of the job.
struct Job {
  JobOptions options;
  std::map<std::string_view, std::int64_t> size;  // the values of size_options
  std::string partition;                          // empty: Slurm's default
  std::string no_size;  // an option whose value is not one number, so that Slurm chooses the nodes; otherwise empty

  // Returns the value of one of size_options, or nothing.
  std::optional<std::int64_t> number(std::string_view option) const {
    const auto found = size.find(option);
    return found == size.end() ? std::nullopt : std::optional(found->second);
  }
};

// Returns the requested job. Throws UsageError if placectl and the job's command have an option with different values.
Job read_job(const CommandLine& line, const Words& words) {
  Job job{options_of_job(words), {}, line.value_or("partition", ""), {}};
  const auto differ = [&](const std::string& option, const std::string& own, const std::string& other) {
    if (own != other && (!parse_integer(other) || std::to_string(*parse_integer(other)) != own))
      throw UsageError("--" + option + " " + own + ", but " + words[0] + " has --" + option + "=" + other);
  };
  for (const char* const option : size_options) {
    const auto own = line.integer(option, 1, INT32_MAX);
    if (own) job.size[option] = *own;
    if (const auto other = job.options.sources.back().value(option); other && own)
      differ(option, std::to_string(*own), *other);
    if (const auto value = job.options.value(option); value && !own) {
      if (const auto number = parse_integer(*value); number && *number > 0 && *number <= INT32_MAX)
        job.size[option] = *number;
      else
        job.no_size = "--" + std::string(option) + "=" + *value;
    }
  }
  if (const auto other = job.options.sources.back().value("partition"); other && !job.partition.empty())
    differ("partition", job.partition, *other);
  const std::string variable = words[0] == "sbatch"   ? "SBATCH_PARTITION"
                               : words[0] == "salloc" ? "SALLOC_PARTITION"
                                                      : "SLURM_PARTITION";
  if (job.partition.empty()) job.partition = job.options.sources.back().value("partition").value_or("");
  if (job.partition.empty()) job.partition = environment_value(variable);
  if (job.partition.empty()) job.partition = job.options.value("partition").value_or("");
  const auto nodes = job.number("nodes"), per_node = job.number("ntasks-per-node");
  if (nodes && per_node) job.size.emplace("ntasks", *nodes * *per_node);
  return job;
}

// The idle nodes of a cluster, each with its partitions.
using IdleNodes = std::map<std::string, std::set<std::string>, std::less<>>;

// Returns the idle nodes of the partitions `names`, a list with commas. If `names` is empty, returns those of Slurm's
// default partition.
IdleNodes idle_nodes(const std::string& names) {
  IdleNodes all;
  std::set<std::string> usable;
  const std::string text =
      SlurmCommand({"sinfo", "--noheader", "--all", "--Node", "--states=idle", "--format=%N %P"}).text();
  const std::vector<std::string_view> wanted = split_at(names, ',');
  for (const std::string_view line : split_at(text, '\n')) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() != 2) continue;
    const bool is_default = words[1].ends_with('*');
    const std::string_view partition = words[1].substr(0, words[1].size() - (is_default ? 1 : 0));
    all[std::string(words[0])].emplace(partition);
    if (names.empty() ? is_default : std::ranges::find(wanted, partition) != wanted.end()) usable.emplace(words[0]);
  }
  std::erase_if(all, [&](const auto& node) { return !usable.contains(node.first); });
  return all;
}

// Returns true if the job uses one hardware thread of each core.
bool uses_whole_cores(const Job& job) {
  return job.options.value("hint") == "nomultithread" || job.options.value("ntasks-per-core") == "1" ||
         job.options.value("threads-per-core") == "1" ||
         configuration_of_slurmctld().find("CR_ONE_TASK_PER_CORE") != std::string::npos;
}

// Sets the machine of the task, on which only the cores of idle nodes are free, and the size of the job.
void set_machine(const Job& job, const IdleNodes& idle, MapTask& task) {
  task.view = machine_of_slurmctld(name_of_cluster());
  notify("choose", task.view.warning);
  std::vector<std::string> excluded;
  if (const auto list = job.options.value("exclude"); list && list->find('/') == list->npos)
    excluded = expand_hostlist(*list);
  std::int32_t threads = 1;
  for (NodeView& node : task.view.nodes) {
    if (idle.contains(node.name) && std::ranges::find(excluded, node.name) == excluded.end())
      threads = std::max(threads, node.threads_per_core);
    else
      node.core_free.assign(node.core_free.size(), false);
  }
  // Slurm gives a task CPUs, which are hardware threads unless an option forbids it.
  if (threads > 1 && !uses_whole_cores(job)) {
    task.view = by_threads(task.view);
    threads = 1;
  }
  use_free_cores(task);
  const auto set = [&](std::string_view option, std::int32_t& value) {
    if (const auto size = job.number(option)) value = static_cast<std::int32_t>(*size);
  };
  set("nodes", task.request.min_nodes);
  set("nodes", task.request.max_nodes);
  set("ntasks-per-node", task.request.max_tasks_per_node);
  task.request.equal_tasks_per_node = job.size.contains("ntasks-per-node");
  set("cpus-per-task", task.request.cores_per_task);
  task.request.cores_per_task = (task.request.cores_per_task + threads - 1) / threads;
}

// If the task has no matrix, gives it the matrix of the pattern, or one without traffic. Throws UsageError if the
// number of tasks is missing or is not that of the matrix.
void set_matrix(const CommandLine& line, const Job& job, MapTask& task) {
  const auto tasks = job.number("ntasks");
  if (!task.matrix && !tasks && !(task.pattern && pattern::fixed_ranks(*task.pattern)))
    throw UsageError("--ntasks is missing: the number of tasks");
  if (task.pattern) make_matrix(line, *task.pattern, static_cast<std::size_t>(tasks.value_or(1)), task);
  if (!task.matrix) task.matrix = silent_matrix(*tasks);
  if (tasks && *tasks != task.matrix->ranks())
    throw UsageError(formatted("--ntasks %ld: the matrix has %d ranks", *tasks, task.matrix->ranks()));
}

// Returns the job's command with the number of tasks, with those options of placectl that Slurm has, and with `more`.
// Omits --nodes of placectl if `more` has options.
Words with_options(const CommandLine& line, const Words& words, const MapTask& task, const Words& more) {
  Words result{words[0], "--ntasks=" + std::to_string(task.matrix->ranks())};
  for (const char* const option : {"nodes", "ntasks-per-node", "cpus-per-task", "partition"})
    if (const auto value = line.value(option); value && (more.empty() || option != std::string_view("nodes")))
      result.push_back(std::string("--") + option + "=" + *value);
  result.insert(result.end(), more.begin(), more.end());
  result.insert(result.end(), words.begin() + 1, words.end());
  return result;
}

// Returns when slurmctld would start the job; nothing if slurmctld predicts no start. salloc cannot ask for this, so
// srun asks with the options of salloc. Removes options that srun does not have, and --quiet, which suppresses the
// answer.
std::optional<Start> start_of(Words words) {
  constexpr std::string_view not_asked[] = {"-Q",        "--quiet", "--no-shell",    "--bell",
                                            "--no-bell", "-K",      "--kill-command"};
  const bool is_salloc = words[0] == "salloc";
  std::erase_if(words,
                [&](const std::string& word) { return std::ranges::find(not_asked, word) != std::end(not_asked); });
  if (!is_salloc) return test_only(std::move(words)).start;
  // srun reads SLURM_TIMELIMIT where salloc reads SALLOC_TIMELIMIT, and so on.
  words[0] = "srun";
  Words changes, added;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry, name = text.substr(0, text.find('='));
    if (name.starts_with("SALLOC_")) added.push_back("SLURM_" + std::string(text.substr(7)));
    if (name.starts_with("SLURM_") && name != "SLURM_CONF") changes.push_back("--unset=" + std::string(name));
  }
  changes.insert(changes.end(), added.begin(), added.end());
  return test_only(std::move(words), changes).start;
}

// Returns why the job must not request nodes by name; empty if it may.
std::string why_no_nodes(const Job& job) {
  constexpr std::pair<std::string_view, const char*> reasons[] = {
      {"array", "the tasks of an array would wait for the same nodes"},
      {"clusters", "another cluster may run the job"},
      {"begin", "other nodes may be idle when the job starts"},
      {"dependency", "other nodes may be idle when the job starts"},
      {"hold", "other nodes may be idle when the job starts"},
      {"nodefile", "the job names its nodes"},
      {"nodelist", "the job names its nodes"}};
  for (const auto& [option, why] : reasons)
    if (job.options.value(option)) return "--" + std::string(option) + ": " + why;
  for (const SrunWords& source : job.options.sources)
    if (!source.unknown.empty()) return source.unknown + ": this option is unknown and may delay the start of the job";
  for (const char* const name :
       {"SBATCH_ARRAY_INX", "SLURM_DEPENDENCY", "SBATCH_CLUSTERS", "SALLOC_CLUSTERS", "SLURM_CLUSTERS"})
    if (!environment_value(name).empty()) return std::string(name) + " is set";
  if (!job.options.foreign.empty()) return job.options.foreign;
  if (job.options.has_components) return "the job has several components";
  return job.no_size.empty() ? "" : job.no_size + ": expected one number";
}

bool starts_later(const Start& start, const std::optional<Start>& stock) {
  return start.has_to_wait() && (!stock || start.time > stock->time);
}

// Returns the command without --nodelist. With --extra, the command requests the extra nodes if the job does not start
// later with them. The command has --switches=1@0, because some clusters consider the topology only for jobs with
// --switches. Its time limit of 0 means that the job never waits for it.
Words stock_command(const CommandLine& line, const Job& job, const Words& words, const MapTask& task) {
  const std::string switches = "--switches=1@0";
  Words plain = with_options(line, words, task, {});
  plain.insert(plain.begin() + 2, switches);
  const auto extra = line.integer("extra", 1, INT32_MAX);
  if (!extra || !job.options.foreign.empty()) return plain;
  for (const char* const option : size_options)
    if (job.options.sources.back().value(option)) {
      notify("choose", "no extra nodes: write --" + std::string(option) + " before --");
      return plain;
    }
  const std::int64_t ranks = task.matrix->ranks(), keep = *line.integer("nodes", 1, INT32_MAX);
  const std::int64_t per_node = job.number("ntasks-per-node").value_or((ranks + keep - 1) / keep);
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
  notify("choose", "the job requests extra nodes: " + std::to_string(*extra) + "; in the job, placectl run --keep " +
                       std::to_string(keep) + (task.pattern ? " --ntasks " + std::to_string(ranks) : "") +
                       " returns the nodes that suit the ranks worst");
  return larger;
}

// Returns whether other jobs in the partitions wait for nodes, or have not been considered by slurmctld yet. slurmctld
// may start them first, on the nodes that this job would request. Prints a notice if jobs of other users may be hidden.
// Throws Error if squeue does not answer.
bool others_wait(const std::set<std::string>& partitions) {
  const std::string reasons = SlurmCommand({"squeue", "--noheader", "--all", "--states=PENDING",
                                            "--partition=" + joined(partitions, ","), "--format=%r"})
                                  .text();
  if (config_value(configuration_of_slurmctld(), "PrivateData").find("jobs") != std::string_view::npos &&
      geteuid() != 0)
    notify("choose",
           "PrivateData=jobs hides the jobs of others: this job starts later if one of them waits for its nodes");
  return std::ranges::any_of(split_at(reasons, '\n'), [](std::string_view reason) {
    constexpr std::string_view waiting[] = {"Resources", "Priority", "None", "Nodes_required", "ReqNodeNotAvail"};
    return std::ranges::any_of(waiting, [&](std::string_view word) { return reason.starts_with(word); });
  });
}

// Returns the command with --nodelist for the policy's nodes. If Slurm has to choose the nodes, prints the reason and
// returns stock_command().
Words chosen_command(const CommandLine& line, const Job& job, const IdleNodes& idle, const Words& words,
                     MapTask& task) {
  const auto as_stock = [&](const std::string& why) {
    notify("choose", "Slurm chooses the nodes: " + why);
    return stock_command(line, job, words, task);
  };
  const std::string why = why_no_nodes(job);
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
    return as_stock("the job would start on " + list + " at " + of_chosen->time + ", but on Slurm's nodes " +
                    (of_stock ? "at " + of_stock->time : "at an unknown time"));
  try {
    std::set<std::string> partitions;
    for (const auto& [number, name] : nodes) partitions.insert(idle.at(name).begin(), idle.at(name).end());
    if (others_wait(partitions))
      return as_stock("other jobs wait in partition " + joined(partitions, " or ") +
                      ", so a job that requests nodes by name could wait longer");
  } catch (const Error& error) {
    return as_stock("cannot find out whether other jobs wait: " + std::string(error.what()));
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
  if (std::getenv("SLURM_JOB_ID") && words[0] != "sbatch")
    throw Error("this job already has its nodes: use placectl run");
  MapTask task = read_task(line, "choose", true);
  const Job job = read_job(line, words);
  set_matrix(line, job, task);
  Words command;
  if (srun_has_policies()) {
    command = words_with_policy(line, with_options(line, words, task, {}), false);
    notify("choose", "slurmctld chooses the nodes by -m");
  } else {
    const IdleNodes idle = idle_nodes(job.partition);
    set_machine(job, idle, task);
    command = chosen_command(line, job, idle, words, task);
  }
  if (!line.has("print")) execute(command);
  std::puts(joined(command, " ", quoted).c_str());
  return exit_ok;
}

}  // namespace placement::tools
