/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/saved_job.h"

void saved_job_fill(struct saved_job *saved, const struct job_test_arguments *arguments)
{
	const job_record_t *job = arguments->job;

	*saved = (struct saved_job) {
		.bit_flags = job->bit_flags,
		.priority = job->priority,
		.state_reason = job->state_reason,
		.state_desc = xstrdup(job->state_desc),
		.total_cpus = job->total_cpus,
		.start_time = job->start_time,
		.min_cpus = job->details->min_cpus,
		.pn_min_memory = job->details->pn_min_memory,
		.nodes = bit_copy(arguments->nodes),
	};
}

void saved_job_restore(const struct saved_job *saved, const struct job_test_arguments *arguments)
{
	job_record_t *job = arguments->job;

	job->bit_flags = saved->bit_flags;
	job->priority = saved->priority;
	job->state_reason = saved->state_reason;
	xfree(job->state_desc);
	job->state_desc = xstrdup(saved->state_desc);
	job->total_cpus = saved->total_cpus;
	job->start_time = saved->start_time;
	job->details->min_cpus = saved->min_cpus;
	job->details->pn_min_memory = saved->pn_min_memory;
	bit_copybits(arguments->nodes, saved->nodes);
}

void saved_job_free(struct saved_job *saved)
{
	xfree(saved->state_desc);
	FREE_NULL_BITMAP(saved->nodes);
}
