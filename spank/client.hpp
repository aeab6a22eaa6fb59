// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/matrix/written_profile.hpp"
#include "spank/mpirun_plan.hpp"
#include "spank/request/options.hpp"
#include "spank/request/spank_api.hpp"
#include "spank/step/slurm_view.hpp"

namespace placement::spank {

// The steps of the plugin in srun, sbatch and salloc. No function throws.

// Registers the options --placement, --comm-matrix and --profile-comm. They are also registered on the nodes, because
// Slurm forwards options there.
void register_options(spank_t spank);

// Registers the options, intercepts -m, and removes the variables of an outer job from the environment. Call it before
// the options are parsed.
void client_begin(spank_t spank);

// Reads the matrix of the component whose options were just parsed, and ships its request with the job. On an error the
// command ends after a message, with exit code 1 or that of SLURM_EXIT_ERROR. A return code would not suffice, because
// Slurm submits the job anyway if plugstack.conf has the plugin as "optional".
void client_options_done(spank_t spank);

// Places the ranks of the step, and prepares its profile. Call it in srun when the step is created and not yet
// launched. On an error the step runs with stock placement, and a message has the reason.
void client_place_step(spank_t spank);

// Removes the hooks. Call it when the command ends.
void client_end();

// The state that the plugin keeps in srun, sbatch or salloc between Slurm's calls.
struct Client {
  bool is_srun = false;
  bool is_salloc = false;
  MpirunPlan mpirun_plan;         // the plan of the job that the command runs in
  std::string outer_job;          // the ID of the job that the command runs in; empty if there is none
  PlacementOptions options;       // the options of the component that is being parsed
  bool hooked = false;            // the hook for -m is installed, so -m may name a policy
  int components = 0;             // the number of components whose options are done
  std::size_t shipped_bytes = 0;  // size of the variables for the finished components
  std::optional<PlacementRequest> placement_request;  // the request of the last component so far
  bool any_request = false;                           // a component has a request
  std::vector<bool> asks_for_nodes;                   // for each component: slurmctld chooses its nodes by a policy
  std::optional<std::string> profile;                 // the file of --profile-comm, empty for the user's store
  std::optional<AwaitedProfile> awaited_profile;      // of this srun's step with --profile-comm
  bool no_profile = false;                            // --no-profile
  bool looked_for_profile = false;                    // the user has a message about the search for a stored profile
  PlacementOptions last_options;                      // the options of the last component so far
  std::unique_ptr<JobQuery> job_query;                // the query that runs while srun creates its step; null: none
};

// Returns the state of this process.
Client& client();

// Returns whether this srun starts a step of an existing job: the job that it runs in, or that of --jobid.
bool starts_step_of_old_job();

// Returns the value of the variable `name` in the request of the job that this srun runs in, or null.
const char* request_variable(const char* name);

// Returns the number of tasks, if the options fix it. An srun inside a job inherits -n from the job's environment.
// There, -n counts only if it differs from the job's number, because only then did the user give it.
std::optional<std::int32_t> task_count();

// Notifies the user if the job that srun or salloc has just got does not have the policy's nodes. `component` is the
// component of a heterogeneous job, else 0; `decision` is the value of PLACEMENT_DECISION, null if the job has none.
void tell_decision(std::uint32_t job, std::uint32_t component, const char* decision);

// The variable with the node of rank 0, for the tasks of a placed step. Its name begins with SLURM, because srun
// --export=NONE passes on only variables that begin so.
inline constexpr const char* first_node_variable = "SLURM_PLACEMENT_FIRST_NODE";

// Places the ranks of the step that this srun is about to launch, if its own options or its job ask for a policy.
// `placement_request` is the request of its own options, if any. If a job that was made for the step does not have the
// policy's nodes, notifies the user first. Throws Error, and records the reason, if the step must run as stock.
void place_own_step(spank_t spank, std::optional<PlacementRequest> placement_request);

}  // namespace placement::spank
