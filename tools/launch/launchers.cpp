// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/launch/launchers.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <system_error>

#include "common/decision/process_map.hpp"
#include "common/matrix/matrix_format.hpp"
#include "common/slurm/slurm_command.hpp"
#include "common/util/environment.hpp"
#include "common/util/text.hpp"
#include "spank/mpirun/sequential_hostfile.hpp"
#include "spank/profile/profile_store.hpp"
#include "spank/task/bind_plan.hpp"
#include "tools/launch/srun_words.hpp"
#include "tools/map/launcher_files.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

template <typename Names>
bool among(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

std::string path_in_search(const std::string& program) {
  std::error_code ignored;
  if (program.find('/') != program.npos) return std::filesystem::is_directory(program, ignored) ? "" : program;
  const std::string path = environment_value("PATH");
  for (const std::string_view directory : split_at(path, ':')) {
    std::string candidate = std::string(directory) + "/" + program;
    if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) return candidate;
  }
  return {};
}

Layout layout_of(const Mapping& mapping) {
  return {mapping.task.view, mapping.outcome.places, spank::core_numbering(mapping.configuration),
          mapping.task.processes_per_rank};
}

// ---- srun

const std::string& srun_help() {
  static const std::string help = SlurmCommand({"srun", "--help"}).output().text;
  return help;
}

SrunWords parsed(const Words& words) {
  static const std::vector<SrunOption> options = options_in_help(srun_help());
  return parse_srun(words, options);
}

// Options of srun by which the user chooses the nodes of the ranks, or a step that has more than one layout.
constexpr std::string_view own_layout[] = {
    "distribution", "nodelist",   "nodefile", "exclude",         "relative",          "het-group",     "multi-prog",
    "no-allocate",  "spread-job", "jobid",    "ntasks-per-core", "ntasks-per-socket", "ntasks-per-gpu"};

AllocationStep step_of_srun(const Words& words) {
  const SrunWords srun = parsed(words);
  for (const GivenOption& option : srun.given)
    if (among(own_layout, option.name)) throw CannotPlace("srun's --" + option.name + " chooses the layout itself");
  if (among(words, ":")) throw CannotPlace("the command line has several components");
  AllocationStep step;
  if (const auto nodes = srun.value("nodes")) step.nodes = parse_integer(*nodes).value_or(0);
  if (const auto ranks = srun.value("ntasks")) step.ranks = parse_integer(*ranks);
  if (const auto cores = srun.value("cpus-per-task")) step.cores_per_task = parse_integer(*cores);
  if (const auto tasks = srun.value("ntasks-per-node")) step.tasks_per_node = parse_integer(*tasks);
  if (!step.ranks && !step.tasks_per_node)
    step.tasks_per_node = parse_integer(environment_value("SLURM_NTASKS_PER_NODE"));
  step.one_per_node = true;
  return step;
}

std::string mpi_type(const Words& words, const std::string& configuration) {
  if (const auto type = parsed(words).value("mpi")) return *type;
  const std::string variable = environment_value("SLURM_MPI_TYPE");
  return variable.empty() ? std::string(spank::config_value(configuration, "MpiDefault")) : variable;
}

spank::MapLength map_length_of_srun(const Words& words, const std::string& configuration) {
  const std::string type = mpi_type(words, configuration);
  // Slurm writes the map of an arbitrary layout in the form that it always writes for pmix.
  return [type](const auto& ranks_of_node) {
    return static_cast<double>(shortest_map(ranks_of_node, "pmix").text.size()) /
           static_cast<double>(longest_map(type));
  };
}

// Returns true if Slurm tells MPI that each rank of an arbitrary layout has its own node.
bool has_false_map(const Mapping& mapping, const std::string& type) {
  const std::string_view version = spank::config_value(mapping.configuration, "SLURM_VERSION");
  const std::vector<std::string_view> parts = split_at(version, '.');
  const bool reports_one_rank_per_node =
      parts.size() > 1 && parse_integer(parts[0]).value_or(99) * 100 + parse_integer(parts[1]).value_or(0) < 2405;
  return type == "pmi2" && reports_one_rank_per_node && std::ranges::max(mapping.allocation.step.tasks) > 1;
}

