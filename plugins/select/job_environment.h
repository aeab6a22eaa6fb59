/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Variables that slurmctld adds to a job's environment: the batch script has them, and so has srun or
 * salloc with the answer to its request for nodes.
 */
#ifndef PLACEMENT_SELECT_SUPPLY_H
#define PLACEMENT_SELECT_SUPPLY_H

#include "plugins/compat/slurm_compat.h"

/* The value, or NULL where the job has no such variable; valid until the next change of its variables. */
const char *job_variable(const job_record_t *job, const char *name);

/* In place of an older value; NULL or an empty one takes the variable out. */
void set_job_variable(job_record_t *job, const char *name, const char *value);

/*
 * Supplies the job. A batch script has the variables of a heterogeneous job's first component alone: that one
 * gets those of component K as well, as NAME_HET_GROUP_K, which is what salloc calls them.
 */
void set_variable_of_job(job_record_t *job, const char *name, const char *value);

/*
 * Supplies a component of a heterogeneous job with what its user asked of us (the PLACEMENT_ variables for plugins), by
 * the names that plugins' variables have in a batch script, so that srun finds the policy of each component. No more
 * than 1 MiB in all goes with a job; the rest is left out, and srun says that it is missing.
 */
void set_policy_variables(job_record_t *job);

#endif
