/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a job carries of the decision about it: three variables of its environment and a part of its system comment
 * (record.h). They are those of the start that is in force, because a job may start several times, and the tasks of an
 * array that still wait are copies of one that has started.
 */
#ifndef PLACEMENT_SELECT_JOB_DECISION_H
#define PLACEMENT_SELECT_JOB_DECISION_H

#include "plugins/compat/slurm_compat.h"
#include "plugins/planning/decide.h"

/*
 * Puts the job's ID into the decision. A task of an array has that of its array, because it gets its own one only after
 * Slurm's select plugin was asked.
 */
void name_job(struct placement_outcome *decision, const job_record_t *job);

/*
 * Sets PLACEMENT_JOB_DECISION, so that the commands of the job's user can say how the decision ended. With a batch job
 * also PLACEMENT_JOB_START is set. `mode` is the mode in force.
 */
void set_decision_variables(struct placement_outcome *decision, job_record_t *job, enum placement_mode mode);

/*
 * Removes what the job carries of an earlier decision: that of another start, or of another task of the array. A job
 * that carries nothing is not changed.
 */
void forget_earlier_decision(job_record_t *job);

#endif
