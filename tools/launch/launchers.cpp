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
#include <system_error>

#include "common/slurm/slurm_command.hpp"
#include "common/util/environment.hpp"
#include "common/util/text.hpp"
#include "spank/step/sequential_hostfile.hpp"
#include "tools/launch/srun_launchers.hpp"
#include "tools/map/launcher_files.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

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

namespace {

// Returns true if words[0] is an MPI launcher: it has the name of one, and its output for --version has one of `marks`.
bool is_mpirun(const Words& words, std::initializer_list<std::string_view> marks) {
  const std::vector<std::string_view> name = split_at(base_name(words[0]), '.');
  constexpr std::string_view names[] = {"mpirun", "mpiexec", "orterun", "prterun"};
  constexpr std::string_view endings[] = {"openmpi", "mpich", "hydra"};  // other endings are those of a user's scripts
  if (!among(names, name[0]) || name.size() > 2 || (name.size() == 2 && !among(endings, name[1]))) return false;
  static const std::string path = path_in_search(words[0]);  // a process has only one launcher
  if (path.empty()) return false;
  static const std::string version = SlurmCommand({path, "--version"}, true).output().text;
  return std::ranges::any_of(marks, [&](std::string_view mark) { return version.find(mark) != version.npos; });
}

// Options of mpirun and mpiexec that place the ranks. Written without "-" or "--".
constexpr std::string_view own_mapping[] = {
    "map-by",        "rankfile",      "rf",      "hostfile",   "machinefile", "host",   "H",          "f",
    "machine",       "hosts",         "ppn",     "perhost",    "rr",          "grr",    "configfile", "app",
    "npernode",      "pernode",       "N",       "npersocket", "bynode",      "bycore", "byslot",     "bysocket",
    "cpus-per-proc", "cpus-per-rank", "cpu-set", "cpu-list",   "rank-by"};

// Options of mpirun and mpiexec that take two words: a name and a value.
constexpr std::string_view name_and_value[] = {"mca", "gmca", "pmca", "prtemca", "pmixmca", "env", "genv"};

// Options of mpirun and mpiexec that set the number of ranks.
constexpr std::string_view own_ranks[] = {"n", "np", "c"};

AllocationStep step_of_mpirun(const Words& words) {
  AllocationStep step;
  const std::size_t program = words.size() - program_of(words).size();
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string value = option_value(words, at);
    const bool sets_mapper =
        at < program && among(name_and_value, option_name(words[at])) &&
        (value == "rmaps" || value.ends_with("mapping_policy") || value.ends_with("ranking_policy"));
    if (words[at] == ":" || sets_mapper || (at < program && among(own_mapping, option_name(words[at]))))
      throw CannotPlace(words[0] + "'s " + words[at] + " places the ranks itself");
    if (at < program && among(own_ranks, option_name(words[at]))) step.ranks = parse_integer(option_value(words, at));
  }
  return step;
}

bool is_open_mpi(const Words& words) { return is_mpirun(words, {"OpenRTE", "Open MPI", "PRRTE"}); }

void plan_open_mpi(const Mapping& mapping, Launch& launch) {
  launch.file = spank::sequential_hostfile(mapping.allocation, mapping.outcome.step,
                                           spank::core_numbering(mapping.allocation.configuration));
  launch.words.insert(launch.words.begin() + 1, {"--map-by", "seq", "--hostfile", std::string(file_marker)});
  launch.method = "mpirun --map-by seq";
}

bool is_hydra(const Words& words) { return is_mpirun(words, {"HYDRA", "Intel(R) MPI"}); }

spank::MapLength map_length_of_hydra(const Words&, const std::string&) { return runs_per_node; }

// A script with the arguments of rsh: it starts one daemon of Hydra on a node. It drops options in front of the node.
// For example, Slurm 24.11 sets HYDRA_LAUNCHER_EXTRA_ARGS=--external-launcher in a job, for its own way to start
// daemons.
constexpr const char* hydra_script =
    "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nnode=$1\nshift\n"
    "unset SLURM_NTASKS_PER_NODE SLURM_NTASKS_PER_SOCKET SLURM_NTASKS_PER_CORE SLURM_NTASKS_PER_GPU SLURM_GPUS "
    "SLURM_GPUS_PER_SOCKET SLURM_GPUS_PER_TASK SLURM_CPUS_PER_GPU SLURM_MEM_PER_GPU\n"
    "exec srun --nodes=1 --ntasks=1 --nodelist=\"$node\" --overlap --mpi=none --cpu-bind=none --input=none sh -c \"$*\"\n";

// By default under Slurm, Hydra starts all daemons by one srun, and they number themselves in Slurm's order. If Hydra
// starts each daemon by rsh, the daemons have the order of the file. So this replaces rsh by hydra_script.
void plan_hydra(const Mapping& mapping, Launch& launch) {
  constexpr std::string_view starters[] = {"bootstrap", "launcher", "bootstrap-exec", "launcher-exec", "rmk"};
  const std::size_t after = program_of(launch.words).size();  // 0: the program, where the options end, is not found
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
           // Intel MPI has these names. Without them, its mpiexec takes the number of ranks of a node from Slurm.
           {"I_MPI_HYDRA_BOOTSTRAP", "rsh"},
           {"I_MPI_HYDRA_BOOTSTRAP_EXEC", script},
           {"I_MPI_JOB_RESPECT_PROCESS_PLACEMENT", "off"}})
    launch.environment.emplace_back(name, value);
  launch.method = "the order of the nodes";
}

constexpr Launcher launchers[] = {
    {"torchrun", false, is_torchrun, step_of_torchrun, nullptr, plan_torchrun},
    {"deepspeed", false, is_deepspeed, step_of_deepspeed, nullptr, plan_deepspeed},
    {"srun", true, [](const Words& words) { return base_name(words[0]) == "srun"; }, step_of_srun, map_length_of_srun,
     plan_srun},
    {"Open MPI's mpirun", false, is_open_mpi, step_of_mpirun, nullptr, plan_open_mpi},
    {"mpiexec (Hydra)", false, is_hydra, step_of_mpirun, map_length_of_hydra, plan_hydra},
};

}  // namespace

double runs_per_node(const std::vector<std::vector<std::uint32_t>>& ranks_of_node) {
  double runs = 0;
  for (const auto& ranks : ranks_of_node)
    for (std::size_t i = 0; i < ranks.size(); ++i) runs += i == 0 || ranks[i - 1] + 1 != ranks[i] ? 1 : 0;
  return runs / static_cast<double>(ranks_of_node.size());
}

const Launcher* find_launcher(const Words& words) {
  const auto found = std::ranges::find_if(launchers, [&](const Launcher& each) { return each.detect(words); });
  return found == std::end(launchers) ? nullptr : found;
}

std::string launcher_names() {
  return joined(launchers, ", ", [](const Launcher& launcher) { return launcher.name; });
}

// Options of mpirun and mpiexec whose value can be the name of a program. Written without "-" or "--".
constexpr std::string_view program_as_value[] = {"bootstrap",     "bootstrap-exec", "launcher", "launch-agent",
                                                 "launcher-exec", "rank-by",        "rmk"};
constexpr std::string_view working_directory[] = {"wdir", "wd"};  // the value is a directory
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
