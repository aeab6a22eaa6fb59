/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What was decided, where a person can see it: a piece of the job's system comment
 *     placement: job=7 restarts=0 policy=TREEMATCH nodes=2 cores cost=..;
 * from "placement:" to the ";", no longer than RECORD_SIZE, of printable characters without quotes
 * and backslashes (the text may end up in SQL). What others write around it stays.
 */
#ifndef PLACEMENT_SELECT_RECORD_H
#define PLACEMENT_SELECT_RECORD_H

#include "plugins/compat/slurm_compat.h"
#include "plugins/select/decide.h"

#define RECORD_SIZE 512

struct decision {
	uint32_t job_id;			/* for a task of a job array the array's */
	uint32_t array_task;			/* NO_VAL: the job is in no array */
	uint16_t restarts;
	uint32_t uid;
	bool started;				/* Slurm has allocated nodes for a start */
	uint16_t mode;				/* of select_p_job_test */
	enum decision_end end;
	const char *reason;			/* of DECISION_STOCK, and of DECISION_WAIT without a plan */
	const struct placement_plan *plan;	/* NULL: it did not come to one */
	char *given;				/* nodes that Slurm allocated, or NULL */
	char *stock_choice;			/* nodes that Slurm itself chose, or NULL */
};

/* Puts the decision into the job's system comment, in place of an older one. */
void record_write(job_record_t *job, const struct decision *decision);

/* Takes an older one out: it may be of another start, or of another task of the array. */
void record_clear(job_record_t *job);

/* The end of each decision, whatever became of it. */
void decision_done(const struct decision *decision);

/* The value of PLACEMENT_JOB_DECISION, at most size bytes with the final zero. */
void record_variable(char *text, size_t size, const struct decision *decision,
		     enum placement_mode mode);

/* The text of a decision, at most size bytes with the final zero. */
void record_format(char *text, size_t size, const struct decision *decision);

/* `comment` without the piece that is ours; xfree() it. NULL when nothing is left. */
char *record_without_own(const char *comment);

#endif
