/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records a decision in its job: as environment variables for commands, and in the job's system comment for users.
 * Keeps other text in the comment.
 */
#ifndef PLACEMENT_SELECT_RECORD_H
#define PLACEMENT_SELECT_RECORD_H

#include "plugins/compat/slurm_compat.h"
#include "plugins/planning/decide.h"

/*
 * ---- variables
 *
 * These functions change env_sup of a job's details: the variables that slurmctld adds to the job's environment. The
 * batch script has them in its environment. srun and salloc get them with the allocation.
 */

/* Returns the value of the variable `name`, or NULL if env_sup does not have it. Valid until env_sup changes. */
const char *job_variable(const job_record_t *job, const char *name);

/* Sets the variable `name` of the job, replacing an older value. Removes the variable if `value` is NULL or empty. */
void set_job_variable(job_record_t *job, const char *name, const char *value);

/*
 * Sets the variable `name` of the job, or removes it if `value` is NULL or empty. The batch script of a heterogeneous
 * job gets the variables of the first component only. If that job has a batch script, the variable of component K
 * (K > 0) is therefore also set in the first component. Its name there is NAME_HET_GROUP_K, as with salloc.
 */
void set_variable_of_job(job_record_t *job, const char *name, const char *value);

/*
 * Calls set_variable_of_job() for a variable that steps can do without. Removes the variable instead if `value` and the
 * variables in env_sup of the job exceed 256 KiB together. For a component K > 0 of a heterogeneous job, the sum also
 * includes env_sup of the first component.
 */
void set_optional_variable_of_job(job_record_t *job, const char *name, const char *value);

/*
 * `job` is a component of a heterogeneous job. Calls set_variable_of_job() for each variable of its request, so that
 * srun finds the policy of each component. The names are those of SPANK variables in a batch script:
 * SLURM_SPANK_PLACEMENT_... Skips a variable with which env_sup of the component or of the first component would exceed
 * 1 MiB. Copies at most 64 variables, and none while the first component has 768 or more. Does nothing for a job that
 * is not heterogeneous.
 */
void set_policy_variables(job_record_t *job);

/* ---- the decision */

/*
 * Sets the fields of `request` that identify the job. For a task of an array, job_id is the ID of the array, because
 * Slurm gives the task an ID of its own only later.
 */
void describe_job(struct placement_request *request, const job_record_t *job);

/* Writes the decision into the job's system comment. Replaces an older decision. */
void record_write(job_record_t *job);

/*
 * Sets PLACEMENT_JOB_DECISION, so that the user's commands can report how the decision ended. For a batch job, also
 * sets PLACEMENT_JOB_START.
 */
void set_decision_variables(job_record_t *job);

/*
 * Removes the decision of an earlier start of the job, or of another task of its array, from the system comment and
 * from the variables.
 */
void forget_earlier_decision(job_record_t *job);

#endif
