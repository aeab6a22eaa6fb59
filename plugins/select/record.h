/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a job carries of the decision about it: variables of its environment, and a part of its system comment for people,
 * for example
 *     placement: job=7 restarts=0 policy=TREEMATCH chose=nodes+cores tasks=8 nodes=2 cost=..;
 * The part reaches from "placement:" to the ";" and has at most 511 bytes. It has printable ASCII characters only, without
 * quotes and backslashes, because the text may end up in SQL. Text of others around it is kept.
 */
#ifndef PLACEMENT_SELECT_RECORD_H
#define PLACEMENT_SELECT_RECORD_H

#include "plugins/compat/slurm_compat.h"
#include "plugins/planning/decide.h"

/*
 * Puts the job's ID into the decision. A task of an array has that of its array, because it gets its own one only after
 * Slurm's select plugin was asked.
 */
void name_job(struct placement_decision *decision, const job_record_t *job);

/* Writes the decision into the job's system comment. An older decision is replaced. */
void record_write(job_record_t *job, const struct placement_decision *decision);

/*
 * Sets PLACEMENT_JOB_DECISION, so that the commands of the job's user can say how the decision ended. With a batch job
 * also PLACEMENT_JOB_START is set. `mode` is the mode in force.
 */
void set_decision_variables(struct placement_decision *decision, job_record_t *job, enum placement_mode mode);

/*
 * Removes what the job carries of an earlier decision: that of another start, or of another task of the array. A job
 * that carries nothing is not changed.
 */
void forget_earlier_decision(job_record_t *job);

/* Passes the decision to the history and, at debug level, to the log. It is called once for each decision. */
void decision_done(const struct placement_decision *decision);

#endif
