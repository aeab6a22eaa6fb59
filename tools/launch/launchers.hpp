// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <utility>

#include "spank/step/step_ranks.hpp"
#include "tools/input/command_line.hpp"
#include "tools/map/map_run.hpp"
#include "tools/map/map_task.hpp"

namespace placement::tools {

using Words = std::vector<std::string>;

// Thrown if the ranks of a command line cannot be placed. The message is the reason. Without --strict, the command then
// starts unchanged.
class CannotPlace : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// These markers stand for the paths of the launcher's file and script in `words` and `environment` of a Launch, until
// the files are written.
inline constexpr std::string_view file_marker = "@PLACEMENT_FILE@";
inline constexpr std::string_view script_marker = "@PLACEMENT_SCRIPT@";

// A command line to start, with the variables and files that it needs.
struct Launch {
  Words words;
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string file = {};    // the text of the launcher's file; empty: the launcher needs none
  bool on_nodes = false;    // the ranks read the file, so it must be in the working directory
  std::string script = {};  // the text of a script that the launcher runs; empty: it runs none
  std::string method = {};  // for the summary, for example "srun -m arbitrary"
  bool own_order = false;   // libplacement-reorder.so computes the order inside MPI, and reports the hop-bytes
};

// The mapping of a job's allocation.
struct Mapping {
  const spank::Allocation& allocation;
  const MapTask& task;
  const MapOutcome& outcome;
};

// One launcher. `plan` may change `launch.words`, which start with the launcher.
struct Launcher {
  const char* name;
  bool by_policy;  // with the plugins, the launcher gets -m POLICY in place of `plan`, unless only nodes are placed
  bool (*detect)(const Words& words);
  // Returns the step that `words` request. Throws CannotPlace if options in `words` place the ranks or nodes
  // themselves.
  AllocationStep (*step)(const Words& words);
  // Returns the function for the length of the map from ranks to nodes that MPI gets from this launcher. Null: MPI can
  // read all maps.
  spank::MapLength (*map_length)(const Words& words, const std::string& configuration);
  // Adds the placement to `launch`. Throws CannotPlace if the launcher cannot use it.
  void (*plan)(const Mapping& mapping, Launch& launch);
};

// Returns the length of a map for Hydra: the mean number of runs of successive ranks on a node. Hydra takes each line
// of its file for a separate node. So MPI knows the nodes of the ranks only if each node has one run, a length of 1.
double runs_per_node(const std::vector<std::vector<std::uint32_t>>& ranks_of_node);

// Returns the launcher of the command line, or null.
const Launcher* find_launcher(const Words& words);

// Returns the names of all launchers, for a message.
std::string launcher_names();

// Returns true if srun has the options of the placement plugins.
bool srun_has_policies();

// Returns the program and its arguments from `words`, the command line of a launcher; empty if they are not found.
Words program_of(const Words& words);

// Returns the path of a program, from PATH if the name has no '/'; empty if it is not found or is a directory.
std::string path_in_search(const std::string& program);

// Returns the text as one word of a shell, in quotes if necessary.
std::string quoted(const std::string& text);

// Replaces this process by the command, as execvp() does. Returns errno if the command cannot be run.
int become(const Words& words);

// Replaces this process by the command. Throws Error if the command cannot be run.
[[noreturn]] void execute(const Words& words);

// Returns `words`, a command of Slurm, with -m and --comm-matrix for the options of `line`: policy, pattern, --auto,
// --weight and matrix. The default policy is TREEMATCH. With `of_job` the command starts a step of a job. It also gets
// --ntasks of `line`. If `line` has only --ntasks, the command gets no -m, because the policy of the job applies. The
// plugins must be installed.
Words words_with_policy(const CommandLine& line, Words words, bool of_job);

}  // namespace placement::tools