// Puts `before` in front of the program. Returns false if the program was not found.
bool wrap_program(const Words& before, Launch& launch) {
  const SrunWords srun = parsed(launch.words);
  if (!srun.unknown.empty() || srun.program >= launch.words.size()) return false;
  launch.words.insert(launch.words.begin() + static_cast<std::ptrdiff_t>(srun.program), before.begin(), before.end());
  return true;
}

// Returns true if srun's --export, or SLURM_EXPORT_ENV, keeps variables of this process from the tasks.
bool hides_variables(const Words& words) {
  const std::string names = lower_case(parsed(words).value("export").value_or(environment_value("SLURM_EXPORT_ENV")));
  return !names.empty() && !among(split_at(names, ','), "all");
}

// Returns why another program cannot start the program; empty if it can.
std::string why_not_wrapped(const Words& words) {
  const SrunWords srun = parsed(words);
  for (const char* const option : {"bcast", "container", "container-image"})
    if (srun.value(option)) return std::string("srun's --") + option;
  return {};
}

// Returns why `placectl bind` cannot start the program; empty if it can.
std::string why_not_bound(const Words& words) {
  if (parsed(words).value("cpu-bind")) return "srun's --cpu-bind";
  if (std::string why = why_not_wrapped(words); !why.empty()) return why;
  if (!environment_value("SLURM_CPU_BIND").empty()) return "SLURM_CPU_BIND";
  return hides_variables(words) ? "srun's --export" : "";
}

// Has each rank bound to its cores by `placectl bind`. A message names the option that prevents this.
void bind_ranks(const Mapping& mapping, const std::vector<std::int32_t>& slot_of_task, Launch& launch) {
  if (slot_of_task.empty()) return;
  if (mapping.task.processes_per_rank > 1) return;  // the program starts others, on all cores
  std::string why = why_not_bound(launch.words);
  const auto plan = spank::encode_plan({mapping.allocation.step.job, 0, slot_of_task});
  if (!plan) why = "the number of ranks";
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  if (why.empty() && wrap_program({self, "bind"}, launch))
    launch.environment.emplace_back(spank::plan_variable, *plan);
  else
    notify("run", "Slurm chooses the cores of each rank" + (why.empty() ? why : ", because of " + why));
}

// Removes srun's --nodes, which is the whole allocation. From 24.05 on, Slurm accepts no --nodes with an arbitrary
// layout. Other restrictions of Slurm 26.05 on this layout (topology/block, CR_LLN) are for allocations, not for steps.
void remove_nodes(Launch& launch) {
  const SrunWords srun = parsed(launch.words);
  for (auto option = srun.given.rbegin(); option != srun.given.rend(); ++option) {
    if (option->name != "nodes") continue;
    const auto first = launch.words.begin() + static_cast<std::ptrdiff_t>(option->first);
    const std::size_t letters = first->starts_with("--") ? 1 : first->find('N');  // -lN2 also has -l
    launch.words.erase(first + (letters > 1 ? 1 : 0), first + static_cast<std::ptrdiff_t>(option->words));
    if (letters > 1) launch.words[option->first].resize(letters);
  }
}

// Adds the distribution and the number of ranks to srun's words.
void use_distribution(const std::string& name, const Mapping& mapping, Launch& launch) {
  launch.words.insert(launch.words.begin() + 1,
                      {"--distribution=" + name, "--ntasks=" + std::to_string(mapping.outcome.places.size())});
}

// Starts the tasks in Slurm's order, and has Cray MPICH give them their ranks.
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

