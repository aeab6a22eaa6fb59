// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/util/decision_outcome.h"

// The variables that carry a job's request to slurmctld and to the job's steps, and slurmctld's answer to the job's
// processes. doc/architecture.md, "Variables of a job", lists their writers and readers.
namespace placement {

// ---- The request, in Slurm's job control environment, from the submitting command to slurmctld and to every srun of
// the job. In the environment of a batch script or of salloc's shell, Slurm adds this prefix to the names:
inline constexpr const char* job_environment_prefix = "SLURM_SPANK_";
// The prefix of the names of all variables of a request.
inline constexpr const char* request_prefix = "PLACEMENT_";

// The version of this format; its value is request_version.
inline constexpr const char* request_version_variable = "PLACEMENT_VERSION";
inline constexpr const char* request_version = "1";
// The policy and its keys, as "TREEMATCH=scope=whole".
inline constexpr const char* request_policy_variable = "PLACEMENT_POLICY";
// Replaces the version and the policy if the matrix comes from a stored profile (matrix=auto) that does not exist yet.
// slurmctld then makes no decision, and each step looks for a profile.
inline constexpr const char* request_automatic_variable = "PLACEMENT_AUTO";
// The component of a heterogeneous job to which the request belongs; not set for component 0 and for other jobs.
inline constexpr const char* request_component_variable = "PLACEMENT_COMPONENT";
// Set if the policy was given after a distribution of Slurm such as -m block, or if sbatch or salloc had the variable
// SLURM_DISTRIBUTION. The steps of the job then ignore a distribution in their environment.
inline constexpr const char* request_overrides_variable = "PLACEMENT_OVERRIDES_DISTRIBUTION";
// The number of pieces of the matrix in base64url; piece K is the variable request_piece_variable followed by K.
inline constexpr const char* request_pieces_variable = "PLACEMENT_MATRIX_PIECES";
inline constexpr const char* request_piece_variable = "PLACEMENT_MATRIX_";
// Set if ranks stay in natural order under any policy: the step spans components of a heterogeneous job.
inline constexpr const char* natural_order_variable = "PLACEMENT_NATURAL_ORDER";
// The user's switch for Open MPI's mpirun; it also works in the environment of the submitting command. "no": no plan is
// made for mpirun. "yes": Open MPI's own variables name the plan, as with MpirunByPolicy=yes.
inline constexpr const char* mpirun_switch_variable = "PLACEMENT_MPIRUN";
// Set if the user gave --quiet, so that no messages are printed.
inline constexpr const char* job_quiet_variable = "PLACEMENT_QUIET";

// ---- The answer, in the environment of the job's processes, from slurmctld.
// The outcome of the decision for the job: "JOB nodes", "JOB nodes+cores", or "JOB stock: REASON" on Slurm's own nodes.
inline constexpr const char* job_decision_variable = PLACEMENT_JOB_DECISION;
// The start of a batch job to which the decision belongs: "JOB RESTARTS" or, for a task of an array,
// "JOB_TASK RESTARTS". RESTARTS counts as the variable SLURM_RESTART_COUNT of the batch script does.
inline constexpr const char* job_start_variable = PLACEMENT_JOB_START;
// The JobState (job_state.hpp).
inline constexpr const char* job_state_variable = PLACEMENT_JOB_STATE;
// The PlannedRanks (planned_ranks.hpp).
inline constexpr const char* planned_ranks_variable = PLACEMENT_PLANNED_RANKS;

}  // namespace placement
