// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/launch/srun_launchers.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "common/decision/process_map.hpp"
#include "common/matrix/matrix_format.hpp"
#include "common/slurm/slurm_command.hpp"
#include "common/util/environment.hpp"
#include "common/util/text.hpp"
#include "spank/profile/profile_store.hpp"
#include "spank/request/sent_plan.hpp"
#include "spank/step/sequential_hostfile.hpp"
#include "tools/launch/srun_words.hpp"
#include "tools/map/launcher_files.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

Layout layout_of(const Mapping& mapping) {
  return {mapping.task.view, mapping.outcome.places, spank::core_numbering(mapping.allocation.configuration),
          mapping.task.processes_per_rank};
}

namespace {

const std::string& srun_help() {
  static const std::string help = SlurmCommand({"srun", "--help"}).output().text;
  return help;
}

}  // namespace

bool srun_has_policies() { return srun_help().find("--comm-matrix") != std::string::npos; }

SrunWords parsed(const Words& words) {
  static const std::vector<SrunOption> options = options_in_help(srun_help());
  return parse_srun(words, options);
}

namespace {

// Options of srun that choose the nodes of the ranks, or that start a step with several layouts.
constexpr std::string_view own_layout[] = {
    "distribution", "nodelist",   "nodefile", "exclude",         "relative",          "het-group",     "multi-prog",
    "no-allocate",  "spread-job", "jobid",    "ntasks-per-core", "ntasks-per-socket", "ntasks-per-gpu"};

}  // namespace

AllocationStep step_of_srun(const Words& words) {
  const SrunWords srun = parsed(words);
  AllocationStep step;
  for (const GivenOption& option : srun.given) {
    if (option.name == "het-group") step.component = parse_integer(option.value);
    if (among(own_layout, option.name) && !(option.name == "het-group" && step.component))
      throw CannotPlace("srun's --" + option.name + " chooses the layout itself");
  }
  if (among(words, ":")) throw CannotPlace("the command line has several components");
  for (const char* const module : {"torch.distributed.run", "torch.distributed.launch"})
    if (among(words, module) || among(words, std::string("-m") + module))
      throw CannotPlace(std::string(module) + " can number the nodes itself: use torchrun");
  if (const auto nodes = srun.value("nodes")) {
    const std::size_t dash = nodes->find('-');
    step.nodes = parse_integer(nodes->substr(0, dash)).value_or(0);
    if (dash != nodes->npos) {  // for MIN-MAX, srun uses as many nodes as it can
      const std::int64_t of_job = parse_integer(environment_value("SLURM_JOB_NUM_NODES")).value_or(0);
      step.nodes = std::max(*step.nodes, std::min(of_job, parse_integer(nodes->substr(dash + 1)).value_or(of_job)));
    }
  }
  if (const auto ranks = srun.value("ntasks")) step.ranks = parse_integer(*ranks);
  const std::string of_srun = environment_value("SRUN_CPUS_PER_TASK");
  if (const auto cores = srun.value("cpus-per-task"))
    step.cores_per_task = parse_integer(*cores);
  else if (!of_srun.empty())
    step.cores_per_task = parse_integer(of_srun);
  if (const auto tasks = srun.value("ntasks-per-node")) step.tasks_per_node = parse_integer(*tasks);
  if (!step.ranks && !step.tasks_per_node)
    step.tasks_per_node = parse_integer(environment_value("SLURM_NTASKS_PER_NODE"));
  step.one_per_node = true;
  return step;
}

namespace {

std::string mpi_type(const Words& words, const std::string& configuration) {
  if (const auto type = parsed(words).value("mpi")) return *type;
  const std::string variable = environment_value("SLURM_MPI_TYPE");
  return variable.empty() ? std::string(config_value(configuration, "MpiDefault")) : variable;
}

}  // namespace

spank::MapLength map_length_of_srun(const Words& words, const std::string& configuration) {
  const std::string type = mpi_type(words, configuration);
  // For an arbitrary layout, Slurm writes the map for all types of MPI in the form of pmix.
  return [type](const auto& ranks_of_node) {
    return static_cast<double>(shortest_map(ranks_of_node, "pmix").text.size()) /
           static_cast<double>(longest_map(type));
  };
}

