/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/plan_call.h"

/*
 * Marks free cores of the offered node `node` in `taken`, one byte per core of the node. The number of cores is that of
 * the plan on this node; the sockets contribute cores in turn.
 */
static void spread_over_sockets(uint8_t *taken, const struct job_view *view, const struct placement_decision *plan,
				uint32_t node)
{
	const node_record_t *record = node_record_table_ptr[view->record[node]];
	uint32_t first = view->offer.first_core[node], cores = view->offer.first_core[node + 1] - first;
	uint32_t sockets = MAX(record->tot_sockets, 1), of_socket = MAX(cores / sockets, 1), left = 0;

	memset(taken, 0, cores);
	for (uint32_t c = 0; c < cores; c++)
		left += plan->core_wanted[first + c];
	for (uint32_t turn = 0; left && turn < of_socket * sockets; turn++) {
		uint32_t begin = (turn % sockets) * of_socket;

		for (uint32_t c = begin; c < begin + of_socket && c < cores; c++) {
			if (!view->offer.core_free[first + c] || taken[c])
				continue;
			taken[c] = 1;
			left--;
			break;
		}
	}
}

/*
 * Returns the excluded cores of `arguments`, and the cores of the planned nodes that Slurm must not use for `part`:
 *   PLAN_CORES   all cores that are not planned
 *   PLAN_COUNTS  all cores that spread_over_sockets() does not mark
 * The caller frees the result with excluded_cores_free().
 */
static excluded_cores_t *cores_to_exclude(const struct job_view *view, const struct placement_decision *plan,
					  const struct job_test_arguments *arguments, enum plan_part part)
{
	uint8_t *spread = xcalloc(view->offer.first_core[view->offer.node_count] + 1, sizeof(uint8_t));
	excluded_cores_t *cores = excluded_cores_copy(arguments->excluded_cores);

	for (uint32_t n = 0; n < plan->node_count; n++) {
		uint32_t node = plan->node[n];
		uint32_t cores_of_node = view->offer.first_core[node + 1] - view->offer.first_core[node];
		const uint8_t *wanted = plan->core_wanted + view->offer.first_core[node];

		if (part == PLAN_COUNTS) {
			spread_over_sockets(spread, view, plan, node);
			wanted = spread;
		}
		for (uint32_t c = 0; c < cores_of_node; c++)
			if (!wanted[c])
				excluded_cores_add(cores, view->record[node], c);
	}
	xfree(spread);
	return cores;
}

/* Returns true if none of the job's cores is an excluded one. */
static bool has_none_of(job_resources_t *got, const excluded_cores_t *excluded)
{
	bitstr_t *cores = NULL;
	bool none;

	mark_cores_of_job(got, &cores);
	none = cores != NULL;
	for (int n = 0; none && n < node_record_count && n < bit_size(got->node_bitmap); n++) {
		int first = cr_get_coremap_offset(n);

		if (!bit_test(got->node_bitmap, n))
			continue;
		for (int c = 0; none && c < node_record_table_ptr[n]->tot_cores; c++)
			none = !bit_test(cores, first + c) || !core_is_excluded(excluded, n, c);
	}
	FREE_NULL_BITMAP(cores);
	return none;
}

/*
 * Returns true if Slurm allocated all of `nodes` and no others, no core in `excluded` and, without overcommit, at least
 * min_cpus CPUs. Slurm can allocate fewer CPUs without an error: it can leave out a requested node, and it does not use
 * all free cores of a node if their number is not a multiple of --cpus-per-task.
 */
static bool as_planned(const struct job_test_arguments *arguments, bitstr_t *nodes, const excluded_cores_t *excluded)
{
	const job_record_t *job = arguments->job;
	const struct job_resources *got = job->job_resrcs;
	uint32_t cpus = 0;

	if (!got || !got->node_bitmap || !got->core_bitmap || !got->cpus)
		return false;
	for (uint32_t n = 0; n < got->nhosts; n++)
		cpus += got->cpus[n];
	if (cpus < job->details->min_cpus && !job->details->overcommit)
		return false;
	if (!bit_equal(got->node_bitmap, nodes))
		return false;
	return !excluded || has_none_of(job->job_resrcs, excluded);
}

int call_with_plan(const struct job_test_arguments *arguments, const struct job_view *view,
		   const struct placement_decision *plan, enum plan_part part)
{
	struct job_test_arguments narrow = *arguments;
	bitstr_t *nodes = bit_alloc(bit_size(arguments->nodes));
	excluded_cores_t *excluded = part != PLAN_NODES ? cores_to_exclude(view, plan, arguments, part) : NULL;
	int rc;

	for (uint32_t n = 0; n < plan->node_count; n++)
		bit_set(nodes, view->record[plan->node[n]]);
	bit_copybits(narrow.nodes, nodes);
	narrow.min_nodes = narrow.max_nodes = narrow.req_nodes = plan->node_count;
	narrow.preemptee_candidates = NULL;
	if (excluded)
		narrow.excluded_cores = excluded;
	rc = call_real_job_test(&narrow);
	if (rc == SLURM_SUCCESS && arguments->mode == SELECT_MODE_RUN_NOW &&
	    !as_planned(arguments, nodes, excluded))
		rc = SLURM_ERROR;
	FREE_NULL_BITMAP(nodes);
	excluded_cores_free(excluded);
	return rc;
}

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

/*
 * Returns the number of tasks of a step that fit on `cpus`, the number of CPUs that the job has on the node. Counts by
 * the rules of Slurm's step layout.
 */
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
	uint32_t cores = view->offer.first_core[view->offer.node_count];
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
		for (uint32_t c = view->offer.first_core[at]; c < view->offer.first_core[at + 1]; c++, from++)
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