// Starts the tasks in Slurm's order, and has libplacement-reorder.so give them their ranks. Throws CannotPlace if the
// program does not have the MPI of the library, which would be loaded, too.
void plan_reordering(const Mapping& mapping, Launch& launch) {
  std::string library =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../lib/libplacement-reorder.so";
  if (access(library.c_str(), R_OK) != 0) library = REORDER_LIBRARY;
  const auto mpi = spank::facts_of_program(library).mpi_libraries;
  const Words program = program_of(launch.words);
  const auto run = spank::program_run(program, 1, std::filesystem::current_path(), environment_value("PATH"));
  if (mpi.empty() || !spank::is_linked_with(run.mpi_libraries, mpi.front()))
    throw CannotPlace("with --mpi=pmi2 of this Slurm, MPI treats each rank as a separate node, and " + library +
                      " is missing or not built with the MPI of the program: use mpiexec.hydra or --mpi=pmix");
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

void plan_arbitrary(const Mapping& mapping, Launch& launch) {
  launch.file = format_hostfile(layout_of(mapping));
  launch.environment.emplace_back("SLURM_HOSTFILE", file_marker);
  launch.method = "srun -m arbitrary";
  remove_nodes(launch);
  use_distribution("arbitrary", mapping, launch);
}

// Starts one task on each node, which starts the processes of its node.
void plan_nodes(const Mapping& mapping, Launch& launch) {
  launch.environment.emplace_back("MASTER_ADDR", first_node(mapping));
  if (hides_variables(launch.words)) notify("run", "srun's --export keeps MASTER_ADDR from the tasks");
  plan_arbitrary(mapping, launch);
  launch.method = "the order of the nodes";
}

void plan_srun(const Mapping& mapping, Launch& launch) {
  if (const SrunWords srun = parsed(launch.words); !srun.unknown.empty())
    throw CannotPlace("srun --help does not list " + srun.unknown);
  if (mapping.task.processes_per_rank > 1) return plan_nodes(mapping, launch);
  const std::string type = mpi_type(launch.words, mapping.configuration);
  if (type.starts_with("cray")) return plan_rank_order(mapping, launch);
  if (has_false_map(mapping, type)) return plan_reordering(mapping, launch);
  bind_ranks(mapping, mapping.outcome.step.slot_of_rank, launch);
  plan_arbitrary(mapping, launch);
}

// ---- torchrun: one task per node, which starts the processes of its node

bool is_torchrun(const Words& words) {
  if (base_name(words[0]) == "torchrun") return true;
  if (base_name(words[0]) != "srun") return false;
  const SrunWords srun = parsed(words);
  return srun.program < words.size() && base_name(words[srun.program]) == "torchrun";
}

// The options of torchrun: the words between it and a Python script, which has options of its own.
std::span<const std::string> torchrun_options(const Words& words) {
  const auto first = std::ranges::find(words, "torchrun", base_name);
  const auto script = std::find_if(first, words.end(), [](const std::string& word) { return word.ends_with(".py"); });
  return {first, script};
}

bool one_starts_with(std::span<const std::string> words, std::string_view start) {
  return std::ranges::any_of(words, [start](const std::string& word) { return word.starts_with(start); });
}

AllocationStep step_of_torchrun(const Words& words) {
  AllocationStep step;
  if (base_name(words[0]) == "srun") {
    step = step_of_srun(words);
    if (parsed(words).value("ntasks-per-node").value_or("1") != "1")
      throw CannotPlace("srun's --ntasks-per-node starts several torchruns on each node");
    step.tasks_per_node.reset();
  }
  step.by_node = true;
  for (const char* const option :
       {"--rdzv", "--standalone", "--node-rank", "--node_rank", "--master-addr", "--master_addr"})
    if (one_starts_with(torchrun_options(words), option))
      throw CannotPlace(std::string("torchrun's ") + option + " numbers the nodes itself: remove it");
  return step;
}

// Returns the number that an option of torchrun has, after "=" or in the next word; nothing without it.
std::optional<std::int64_t> torchrun_number(const Words& words, std::string_view option) {
  const std::span<const std::string> options = torchrun_options(words);
  for (std::size_t at = 0; at < options.size(); ++at) {
    std::string name = options[at].substr(0, options[at].find('='));
    std::ranges::replace(name, '_', '-');
    if (name != option) continue;
    const bool is_next = name.size() == options[at].size();
    if (!is_next) return parse_integer(options[at].substr(name.size() + 1));
    if (at + 1 < options.size()) return parse_integer(options[at + 1]);
  }
  return std::nullopt;
}

void check_torchrun(const Mapping& mapping, const Words& words) {
  const auto check = [&](const char* option, std::int64_t number) {
    if (const auto given = torchrun_number(words, option); given && *given != number)
      throw CannotPlace(std::string("torchrun's ") + option + " is not " + std::to_string(number));
  };
  check("--nnodes", std::ssize(mapping.task.view.nodes));
  if (mapping.task.processes_per_rank > 1) check("--nproc-per-node", mapping.task.processes_per_rank);
}

void plan_torchrun(const Mapping& mapping, Launch& launch) {
  check_torchrun(mapping, launch.words);
  if (base_name(launch.words[0]) == "torchrun") launch.words.insert(launch.words.begin(), "srun");
  std::string options = " --nnodes=" + std::to_string(mapping.task.view.nodes.size()) +
                        " --node-rank=\"$SLURM_PROCID\" --master-addr=" + first_node(mapping);
  if (!one_starts_with(torchrun_options(launch.words), "--nproc"))
    options += " --nproc-per-node=" + std::to_string(mapping.task.processes_per_rank);
  if (!wrap_program({"sh", "-c", "exec \"$0\"" + options + " \"$@\""}, launch))
    throw CannotPlace("torchrun was not found in the command line");
  plan_nodes(mapping, launch);
}

// ---- mpirun and mpiexec

// Returns true if the launcher has the name of an MPI launcher, and its version has one of `marks`.
bool is_mpirun(const Words& words, std::initializer_list<std::string_view> marks) {
  const std::vector<std::string_view> name = split_at(base_name(words[0]), '.');
  constexpr std::string_view names[] = {"mpirun", "mpiexec", "orterun", "prterun"};
  constexpr std::string_view endings[] = {"openmpi", "mpich", "hydra"};  // a script of the user has another one
  if (!among(names, name[0]) || name.size() > 2 || (name.size() == 2 && !among(endings, name[1]))) return false;
  static const std::string path = path_in_search(words[0]);  // of the only launcher of this command
  if (path.empty()) return false;
  static const std::string version = SlurmCommand({path, "--version"}, true).output().text;
  return std::ranges::any_of(marks, [&](std::string_view mark) { return version.find(mark) != version.npos; });
}

// Options of mpirun and mpiexec by which the user places the ranks, without "-" or "--" in front.
constexpr std::string_view own_mapping[] = {
    "map-by",        "rankfile",      "rf",      "hostfile",   "machinefile", "host",   "H",          "f",
    "machine",       "hosts",         "ppn",     "perhost",    "rr",          "grr",    "configfile", "app",
    "npernode",      "pernode",       "N",       "npersocket", "bynode",      "bycore", "byslot",     "bysocket",
    "cpus-per-proc", "cpus-per-rank", "cpu-set", "cpu-list"};

// Returns the name of an option, without "-" or "--" in front and without its value; "" for other words.
std::string_view option_name(std::string_view word) {
  if (!word.starts_with('-')) return {};
  word = word.substr(0, word.find('='));
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

// Options of mpirun and mpiexec with the number of ranks.
constexpr std::string_view own_ranks[] = {"-n", "--n", "-np", "--np", "-c"};

AllocationStep step_of_mpirun(const Words& words) {
  AllocationStep step;
  const std::size_t program = words.size() - program_of(words).size();
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (words[at] == ":" || (at < program && among(own_mapping, option_name(words[at]))))
      throw CannotPlace(words[0] + "'s " + words[at] + " places the ranks itself");
    if (among(own_ranks, words[at]) && at + 1 < program) step.ranks = parse_integer(words[at + 1]);
  }
  return step;
}

bool is_open_mpi(const Words& words) { return is_mpirun(words, {"OpenRTE", "Open MPI", "PRRTE"}); }

void plan_open_mpi(const Mapping& mapping, Launch& launch) {
  launch.file = spank::sequential_hostfile(mapping.allocation, mapping.outcome.step,
                                           spank::core_numbering(mapping.configuration));
  launch.words.insert(launch.words.begin() + 1, {"--map-by", "seq", "--hostfile", std::string(file_marker)});
  launch.method = "mpirun --map-by seq";
}

bool is_hydra(const Words& words) { return is_mpirun(words, {"HYDRA", "Intel(R) MPI"}); }

// Hydra takes each line of its file for a node, so that MPI needs one run of ranks on each node.
spank::MapLength runs_of_nodes(const Words&, const std::string&) {
  return [](const std::vector<std::vector<std::uint32_t>>& ranks_of_node) {
    double runs = 0;
    for (const auto& ranks : ranks_of_node)
      for (std::size_t i = 0; i < ranks.size(); ++i) runs += i == 0 || ranks[i - 1] + 1 != ranks[i] ? 1 : 0;
    return runs / static_cast<double>(ranks_of_node.size());
  };
}

// Starts one daemon of Hydra, on the node $1, as rsh does. Options in front of the node are for Slurm's own way to
// start the daemons: Slurm 24.11 has HYDRA_LAUNCHER_EXTRA_ARGS=--external-launcher in the environment of a job.
constexpr const char* hydra_script =
    "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nnode=$1\nshift\n"
    "unset SLURM_NTASKS_PER_NODE SLURM_NTASKS_PER_SOCKET SLURM_NTASKS_PER_CORE SLURM_NTASKS_PER_GPU SLURM_GPUS "
    "SLURM_GPUS_PER_SOCKET SLURM_GPUS_PER_TASK SLURM_CPUS_PER_GPU SLURM_MEM_PER_GPU\n"
    "exec srun --nodes=1 --ntasks=1 --nodelist=\"$node\" --overlap --mpi=none --cpu-bind=none --input=none sh -c \"$*\"\n";

// Under Slurm, Hydra starts its daemons by one srun, and they number themselves in Slurm's order. Started one by one,
// as by rsh, they keep the order of the file.
void plan_hydra(const Mapping& mapping, Launch& launch) {
  constexpr std::string_view starters[] = {"bootstrap", "launcher", "bootstrap-exec", "launcher-exec", "rmk"};
  const std::size_t after = program_of(launch.words).size();  // 0: the program is not found, nor are the options
  for (std::size_t at = 1; after > 0 && at < launch.words.size() - after;) {
    const auto first = launch.words.begin() + static_cast<std::ptrdiff_t>(at);
    if (among(starters, option_name(*first)))
      launch.words.erase(first, first + (first->find('=') == first->npos ? 2 : 1));
    else
      ++at;
  }
  launch.words.insert(launch.words.begin() + 1, {"-machinefile", std::string(file_marker)});
  launch.file = format_machinefile(layout_of(mapping));
  launch.script = hydra_script;
  const std::string script(script_marker);
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"HYDRA_RMK", "user"},
           {"HYDRA_LAUNCHER", "rsh"},
           {"HYDRA_LAUNCHER_EXEC", script},
           {"I_MPI_HYDRA_BOOTSTRAP",
            "rsh"},  // Intel's names; its mpiexec otherwise takes the ranks of a node from Slurm
           {"I_MPI_HYDRA_BOOTSTRAP_EXEC", script},
           {"I_MPI_JOB_RESPECT_PROCESS_PLACEMENT", "off"}})
    launch.environment.emplace_back(name, value);
  launch.method = "the order of the nodes";
}

