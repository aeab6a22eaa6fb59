/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records a decision in its job: as environment variables for commands, and as a part of the system comment for users.
 * Other text in the comment is kept.
 */
#ifndef PLACEMENT_SELECT_RECORD_H
#define PLACEMENT_SELECT_RECORD_H

#include "plugins/compat/slurm_compat.h"
#include "plugins/planning/decide.h"

/*
 * ---- variables
 *
 * The batch script finds the variables that slurmctld adds to a job's environment there. srun and salloc get them with
 * the answer to their request for nodes.
 */

/* Returns the value of the variable `name`, valid until the job's variables change; NULL without that variable. */
const char *job_variable(const job_record_t *job, const char *name);

/* Sets the variable `name` of the job, replacing an older value. Removes the variable if `value` is NULL or empty. */
void set_job_variable(job_record_t *job, const char *name, const char *value);

/*
 * Sets the variable `name` of the job, or removes it if `value` is NULL or empty. The batch script of a heterogeneous
 * job gets the variables of the first component only. Therefore the variable of component K (K > 0) is also set in the
 * first component, as NAME_HET_GROUP_K, the name that salloc gives it.
 */
void set_variable_of_job(job_record_t *job, const char *name, const char *value);

/*
 * Does what set_variable_of_job() does, for a variable that a step can be placed without. The variable is left out if
 * those added to the component, or to the first component, would exceed 256 KiB.
 */
void set_optional_variable_of_job(job_record_t *job, const char *name, const char *value);

/*
 * Adds the shipped request of a component of a heterogeneous job (the PLACEMENT_ variables) to the environment of
 * this component. So srun finds the policy of each component. The variables get the names that SPANK variables have
 * in a batch script (SLURM_SPANK_PLACEMENT_..). A job carries at most 1 MiB of variables; the rest is left out, and
 * srun reports that it is missing. Does nothing for a job that is not heterogeneous.
 */
void set_policy_variables(job_record_t *job);

/* ---- the decision */

/* Sets the fields of `request` that identify the job. A task of an array gets the array's ID: its own comes only later. */
void describe_job(struct placement_request *request, const job_record_t *job);

/* Writes the decision into the job's system comment. An older decision is replaced. */
void record_write(job_record_t *job);

/*
 * Sets PLACEMENT_JOB_DECISION, so that the user's commands can report how the decision ended. For a batch job, also
 * sets PLACEMENT_JOB_START.
 */
void set_decision_variables(job_record_t *job);

/* Removes the decision of an earlier start of the job, or of another task of the array, if there is one. */
void forget_earlier_decision(job_record_t *job);

#endif
