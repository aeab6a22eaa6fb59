// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spank/step/step_ranks.hpp"
#include "tools/launch/srun_words.hpp"
#include "tools/map/map_run.hpp"
#include "tools/map/map_task.hpp"

namespace placement::tools {

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
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string file;       // text of the launcher's file; empty: there is none
  bool on_nodes = false;  // the ranks read the file, so it is in the working directory
  std::string script;     // text of a script that the launcher runs; empty: there is none
  std::string method;     // for the summary, for example "srun -m arbitrary"
};

// The mapping of a job's allocation.
struct Mapping {
  const spank::Allocation& allocation;
  const MapTask& task;
  const MapOutcome& outcome;
  std::string configuration;  // the output of "scontrol show config"
};

// One launcher. `prepare` and `plan` may change `launch.words`, which start with the launcher.
struct Launcher {
  const char* name;
  bool by_policy;  // if the plugins are installed, it takes -m POLICY
  bool (*detect)(const std::vector<std::string>& words);
  // Returns the step that the words ask for. Throws CannotPlace if they choose its nodes themselves.
  AllocationStep (*step)(const std::vector<std::string>& words);
  // Returns the length of the map from ranks to nodes that MPI reads from this launcher; null: it can read all maps.
  spank::MapLength (*map_length)(const std::vector<std::string>& words, const std::string& configuration);
  // Adds the placement to the words. Throws CannotPlace.
  void (*plan)(const Mapping& mapping, Launch& launch);
};

// Returns the launcher of the command line, or null.
const Launcher* find_launcher(const std::vector<std::string>& words);

// Returns the names of all launchers, for a message.
std::string launcher_names();

// Returns true if srun has the options of the placement plugins.
bool srun_has_policies();

// Returns the program and its arguments in a command line of this launcher; empty if they are not found.
std::vector<std::string> program_of(const std::vector<std::string>& words);

}  // namespace placement::tools