namespace {

// Returns true if Slurm reports a wrong map of an arbitrary layout to MPI: each rank on a node of its own. Slurm before
// 24.05 does so with pmi2.
bool has_false_map(const Mapping& mapping, const std::string& type) {
  const std::string_view version = config_value(mapping.allocation.configuration, "SLURM_VERSION");
  const std::vector<std::string_view> parts = split_at(version, '.');
  const bool reports_one_rank_per_node =
      parts.size() > 1 && parse_integer(parts[0]).value_or(99) * 100 + parse_integer(parts[1]).value_or(0) < 2405;
  return type == "pmi2" && reports_one_rank_per_node && std::ranges::max(mapping.allocation.step.tasks) > 1;
}

// Puts `before` in front of the program. Returns false if the program was not found.
bool wrap_program(const Words& before, Launch& launch) {
  const SrunWords srun = parsed(launch.words);
  if (!srun.unknown.empty() || srun.program >= launch.words.size()) return false;
  // srun also finds a program in the working directory, after PATH; other commands do not.
  std::string& program = launch.words[srun.program];
  if (program.find('/') == program.npos && path_in_search(program).empty() && access(program.c_str(), X_OK) == 0)
    program.insert(0, "./");
  launch.words.insert(launch.words.begin() + static_cast<std::ptrdiff_t>(srun.program), before.begin(), before.end());
  return true;
}

// Returns true if srun's --export, or SLURM_EXPORT_ENV, keeps variables of this process from the tasks.
bool hides_variables(const Words& words) {
  const std::string of_srun = environment_value("SRUN_EXPORT_ENV");  // takes precedence in srun
  const std::string names = lower_case(
      parsed(words).value("export").value_or(of_srun.empty() ? environment_value("SLURM_EXPORT_ENV") : of_srun));
  return !names.empty() && !among(split_at(names, ','), "all");
}

// If srun cannot start the program through another program, such as `placectl bind`, returns the option or variable
// that prevents this. Otherwise returns an empty text.
std::string why_not_wrapped(const Words& words) {
  for (const GivenOption& option : parsed(words).given)
    if (option.name == "bcast" || option.name.starts_with("container")) return "srun's --" + option.name;
  for (const char* const variable :
       {"SLURM_BCAST", "SLURM_CONTAINER", "SRUN_CONTAINER", "SLURM_CONTAINER_ID", "SRUN_CONTAINER_ID"})
    if (!environment_value(variable).empty()) return variable;
  return {};
}

// If `placectl bind` cannot start and bind the program, returns the option or variable that prevents it. Otherwise
// returns an empty text.
std::string why_not_bound(const Words& words) {
  if (parsed(words).value("cpu-bind")) return "srun's --cpu-bind";
  if (std::string why = why_not_wrapped(words); !why.empty()) return why;
  if (!environment_value("SLURM_CPU_BIND").empty()) return "SLURM_CPU_BIND";
  return hides_variables(words) ? "srun's --export" : "";
}

// Returns true if srun should bind each rank to cores of its own. By default Slurm binds no rank if the ranks of a node
// do not use all cores of the node. Returns false if the user decides about cores, if ranks may have more threads than
// cores, and if each node has only one rank, which then has the whole node.
bool has_own_cores(const Mapping& mapping, const Words& words) {
  const SrunWords srun = parsed(words);
  for (const char* const option : {"hint", "overlap", "threads-per-core", "overcommit"})
    if (srun.value(option)) return false;
  for (const char* const name : {"SLURM_HINT", "SLURM_OVERLAP", "SLURM_THREADS_PER_CORE", "SLURM_OVERCOMMIT"})
    if (!environment_value(name).empty()) return false;
  const StepShape& step = mapping.allocation.step;
  // srun before 23.11 does not read SLURM_CPUS_PER_TASK.
  const bool knows_cores =
      srun.value("cpus-per-task") || !environment_value("SRUN_CPUS_PER_TASK").empty() || step.cores_per_task == 1;
  const std::string threads = environment_value("OMP_NUM_THREADS");
  const std::string_view plugins = config_value(mapping.allocation.configuration, "TaskPlugin");
  return knows_cores && mapping.outcome.step.whole_cores && plugins.find("affinity") != plugins.npos &&
         (step.cores_per_task > 1 || std::ranges::max(step.tasks) > 1) &&
         (threads.empty() ||
          parse_integer(threads.substr(0, threads.find(','))).value_or(INT32_MAX) <= step.cores_per_task);
}

Words placectl_bind() { return {std::filesystem::read_symlink("/proc/self/exe").string(), "bind"}; }

// Puts `placectl bind` in front of the program, which binds each rank to its cores. Returns whether it did. If an
// option prevents this, prints a message that names the option.
bool bind_ranks(const Mapping& mapping, const std::vector<std::int32_t>& slot_of_task, Launch& launch) {
  if (slot_of_task.empty()) return false;
  if (mapping.task.processes_per_rank > 1) return false;  // each rank starts further processes, which need all cores
  std::string why = why_not_bound(launch.words);
  // In a task of any component of a heterogeneous job, SLURM_JOB_ID is the ID of the first component.
  const std::int64_t job = parse_integer(environment_value("SLURM_JOB_ID")).value_or(mapping.allocation.step.job);
  const auto plan = spank::encode_plan({static_cast<std::uint32_t>(job), 0, slot_of_task});
  if (!plan) why = "the number of ranks";
  if (!why.empty() || !wrap_program(placectl_bind(), launch)) {
    notify("run", "Slurm chooses the cores of each rank" + (why.empty() ? why : ", because of " + why));
    return false;
  }
  launch.environment.emplace_back(spank::plan_variable, *plan);
  if (has_own_cores(mapping, launch.words)) launch.words.insert(launch.words.begin() + 1, "--cpu-bind=cores");
  return true;
}

// Removes srun's --nodes. Slurm 24.05 and later accept no --nodes with an arbitrary layout, and the mapping uses the
// whole allocation. Slurm 26.05 has further restrictions on this layout (topology/block, CR_LLN), but not for steps.
void remove_nodes(Launch& launch) {
  const SrunWords srun = parsed(launch.words);
  for (auto option = srun.given.rbegin(); option != srun.given.rend(); ++option) {
    if (option->name != "nodes") continue;
    const auto first = launch.words.begin() + static_cast<std::ptrdiff_t>(option->first);
    const std::size_t letters = first->starts_with("--") ? 1 : first->find('N');  // -lN2 also has the option -l
    launch.words.erase(first + (letters > 1 ? 1 : 0), first + static_cast<std::ptrdiff_t>(option->words));
    if (letters > 1) launch.words[option->first].resize(letters);
  }
}

// Adds the distribution and the number of ranks to srun's words.
void use_distribution(const std::string& name, const Mapping& mapping, Launch& launch) {
  launch.words.insert(launch.words.begin() + 1,
                      {"--distribution=" + name, "--ntasks=" + std::to_string(mapping.outcome.places.size())});
}

// Plans a start of the tasks in Slurm's order. Cray MPICH then numbers the ranks by a file.
void plan_rank_order(const Mapping& mapping, Launch& launch) {
  if (hides_variables(launch.words)) throw CannotPlace("srun's --export keeps MPICH_RANK_REORDER_FILE from the ranks");
  std::vector<std::int32_t> slot_of_task;
  for (const auto& ranks : mapping.outcome.step.ranks_of_node)
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      launch.file += std::to_string(ranks[i]) + (i + 1 < ranks.size() ? "," : "\n");
      if (!mapping.outcome.step.slot_of_rank.empty())
        slot_of_task.push_back(mapping.outcome.step.slot_of_rank[ranks[i]]);
    }
  launch.environment.emplace_back("MPICH_RANK_REORDER_METHOD", "3");
  launch.environment.emplace_back("MPICH_RANK_REORDER_FILE", file_marker);
  launch.on_nodes = true;
  launch.method = "the rank order of Cray MPICH";
  bind_ranks(mapping, slot_of_task, launch);
  use_distribution("block", mapping, launch);
}

