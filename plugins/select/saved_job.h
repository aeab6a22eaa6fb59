/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields of a job that a call of the real plugin may change, saved to undo that call.
 */
#ifndef PLACEMENT_SELECT_SAVED_JOB_H
#define PLACEMENT_SELECT_SAVED_JOB_H

#include <time.h>

#include "plugins/compat/job_test_call.h"

struct saved_job {
	uint64_t bit_flags;
	uint32_t priority;
	uint16_t state_reason;
	char *state_desc;
	uint32_t total_cpus;
	time_t start_time;
	uint32_t min_cpus;
	uint64_t pn_min_memory;
	bitstr_t *nodes;
};

/* Copies the fields of the job, and the nodes, of `arguments`. The caller frees the copy with saved_job_free(). */
void saved_job_fill(struct saved_job *saved, const struct job_test_arguments *arguments);

/* Sets the fields of the job, and the nodes, of `arguments` to the copy. It can be called several times. */
void saved_job_restore(const struct saved_job *saved, const struct job_test_arguments *arguments);

void saved_job_free(struct saved_job *saved);

#endif