constexpr Launcher launchers[] = {
    {"torchrun", false, is_torchrun, step_of_torchrun, nullptr, plan_torchrun},
    {"srun", true, [](const Words& words) { return base_name(words[0]) == "srun"; }, step_of_srun, map_length_of_srun,
     plan_srun},
    {"Open MPI's mpirun", false, is_open_mpi, step_of_mpirun, nullptr, plan_open_mpi},
    {"mpiexec (Hydra)", false, is_hydra, step_of_mpirun, runs_of_nodes, plan_hydra},
};

}  // namespace

const Launcher* find_launcher(const Words& words) {
  const auto found = std::ranges::find_if(launchers, [&](const Launcher& each) { return each.detect(words); });
  return found == std::end(launchers) ? nullptr : found;
}

std::string launcher_names() {
  return joined(launchers, ", ", [](const Launcher& launcher) { return launcher.name; });
}

bool srun_has_policies() { return srun_help().find("--comm-matrix") != std::string::npos; }

// Options of mpirun and mpiexec whose value can have the name of a program, without "-" or "--" in front.
constexpr std::string_view program_as_value[] = {"bootstrap",     "bootstrap-exec", "launcher",
                                                 "launcher-exec", "rank-by",        "rmk"};
constexpr std::string_view working_directory[] = {"wdir", "wd"};  // the value is a directory
// Those with a name and a value.
constexpr std::string_view name_and_value[] = {"mca", "gmca", "pmca", "prtemca", "pmixmca", "env", "genv"};

