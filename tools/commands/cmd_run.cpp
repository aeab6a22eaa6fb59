// SPDX-License-Identifier: GPL-2.0-or-later
// placectl run: starts an MPI program by its own launcher, ranks placed by a policy. placectl bind: its part on nodes.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include "common/policy/config.hpp"
#include "common/slurm/slurm_command.hpp"
#include "common/topology/step_view.hpp"
#include "common/util/environment.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/text.hpp"
#include "policies/table.hpp"
#include "spank/profile/learned_profile.hpp"
#include "spank/profile/profile_store.hpp"
#include "spank/step/slurm_view.hpp"
#include "spank/task/bind_plan.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/launch/launchers.hpp"
#include "tools/launch/local_rank.hpp"
#include "tools/map/map_run.hpp"
#include "tools/map/map_task.hpp"

namespace placement::tools {

namespace {

constexpr Option run_options[] = {
    matrix_option,
    pattern_option,
    {0, "auto", nullptr, "the stored profile of the program (placement-profile)"},
    {'n', "ntasks", "N",
     "number of ranks [that of the matrix or of the launcher's options, or all\ntasks of the allocation]"},
    {'p', "policy", "WORD", "POLICY[=KEY=VALUE,..] as for srun -m [TREEMATCH]"},
    {0, "profile", nullptr, "count the traffic of the program (placement-profile) for later runs with --auto"},
    {0, "keep", "N", "keep the N nodes of the job that suit the ranks best; return the others to Slurm"},
    {0, "print", nullptr, "print a shell script instead of starting the program"},
    {0, "strict", nullptr, "do not start the program if the ranks cannot be placed"},
};

constexpr CommandHelp run_help{
    "placectl run [OPTION]... -- LAUNCHER [ARGUMENT]... PROGRAM [ARGUMENT]...",
    "Inside a Slurm allocation, starts PROGRAM by srun, Open MPI's mpirun, mpiexec of MPICH and Intel MPI, or torchrun, with\n"
    "each rank on the node and cores that the policy chooses. The cluster needs no plugins. If the ranks cannot be placed,\n"
    "PROGRAM starts as without placectl, and a message gives the reason.\n"
    "Examples: placectl run -m app.mat -- srun ./app\n"
    "          placectl run --pattern tp=8,dp=4 -n 32 -- srun torchrun --nproc-per-node=8 train.py\n",
    run_options};

std::string with_path(std::string text, std::string_view marker, const std::string& path) {
  for (std::size_t at; (at = text.find(marker)) != text.npos;) text.replace(at, marker.size(), path);
  return text;
}

void set_paths(const std::string& file, const std::string& script, Launch& launch) {
  const auto set = [&](std::string& text) {
    text = with_path(with_path(text, file_marker, file), script_marker, script);
  };
  for (std::string& word : launch.words) set(word);
  for (auto& [name, value] : launch.environment) set(value);
}

void print_launch(Launch launch) {
  const auto here = [](const char* name, const std::string& text) {
    if (!text.empty()) std::printf("cat >%s <<'END'\n%sEND\n", name, text.c_str());
  };
  here("placement.order", launch.file);
  here("placement.sh", launch.script);
  if (!launch.script.empty()) std::puts("chmod +x placement.sh");
  set_paths("./placement.order", "./placement.sh", launch);
  for (const auto& [name, value] : launch.environment)
    std::printf("export %s=%s\n", name.c_str(), quoted(value).c_str());
  std::puts(joined(launch.words, " ", quoted).c_str());
}

// Writes the text where the launcher reads it, and returns the path. A file in memory ends with the launcher.
std::string path_with(const std::string& text, bool on_nodes) {
  if (text.empty()) return {};
  if (on_nodes) {
    std::string path = std::filesystem::absolute("placement-" + environment_value("SLURM_JOB_ID") + "-" +
                                                 std::to_string(getpid()) + ".order")
                           .string();
    write_output(path, text);
    return path;
  }
  const int number = file_in_memory(text, true);
  if (number < 0) throw Error(std::string("cannot create a file in memory: ") + std::strerror(errno));
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(number);
}

// Writes the files that the launcher reads. Throws Error if it cannot.
void write_files(Launch& launch) {
  set_paths(path_with(launch.file, launch.on_nodes), path_with(launch.script, false), launch);
  launch.file.clear();
  launch.script.clear();
}

void set_variables(const std::vector<std::pair<std::string, std::string>>& variables) {
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
}

// Throws CannotPlace if the launcher's file cannot be written.
[[noreturn]] void start(Launch launch) {
  try {
    write_files(launch);
  } catch (const Error& error) {
    throw CannotPlace(error.what());
  }
  set_variables(launch.environment);
  execute(launch.words);
}

// Returns the run whose profile is stored. Throws UsageError if the program or the number of ranks is not known.
spank::ProgramRun run_of(const CommandLine& line, const Words& words, const AllocationStep& step) {
  const Words program = program_of(words);
  if (program.empty()) throw UsageError("--auto, --profile: the program was not found in the command line");
  const auto ranks =
      step.ranks ? step.ranks : parse_integer(line.value_or("ntasks", environment_value("SLURM_NTASKS")));
  if (!ranks) throw UsageError("--auto, --profile: the number of ranks is unknown: use --ntasks");
  return spank::program_run(program, static_cast<std::int32_t>(*ranks), std::filesystem::current_path().string(),
                            environment_value("PATH"));
}

// Starts the command under placement-profile, which writes the profile into the user's store.
[[noreturn]] void start_profiled(const CommandLine& line, Words words) {
  const Launcher* const launcher = find_launcher(words);
  if (!launcher) throw Error(words[0] + " is not a supported launcher: use " + launcher_names());
  const spank::ProgramRun run = run_of(line, words, launcher->step(words));
  const spank::ProfileStore store = spank::ProfileStore::of_user(std::getenv);
  const std::string file = store.file_for(run);
  store.note_arguments(run);
  std::filesystem::path profiler = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "placement-profile";
  if (!std::filesystem::exists(profiler)) profiler = "placement-profile";
  words.insert(words.begin(), {profiler.string(), "-o", file});
  execute(words);
}

// Takes the matrix of the stored profile. Throws CannotPlace if there is none.
void take_profile(const spank::ProgramRun& run, MapTask& task) {
  const spank::UsableProfile profile =
      spank::usable_profile(spank::ProfileStore::of_user(std::getenv), run, policies::weight_of(task.spec.parameters));
  if (!profile.matrix) throw CannotPlace(profile.told);
  notify("run", profile.told);
  task.matrix = profile.matrix;
}

std::string summary(const Mapping& mapping, const Launch& launch) {
  const MapOutcome& outcome = mapping.outcome;
  const std::size_t nodes = mapping.task.view.nodes.size();
  std::string text = std::to_string(outcome.places.size() * static_cast<std::size_t>(mapping.task.processes_per_rank)) +
                     " ranks on " + std::to_string(nodes) + (nodes == 1 ? " node" : " nodes") + " by " +
                     mapping.task.spec.policy + " and " + launch.method;
  if (mapping.task.without_matrix || launch.own_order) return text;
  text += ": " + to_string(outcome.cost) + " hop-bytes, in natural order " + to_string(outcome.natural_cost);
  if (outcome.step.cost_of_best_order)
    text += ", in the best order, which MPI cannot read, " + to_string(*outcome.step.cost_of_best_order) +
            worse_text(outcome.step, mapping.task.spec.policy);
  return text;
}

// Returns the variables that Slurm sets in a job, for the nodes and tasks of the step. Omits variables that are not set
// here.
std::vector<std::pair<std::string, std::string>> node_variables(const spank::Allocation& allocation) {
  const StepShape& step = allocation.step;
  const std::string cpus = joined(allocation.view.nodes, ",", [](const NodeView& node) {
    return std::to_string(std::ranges::count(node.core_free, true) * node.threads_per_core);
  });
  const std::string list = compress_hostlist(step.nodes), nodes = std::to_string(step.nodes.size()),
                    tasks = std::to_string(step.all_tasks());
  std::vector<std::pair<std::string, std::string>> variables = {
      {"SLURM_JOB_NODELIST", list},
      {"SLURM_NODELIST", list},
      {"SLURM_JOB_NUM_NODES", nodes},
      {"SLURM_NNODES", nodes},
      {"SLURM_NTASKS", tasks},
      {"SLURM_NPROCS", tasks},
      {"SLURM_TASKS_PER_NODE", joined(step.tasks, ",", [](std::int64_t tasks) { return std::to_string(tasks); })},
      {"SLURM_JOB_CPUS_PER_NODE", cpus}};
  std::erase_if(variables, [](const auto& variable) { return !std::getenv(variable.first.c_str()); });
  return variables;
}

// Returns the `keep` nodes of the job that suit the ranks of `task` and `step` best, or nothing if the job has no
// others. A node on which this process runs stays, because Slurm ends the process with the node. Throws UsageError and
// Error.
std::set<std::string> nodes_to_keep(const CommandLine& line, MapTask task, const AllocationStep& step,
                                    std::int64_t keep) {
  if (step.nodes.value_or(keep) != keep)
    throw Error("the step requests " + std::to_string(*step.nodes) + " nodes, and --keep leaves " +
                std::to_string(keep));
  const spank::Allocation allocation = spank::current_allocation();
  if (allocation.has_returned_nodes) set_variables(node_variables(allocation));  // an earlier command returned them
  const std::int64_t now = std::ssize(allocation.step.nodes);
  if (now < keep)
    throw UsageError("--keep " + std::to_string(keep) + ": the job has " + std::to_string(now) + " nodes");
  if (now == keep) return {};
  // With more tasks than cores on a node, each task has one hardware thread or more.
  bool has_threads = false;
  for (std::size_t n = 0; n < allocation.view.nodes.size(); ++n)
    has_threads |= std::ranges::count(allocation.view.nodes[n].core_free, true) < allocation.step.tasks[n];
  task.view = has_threads ? by_threads(allocation.view) : allocation.view;
  use_free_cores(task);
  const std::int64_t ranks = ranks_of_step(line, task, step, keep).value_or(allocation.step.all_tasks() * keep / now);
  if (task.pattern) make_matrix(line, *task.pattern, static_cast<std::size_t>(ranks), task);
  if (!task.matrix) throw UsageError("--keep: the matrix is missing: use --matrix or --pattern");
  const auto of_matrix = static_cast<std::int64_t>(task.matrix->ranks());
  const std::string none =
      formatted("--keep %ld: no node is returned: the matrix has %ld ranks, and ", keep, of_matrix);
  const bool by_node = step.places_nodes(keep, of_matrix);
  if (by_node ? of_matrix % keep != 0 : step.ranks && *step.ranks != of_matrix)
    throw UsageError(none + (by_node ? "each node needs the same number" : "the step " + std::to_string(ranks)));
  for (std::size_t n = 0; n < task.view.nodes.size(); ++n)
    if (task.view.nodes[n].name == environment_value("SLURMD_NODENAME"))
      task.request.required_nodes.push_back(static_cast<std::int32_t>(n));
  task.request.min_nodes = task.request.max_nodes = static_cast<std::int32_t>(keep);
  if (!by_node) {
    StepShape shape = allocation.step;
    shape.cores_per_task = static_cast<std::int32_t>(step.cores_per_task.value_or(shape.cores_per_task));
    if (!has_threads) shape = spank::with_cores(std::move(shape), task.view);
    task.request.cores_per_task = shape.cores_per_task;
    if (step.tasks_per_node) task.request.max_tasks_per_node = static_cast<std::int32_t>(*step.tasks_per_node);
  }
  std::set<std::string> kept;
  for (const RankPlace& place : run_map(task).places) kept.insert(task.view.nodes[place.node].name);
  if (std::ssize(kept) != keep) throw UsageError(none + "they use only " + std::to_string(kept.size()) + " nodes");
  return kept;
}

// Returns all nodes of the job but `kept` to Slurm. Throws Error.
void return_nodes(std::uint32_t job, const std::set<std::string>& kept) {
  const std::string list = joined(kept, ",");
  // Without SLURM_JOBID, scontrol writes no scripts into the working directory.
  SlurmCommand({"/usr/bin/env", "-u", "SLURM_JOBID", path_of_command("scontrol"), "update",
                "JobId=" + std::to_string(job), "NodeList=" + list})
      .text();
  notify("run", "the job keeps " + list);
}

// Throws CannotPlace if srun leaves the ranks to Slurm by the Mode that slurmctld has for the job, and Error if
// slurmctld does not answer.
void check_mode() {
  const auto job = parse_integer(environment_value("SLURM_JOB_ID"));
  if (!job) return;
  const std::string mode = spank::JobQuery(static_cast<std::uint32_t>(*job)).controller().mode;
  if (!mode.empty() && mode != mode_names[PLACEMENT_ENFORCE])
    throw CannotPlace("Mode=" + mode + " in slurmctld: srun leaves the ranks to Slurm");
}

// Returns the command to start. With `keep`, first gives nodes back to Slurm until the job has `keep` nodes. Throws
// CannotPlace; UsageError and Error for bad input.
Launch placed_launch(const CommandLine& line, const MapTask& given, const Words& words,
                     std::optional<std::int64_t> keep) {
  MapTask task = given;
  const Launcher* const launcher = find_launcher(words);
  if (!launcher) throw CannotPlace(words[0] + " is not a supported launcher: use " + launcher_names());
  AllocationStep step = launcher->step(words);
  const auto outside = [](const std::optional<std::int64_t>& ranks) {
    return ranks && (*ranks < 1 || *ranks > CommMatrix::max_ranks);
  };
  if (outside(step.ranks) || outside(step.tasks_per_node) || step.cores_per_task.value_or(1) < 1)
    throw CannotPlace("the number of ranks, of cores per rank or of ranks per node of " + words[0] +
                      " is out of range");
  Launch launch{words};
  const auto nodes = step.nodes ? step.nodes : parse_integer(environment_value("SLURM_JOB_NUM_NODES"));
  const bool by_node = nodes && places_nodes(line, task, step, *nodes);
  if (launcher->by_policy && srun_has_policies() && !by_node) {
    if (line.has("strict")) check_mode();
    if (keep) notify("run", "--keep is ignored: with the plugins, slurmctld has chosen the nodes");
    launch.words = words_with_policy(line, words, true);
    if (task.matrix && !step.ranks && !step.tasks_per_node && !line.has("ntasks"))
      launch.words.insert(launch.words.begin() + 1, "--ntasks=" + std::to_string(task.matrix->ranks()));
    return launch;
  }
  if (environment_value("SLURM_JOB_ID").empty())
    throw CannotPlace("not inside a Slurm allocation (SLURM_JOB_ID is not set): use salloc or sbatch");
  if (!environment_value("SLURM_HET_SIZE").empty() && (!step.component || keep))
    throw CannotPlace("the job is heterogeneous: name one component by srun --het-group=N, and do not use --keep");
  const auto keep_all = [&](const Error& why) {
    if (line.has("strict")) throw CannotPlace(why.what());
    notify("run", std::string("the job keeps all nodes: ") + why.what());
  };
  spank::Allocation allocation;
  std::set<std::string> kept;
  try {
    if (line.has("auto")) {
      const spank::ProgramRun run = run_of(line, words, step);
      step.ranks = run.ranks;
      take_profile(run, task);
    }
    if (keep && program_of(words).empty())
      throw CannotPlace("--keep: no node is returned: the program was not found in the command line");
    try {
      if (keep) kept = nodes_to_keep(line, task, step, *keep);
    } catch (const Error& error) {
      keep_all(error);
    }
    allocation = take_allocation(line, task, step, kept);
    if (allocation.has_returned_nodes) launch.environment = node_variables(allocation);
    if (kept.empty()) set_variables(launch.environment);
  } catch (const Error& error) {
    throw CannotPlace(error.what());
  }
  const auto tasks = allocation.step.all_tasks();
  if (task.matrix->ranks() != tasks)
    throw Error(formatted("the matrix has %d ranks, but the step has %ld", task.matrix->ranks(), tasks));
  try {
    const MapOutcome outcome =
        run_map_in(allocation, task,
                   launcher->map_length ? launcher->map_length(words, allocation.configuration) : spank::MapLength());
    const Mapping mapping{allocation, task, outcome};
    launcher->plan(mapping, launch);
    if (!kept.empty()) write_files(launch);
    try {
      if (!kept.empty()) return_nodes(allocation.step.job, kept);
    } catch (const Error& error) {
      keep_all(error);
      return placed_launch(line, given, words, {});
    }
    notify("run", summary(mapping, launch));
  } catch (const Error& error) {
    throw CannotPlace(error.what());
  }
  return launch;
}

// The task of this process, by the variables that Slurm sets. The plan of `placectl run` has no step number.
spank::LocalTask this_task() {
  const auto number = [](const char* name) { return parse_integer(environment_value(name)).value_or(-1); };
  spank::LocalTask task;
  task.job = static_cast<std::uint32_t>(number("SLURM_JOB_ID"));
  task.total = static_cast<std::uint32_t>(number("SLURM_STEP_NUM_TASKS"));
  task.local = static_cast<int>(number("SLURM_LOCALID"));
  const std::string ranks = environment_value("SLURM_GTIDS");
  for (const std::string_view rank : split_at(ranks, ','))
    task.local_ranks.push_back(static_cast<std::uint32_t>(parse_integer(rank).value_or(-1)));
  if (task.local < 0 || static_cast<std::size_t>(task.local) >= task.local_ranks.size()) task.local_ranks.clear();
  return task;
}

// Returns the GPUs of the step on this node. With --gpus-per-task, SLURM_STEP_GPUS has only the GPUs of this task; the
// others are known if the step has all GPUs of the node.
std::string gpus_of_step(const spank::TaskVariables& variables) {
  const auto known = spank::gpus_of_node(variables, true);
  if (!known || parse_integer(environment_value("SLURM_GPUS_ON_NODE")) != std::ssize(*known))
    return environment_value("SLURM_STEP_GPUS");
  std::string gpus;
  for (std::size_t gpu = 0; gpu < known->size(); ++gpu) gpus += (gpu > 0 ? "," : "") + std::to_string(gpu);
  return gpus;
}

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

constexpr Option bind_options[] = {
    {0, "local-rank", nullptr,
     "for a process that torchrun or deepspeed starts: choose cores, GPU and network\ninterface by LOCAL_RANK"},
    {0, "one-gpu", nullptr, "with --local-rank: show the process only its own GPU, as device 0"},
};

constexpr CommandHelp bind_help{
    "placectl bind [OPTION]... PROGRAM [ARGUMENT]...",
    "Binds a task of srun to the cores that \"placectl run\" has planned for its rank, and then executes PROGRAM.\n"
    "\"placectl run\" inserts \"placectl bind\" before the program. Without a plan, it only executes PROGRAM.\n"
    "Examples: srun placectl bind ./app\n"
    "          srun torchrun --no-python --nproc-per-node=8 placectl bind --local-rank python -u train.py\n",
    bind_options};

// Binds a process that a launcher with one task per node has started, and sets its variables for GPU and network.
void bind_child(bool one_gpu, const spank::TaskVariables& variables) {
  const auto child = this_child(variables);
  if (!child)
    throw UsageError(
        "--local-rank: LOCAL_RANK and LOCAL_WORLD_SIZE are not set: torchrun has to start placectl bind, "
        "as in torchrun --no-python placectl bind --local-rank python train.py");
  const auto allowed = spank::mask_in_force();
  if (!allowed) return notify("bind", std::string("the CPUs of the process are unknown: ") + std::strerror(errno));
  const ChildPlace place = place_child(*child, *allowed, spank::cores_here(), "", one_gpu, variables);
  if (place.cpus && !spank::set_mask(*place.cpus)) notify("bind", std::string("cannot bind: ") + std::strerror(errno));
  for (const auto& [name, value] : place.environment) variables.set(name.c_str(), value);
  if (child->number > 0) return;  // one process reports for its node
  if (!place.cpus) notify("bind", "fewer cores than processes: each process keeps all cores");
  if (!place.gpus_unknown.empty()) notify("bind", "GPUs and network interfaces are unchanged: " + place.gpus_unknown);
}

// Becomes the program, as slurmstepd does: it searches PATH, then the working directory, and its exit code is errno.
int become_program(Words words) {
  int why_not = become(words);
  if (why_not == ENOENT && words[0].find('/') == words[0].npos) {
    words[0].insert(0, "./");
    why_not = become(words);
  }
  notify("bind", words[0] + " cannot be run: " + std::strerror(why_not));
  return why_not;
}

}  // namespace

int command_run(int argc, char** argv) {
  const Words words = take_command(argc, argv);
  const CommandLine line(run_help, argc, argv);
  if (words.empty())
    throw UsageError(
        "the launcher is missing: write it and the program after --, as in placectl run -m FILE -- srun ./app");
  if (line.has("auto") && (line.has("matrix") || line.has("pattern")))
    throw UsageError("--auto replaces --matrix and --pattern: use only one of the three");
  if (line.has("profile")) {
    line.refuse({"matrix", "pattern", "auto", "keep", "print", "policy"},
                "cannot be used with --profile, which places no ranks");
    start_profiled(line, words);
  }
  if (line.has("keep")) line.refuse({"print"}, "cannot be used with --keep, which returns nodes");
  const MapTask task = read_task(line, "run", true);
  if (task.spec.policy != "NATURAL") from_command_line([&] { return &policies::check_policy_spec(task.spec); });
  try {
    Launch launch = placed_launch(line, task, words, line.integer("keep", 1, INT32_MAX));
    if (!line.has("print")) start(std::move(launch));
    print_launch(std::move(launch));
    return exit_ok;
  } catch (const CannotPlace& why) {
    if (line.has("strict")) throw Error(std::string("the ranks cannot be placed: ") + why.what());
    notify("run", std::string("the ranks are where ") + words[0] + " puts them: " + why.what());
  }
  if (!line.has("print")) execute(words);
  print_launch({words});
  return exit_ok;
}

int command_bind(int argc, char** argv) {
  int own = 1;
  while (own < argc && argv[own][0] == '-') ++own;
  const CommandLine line(bind_help, own, argv);
  if (own == argc) throw UsageError("no program: placectl bind PROGRAM [ARGUMENT]...");
  const spank::TaskVariables variables{
      variable, [](const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }};
  const std::string plan = environment_value(spank::plan_variable);
  if (environment_value("SLURM_DISTRIBUTION") == "arbitrary") {
    unsetenv("SLURM_HOSTFILE");
    unsetenv("SLURM_DISTRIBUTION");
  }
  if (line.has("local-rank")) {
    bind_child(line.has("one-gpu"), variables);
  } else if (line.has("one-gpu")) {
    throw UsageError("--one-gpu is for --local-rank");
  } else if (const spank::LocalTask task = this_task(); !plan.empty() && !task.local_ranks.empty()) {
    unsetenv(spank::plan_variable);
    notify("bind", spank::bind_by_plan(plan, task, gpus_of_step(variables), {}, variables));
  }
  return become_program({argv + own, argv + argc});
}

}  // namespace placement::tools