// Plans a start of the tasks in Slurm's order. libplacement-reorder.so then numbers the ranks. Throws CannotPlace if
// the program uses another MPI than the library: both would be loaded.
void plan_reordering(const Mapping& mapping, Launch& launch) {
  std::string library =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../lib/libplacement-reorder.so";
  if (access(library.c_str(), R_OK) != 0) library = REORDER_LIBRARY;
  const auto mpi = spank::facts_of_program(library).mpi_libraries;
  const Words program = program_of(launch.words);
  const auto run = spank::program_run(program, 1, std::filesystem::current_path(), environment_value("PATH"));
  if (mpi.empty() || !spank::is_linked_with(run.mpi_libraries, mpi.front()))
    throw CannotPlace("with --mpi=pmi2, this Slurm reports a separate node for each rank, and " + library +
                      " is missing or not built with the program's MPI: use mpiexec.hydra or --mpi=pmix");
  if (const std::string why = why_not_wrapped(launch.words); !why.empty())
    throw CannotPlace(why + " keeps " + library + " from the program");
  std::ostringstream matrix;
  write_matrix(matrix, *mapping.task.matrix, MatrixFormat::edge_list);
  launch.file = matrix.str();
  launch.on_nodes = true;
  const std::string others = environment_value("LD_PRELOAD");
  wrap_program({"env", "LD_PRELOAD=" + library + (others.empty() ? "" : ":" + others),
                "PLACEMENT_REORDER_MATRIX=" + std::string(file_marker), "PLACEMENT_REORDER_REPORT=yes"},
               launch);
  launch.method = "libplacement-reorder.so inside MPI";
  launch.own_order = true;
  use_distribution("block", mapping, launch);
}

