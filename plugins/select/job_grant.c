/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/job_grant.h"

/* Returns the number of tasks for which a step of the job has CPUs on the node, as Slurm's step layout counts them. */
static uint32_t room_for_tasks(const job_record_t *job, const node_record_t *node, uint32_t cpus)
{
	const job_details_t *details = job->details;
	const multi_core_data_t *mc = details->mc_ptr;
	uint32_t threads = MAX(node->config_ptr->threads, 1);
	uint32_t cpus_per_task = MAX(given16(details->cpus_per_task), 1), most = given16(details->ntasks_per_node);
	uint32_t tasks;

	if (mc && given16(mc->threads_per_core) == 1)
		cpus /= threads;
	else if (mc && given16(mc->ntasks_per_core) == 1)
		cpus_per_task = MAX(cpus_per_task, threads);
	tasks = MAX(cpus / cpus_per_task, 1);
	return most ? MIN(tasks, most) : tasks;
}

bool job_grant_fill(struct placement_grant *grant, const struct job_view *view, const job_record_t *job)
{
	struct job_resources *got = job->job_resrcs;
	uint32_t cores = view->first_core[view->offer.node_count];
	bitstr_t *held = NULL;
	uint32_t n = 0;

	*grant = (struct placement_grant) { .node = NULL };
	if (!got || !got->node_bitmap || !got->cpus)
		return false;
	grant->node = xcalloc(got->nhosts + 1, sizeof(uint32_t));
	grant->room = xcalloc(got->nhosts + 1, sizeof(uint32_t));
	grant->core_given = xcalloc(cores + 1, sizeof(uint8_t));
	mark_cores_of_job(got, &held);
	for (uint32_t at = 0; at < view->offer.node_count && n < got->nhosts && held; at++) {
		const node_record_t *node = node_record_table_ptr[view->record[at]];
		int from = cr_get_coremap_offset(view->record[at]);

		if (!bit_test(got->node_bitmap, view->record[at]))
			continue;
		for (uint32_t c = view->first_core[at]; c < view->first_core[at + 1]; c++, from++)
			grant->core_given[c] = bit_test(held, from);
		grant->room[n] = room_for_tasks(job, node, got->cpus[n]);
		grant->node[n++] = at;
	}
	FREE_NULL_BITMAP(held);
	grant->node_count = n;
	return n == got->nhosts;
}

void job_grant_free(struct placement_grant *grant)
{
	xfree(grant->node);
	xfree(grant->room);
	xfree(grant->core_given);
}
