// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/state/controller_state.hpp"
#include "common/topology/cluster_view.hpp"

namespace placement::tools {

// Returns whether this host has a slurm.conf. Without one, Slurm's commands look for it in the DNS, for 15 s. Also true
// if placectl was built without the path of Slurm's commands, which may know another slurm.conf.
bool knows_slurm_conf();

// Returns whether a slurmctld answers "scontrol ping", which tries once. Other requests to a slurmctld that does not
// answer are repeated for half a minute. The result is false without a slurm.conf.
bool slurmctld_answers();

// The answer of slurmctld, or the reason why there is none.
struct ControllerInput {
  std::optional<ControllerState> state;  // none: see why_not
  std::string why_not;
};

// Asks slurmctld which settings are in force.
ControllerInput read_controller();

// Returns a text for a line of output, such as "enforce, by /etc/slurm/placement.conf" or why the mode is not known.
std::string described(const ControllerInput& controller);

// Returns the settings in force in slurmctld, or none when they are not known: slurmctld does not report them, or could
// not read its placement.conf.
std::optional<Config> settings_in_force(const ControllerInput& controller);

// Returns the settings of `config`, one "Key=value" on each line. A key without a value is written as a comment.
std::string format_settings(const Config& config);

// Returns one line for each setting of `file`, a configuration of this host, that slurmctld does not use. A line is "#
// Key=value of this file is not in force (Key=other is): scontrol reconfigure". `reader` names the place of slurmctld's
// own file; empty: `file` is that file.
std::string settings_not_in_force(const Config& file, const Config& in_force, const std::string& reader);

// Returns this host's placement.conf for a command that only reads records. If the file is missing or has a mistake,
// returns the defaults; a mistake is printed on standard error.
Config config_for_records();

// Returns the output of "scontrol show config". Asks slurmctld once. Throws Error if it does not answer.
const std::string& configuration_of_slurmctld();

// Returns the name of the cluster, for own_topology(). Outside a job, asks slurmctld. Throws Error if it does not
// answer.
std::string name_of_cluster();

// Returns the machine of all nodes that slurmctld shows the caller, by view_of_shown(). All cores of a node are free,
// unless it is down, drained or powered down, so that no job could start there. Throws Error, also on a host without a
// slurm.conf.
ClusterView machine_of_slurmctld(const std::string& cluster = {});

// Returns the cores of each running job that slurmctld shows to the caller, as leaves of view.tree. Throws Error.
std::vector<std::vector<std::int32_t>> leaves_of_running_jobs(const ClusterView& view);

// When and where slurmctld would start a job.
struct Start {
  std::uint32_t job = 0;
  std::string time, processors, nodes, partition;
  std::time_t seconds = 0;  // from now until the start; 0 for a time in another form than YYYY-MM-DDTHH:MM:SS

  bool has_to_wait() const { return seconds > 5; }  // false: it starts at once
};

// The answer of srun or sbatch to --test-only.
struct TestedStart {
  std::optional<Start> start;
  std::string other_lines;  // what it also prints on standard output and standard error
  int exit_code = 0;
};

// Runs srun or sbatch with --test-only, which prints when and where the job would start. If the version of srun
// requires a program, "true" is added. Otherwise it is not added, because the program and its arguments select the
// stored profile. `changes` are changes of the environment, as arguments of env(1).
TestedStart test_only(std::vector<std::string> words, const std::vector<std::string>& changes = {});

}  // namespace placement::tools