const std::string& first_node(const Mapping& mapping) {
  return mapping.task.view.nodes[mapping.outcome.places.front().node].name;
}

// Plans an arbitrary layout. Even if no core is planned (`is_bound` is false), `placectl bind` starts the program. It
// removes the variables of the layout, because steps of the program could not read the file of SLURM_HOSTFILE.
void plan_arbitrary(const Mapping& mapping, bool is_bound, Launch& launch) {
  if (!is_bound && why_not_wrapped(launch.words).empty()) wrap_program(placectl_bind(), launch);
  launch.file = format_hostfile(layout_of(mapping));
  launch.environment.emplace_back("SLURM_HOSTFILE", file_marker);
  launch.method = "srun -m arbitrary";
  remove_nodes(launch);
  use_distribution("arbitrary", mapping, launch);
}

// Plans a start of one task on each node. The task starts the processes of its node.
void plan_nodes(const Mapping& mapping, Launch& launch) {
  launch.environment.emplace_back("MASTER_ADDR", first_node(mapping));
  if (hides_variables(launch.words)) notify("run", "srun's --export keeps MASTER_ADDR from the tasks");
  plan_arbitrary(mapping, false, launch);
  launch.method = "the order of the nodes";
}

}  // namespace

void plan_srun(const Mapping& mapping, Launch& launch) {
  if (const SrunWords srun = parsed(launch.words); !srun.unknown.empty())
    throw CannotPlace("srun --help does not list " + srun.unknown);
  if (mapping.task.processes_per_rank > 1) return plan_nodes(mapping, launch);
  const std::string type = mpi_type(launch.words, mapping.allocation.configuration);
  if (type.starts_with("cray")) return plan_rank_order(mapping, launch);
  if (has_false_map(mapping, type)) return plan_reordering(mapping, launch);
  const bool is_bound = bind_ranks(mapping, mapping.outcome.step.slot_of_rank, launch);
  plan_arbitrary(mapping, is_bound, launch);
}

// ---- torchrun: srun starts one torchrun on each node, which starts the processes of its node

bool is_torchrun(const Words& words) {
  if (base_name(words[0]) == "torchrun") return true;
  if (base_name(words[0]) != "srun") return false;
  const SrunWords srun = parsed(words);
  return srun.program < words.size() && base_name(words[srun.program]) == "torchrun";
}

namespace {

// Returns the options of torchrun: the words before the Python script, whose own options follow it.
std::span<const std::string> torchrun_options(const Words& words) {
  const auto first = std::ranges::find(words, "torchrun", base_name);
  const auto script = std::find_if(first, words.end(), [](const std::string& word) {
    return word.ends_with(".py") || word == "-m" || word == "--module";
  });
  return {first, script};
}

bool one_starts_with(std::span<const std::string> words, std::string_view start) {
  return std::ranges::any_of(words, [start](const std::string& word) { return word.starts_with(start); });
}

}  // namespace

