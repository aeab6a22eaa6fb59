/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records a decision in its job: as environment variables for commands, and as a part of the system comment for users.
 * An example of this part is
 *     placement: job=7 restarts=0 policy=TREEMATCH chose=nodes+cores tasks=8 nodes=2 cost=..;
 * The part, from "placement:" to the ";", has at most 511 bytes. It is printable ASCII without quotes and backslashes,
 * because the text may end up in SQL. Other text in the comment is kept.
 */
#ifndef PLACEMENT_SELECT_RECORD_H
#define PLACEMENT_SELECT_RECORD_H

#include "plugins/compat/slurm_compat.h"
#include "plugins/planning/decide.h"

/*
 * Puts the job ID into the decision. A task of an array gets the ID of the array, because Slurm gives the task its own
 * ID only after asking the select plugin.
 */
void name_job(struct placement_decision *decision, const job_record_t *job);

/* Writes the decision into the job's system comment. An older decision is replaced. */
void record_write(job_record_t *job, const struct placement_decision *decision);

/*
 * Sets PLACEMENT_JOB_DECISION, so that the user's commands can report how the decision ended. For a batch job, also
 * sets PLACEMENT_JOB_START. `mode` is the mode in force.
 */
void set_decision_variables(struct placement_decision *decision, job_record_t *job, enum placement_mode mode);

/*
 * Removes a decision that was made for an earlier start of the job, or for another task of the array. Does nothing if
 * the job has no earlier decision.
 */
void forget_earlier_decision(job_record_t *job);

/* Passes the decision to the history and, at debug level, to the log. It is called once for each decision. */
void decision_done(const struct placement_decision *decision);

#endif
