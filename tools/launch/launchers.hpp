// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <utility>

#include "spank/step/step_ranks.hpp"
#include "tools/input/command_line.hpp"
#include "tools/map/map_run.hpp"
#include "tools/map/map_task.hpp"

namespace placement::tools {

using Words = std::vector<std::string>;

// The launcher cannot place the ranks by this mapping. The program then starts as the launcher starts it.
class CannotPlace : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// These markers replace the paths of the launcher's file and script in words and values.
inline constexpr std::string_view file_marker = "@PLACEMENT_FILE@";
inline constexpr std::string_view script_marker = "@PLACEMENT_SCRIPT@";

// A command line, and what it needs.
struct Launch {
  Words words;
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string file = {};    // text of the launcher's file; empty: there is none
  bool on_nodes = false;    // the ranks read the file, so it is in the working directory
  std::string script = {};  // text of a script that the launcher runs; empty: there is none
  std::string method = {};  // for the summary, for example "srun -m arbitrary"
  bool own_order = false;   // MPI computes the order itself, and reports its hop-bytes
};

// The mapping of a job's allocation.
struct Mapping {
  const spank::Allocation& allocation;
  const MapTask& task;
  const MapOutcome& outcome;
  std::string configuration;  // the output of "scontrol show config"
};

// One launcher. `plan` may change `launch.words`, which start with the launcher.
struct Launcher {
  const char* name;
  bool by_policy;  // if the plugins are installed, it takes -m POLICY
  bool (*detect)(const Words& words);
  // Returns the step that the words ask for. Throws CannotPlace if they choose its nodes themselves.
  AllocationStep (*step)(const Words& words);
  // Returns the length of the map from ranks to nodes that MPI reads from this launcher; null: it can read all maps.
  spank::MapLength (*map_length)(const Words& words, const std::string& configuration);
  // Adds the placement to the words. Throws CannotPlace.
  void (*plan)(const Mapping& mapping, Launch& launch);
};

// Returns the launcher of the command line, or null.
const Launcher* find_launcher(const Words& words);

// Returns the names of all launchers, for a message.
std::string launcher_names();

// Returns true if srun has the options of the placement plugins.
bool srun_has_policies();

// Returns the program and its arguments in a command line of this launcher; empty if they are not found.
Words program_of(const Words& words);

// Returns the text as one word of a shell.
std::string quoted(const std::string& text);

// Becomes the command, which is searched for in PATH. Returns errno if it cannot be run.
int become(const Words& words);

// Becomes the command. Throws Error if it cannot be run.
[[noreturn]] void execute(const Words& words);

// Returns the words of a command of Slurm with -m for the policy, matrix, pattern, --auto and --weight of the command
// line, and with its --ntasks. The plugins must be installed. Without any of them, a step (`of_job`) gets no -m,
// because the policy of its job applies, and a job gets TREEMATCH.
Words words_with_policy(const CommandLine& line, Words words, bool of_job);

}  // namespace placement::tools