AllocationStep step_of_torchrun(const Words& words) {
  AllocationStep step;
  if (base_name(words[0]) == "srun") {
    step = step_of_srun(words);
    if (parsed(words).value("ntasks-per-node").value_or("1") != "1")
      throw CannotPlace("srun's --ntasks-per-node starts several torchruns on each node");
    step.tasks_per_node.reset();
  }
  step.by_node = true;
  for (const char* const name :
       {"PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_STANDALONE", "PET_NODE_RANK", "PET_MASTER_ADDR"})
    if (!environment_value(name).empty())
      throw CannotPlace(std::string(name) + " numbers the nodes of torchrun itself");
  for (const char* const option :
       {"--rdzv", "--standalone", "--node-rank", "--node_rank", "--master-addr", "--master_addr"})
    if (one_starts_with(torchrun_options(words), option))
      throw CannotPlace(std::string("torchrun's ") + option + " numbers the nodes itself: remove it");
  return step;
}

namespace {

void check_torchrun(const Mapping& mapping, const Words& words) {
  const auto check = [&](std::string_view option, const char* variable, std::int64_t number, bool may_be_word) {
    const auto compare = [&](const std::string& name, const std::string& value) {
      if (value != std::to_string(number) && !(may_be_word && !parse_integer(value)))
        throw CannotPlace(name + " is not " + std::to_string(number));
    };
    if (const std::string of_user = environment_value(variable); !of_user.empty()) compare(variable, of_user);
    const std::span<const std::string> options = torchrun_options(words);
    for (std::size_t at = 0; at < options.size(); ++at) {
      std::string name(option_name(options[at]));
      std::ranges::replace(name, '_', '-');
      if (name == option) compare("torchrun's --" + name, option_value(options, at));
    }
  };
  check("nnodes", "PET_NNODES", std::ssize(mapping.task.view.nodes), false);
  if (mapping.task.processes_per_rank > 1)
    check("nproc-per-node", "PET_NPROC_PER_NODE", mapping.task.processes_per_rank, true);
}

}  // namespace

void plan_torchrun(const Mapping& mapping, Launch& launch) {
  check_torchrun(mapping, launch.words);
  if (base_name(launch.words[0]) == "torchrun") launch.words.insert(launch.words.begin(), "srun");
  std::string options = " --nnodes=" + std::to_string(mapping.task.view.nodes.size()) +
                        " --node-rank=\"$SLURM_PROCID\" --master-addr=" + first_node(mapping);
  if (!one_starts_with(torchrun_options(launch.words), "--nproc") && environment_value("PET_NPROC_PER_NODE").empty())
    options += " --nproc-per-node=" + std::to_string(mapping.task.processes_per_rank);
  if (!wrap_program({"sh", "-c", "exec \"$0\"" + options + " \"$@\""}, launch))
    throw CannotPlace("torchrun was not found in the command line");
  plan_nodes(mapping, launch);
}

// ---- deepspeed: it starts its processes on the nodes of a hostfile, in the order of the file

bool is_deepspeed(const Words& words) { return base_name(words[0]) == "deepspeed"; }

AllocationStep step_of_deepspeed(const Words& words) {
  constexpr std::string_view own[] = {"hostfile", "H",         "include",  "i",         "exclude",
                                      "e",        "num_nodes", "num_gpus", "node_rank", "no_ssh"};
  const auto script = std::ranges::find_if(words, [](const std::string& word) { return word.ends_with(".py"); });
  for (auto word = words.begin() + 1; word < script; ++word)
    if (among(own, option_name(*word)) || *word == "slurm" || word->ends_with("=slurm"))
      throw CannotPlace("deepspeed's " + *word + " chooses the order of the nodes");
  AllocationStep step;
  step.by_node = true;
  return step;
}

void plan_deepspeed(const Mapping& mapping, Launch& launch) {
  std::int64_t slots = mapping.task.processes_per_rank;
  if (slots == 1) slots = parse_integer(environment_value("SLURM_GPUS_ON_NODE")).value_or(0);
  if (slots < 1) throw CannotPlace("the number of processes on each node is not known: use a matrix of all processes");
  for (const RankPlace& place : mapping.outcome.places)
    launch.file += mapping.task.view.nodes[place.node].name + " slots=" + std::to_string(slots) + "\n";
  launch.words.insert(launch.words.begin() + 1,
                      {"--hostfile", std::string(file_marker), "--master_addr", first_node(mapping)});
  launch.method = "the order of the nodes";
}

}  // namespace placement::tools