Words program_of(const Words& words) {
  auto program = words.end();
  if (base_name(words[0]) == "srun") {
    if (const SrunWords srun = parsed(words); srun.unknown.empty())
      program = words.begin() + static_cast<std::ptrdiff_t>(srun.program);
  } else {
    std::string directory;
    for (program = words.begin() + 1; program < words.end(); ++program) {
      if (!program->starts_with('-')) {
        const bool is_relative = program->find('/') != program->npos && !program->starts_with('/');
        const std::string path = path_in_search((is_relative ? directory : "") + *program);
        if (!path.empty() && access(path.c_str(), X_OK) == 0) break;
        continue;
      }
      const std::string_view option = option_name(*program);
      const std::size_t equals = program->find('=');
      if (among(working_directory, option) && (equals != program->npos || program + 1 < words.end()))
        directory = (equals != program->npos ? program->substr(equals + 1) : *++program) + "/";
      program += among(name_and_value, option) ? 2 : among(program_as_value, option) ? 1 : 0;
    }
    program = std::min(program, words.end());
  }
  return {program, words.end()};
}

std::string quoted(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                          "0123456789_./=:,@%+-") == text.npos;
  if (plain) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

int become(const Words& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::fflush(stdout);
  execvp(argv[0], argv.data());
  return errno;
}

void execute(const Words& words) { throw Error(words[0] + " cannot be run: " + std::strerror(become(words))); }

Words words_with_policy(const CommandLine& line, Words words, bool of_job) {
  std::string policy = line.value_or("policy", "TREEMATCH");
  const auto add = [&](const std::string& item) { policy += (policy.find('=') == policy.npos ? "=" : ",") + item; };
  if (const auto pattern = line.value("pattern")) add(*pattern);
  if (line.has("auto")) add("matrix=auto");
  if (const auto weight = line.value("weight")) add("weight=" + *weight);
  const auto matrix = line.value("matrix");
  if (!of_job || line.has("policy") || matrix || policy != "TREEMATCH") words.insert(words.begin() + 1, {"-m", policy});
  if (matrix) words.insert(words.begin() + 1, "--comm-matrix=" + *matrix);
  if (const auto ranks = line.value("ntasks"); ranks && of_job) words.insert(words.begin() + 1, {"-n", *ranks});
  return words;
}

}  // namespace placement::tools
