/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The decision as text for people: a part of the job's system comment, for example
 *     placement: job=7 restarts=0 policy=TREEMATCH chose=nodes+cores tasks=8 nodes=2 cost=..;
 * The part reaches from "placement:" to the ";" and has at most RECORD_SIZE bytes with the final zero. It has printable
 * ASCII characters only, without quotes and backslashes, because the text may end up in SQL. Text of others around it
 * is kept.
 */
#ifndef PLACEMENT_SELECT_RECORD_H
#define PLACEMENT_SELECT_RECORD_H

#include "plugins/compat/slurm_compat.h"
#include "plugins/planning/decide.h"

#define RECORD_SIZE 512

/* Writes the decision into the job's system comment. An older decision is replaced. */
void record_write(job_record_t *job, const struct placement_outcome *decision);

/*
 * Removes a decision from the job's system comment. The old one may belong to another start of the job, or to another
 * task of the array.
 */
void record_clear(job_record_t *job);

/* Passes the decision to the history and, at debug level, to the log. It is called once for each decision. */
void decision_done(const struct placement_outcome *decision);

/*
 * Writes the value of PLACEMENT_JOB_DECISION to `text`, at most `size` bytes with the final zero. `mode` is the mode in
 * force.
 */
void record_variable(char *text, size_t size, const struct placement_outcome *decision,
		     enum placement_mode mode);

/* Writes the text of a decision, as shown above, to `text`, at most `size` bytes with the final zero. */
void record_format(char *text, size_t size, const struct placement_outcome *decision);

/*
 * Returns a copy of `comment` without the text of a decision, or NULL if nothing is left. `comment` may be NULL. The
 * caller frees the copy with xfree().
 */
char *record_without_own(const char *comment);

#endif
