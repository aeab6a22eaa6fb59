/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/view_from_slurm.h"

#include "plugins/select/waiting.h"

enum node_cr_state node_request_of(const job_record_t *job)
{
	int max_share = job->part_ptr->max_share;

	if (max_share == 0)
		return NODE_CR_RESERVED;
	if ((max_share & SHARED_FORCE) || (max_share > 1 && job->details->share_res == 1))
		return NODE_CR_AVAILABLE;
	return NODE_CR_ONE_ROW;
}

/*
 * Returns the first node of the map from node `i` on, or the size of the map if there is none. Whole stretches without
 * nodes are skipped, because a job has few of many nodes.
 */
static int next_node_of(bitstr_t *nodes, int i)
{
	const int size = bit_size(nodes), stretch = 64;

	for (int end; i < size; i = end) {
		end = MIN(i + stretch, size);
		if (!bit_set_count_range(nodes, i, end))
			continue;
		while (!bit_test(nodes, i))
			i++;
		return i;
	}
	return size;
}

/*
 * Marks the cores that a job holds of the node record `node`, whose bits in the job's own map begin at `from`. Returns the
 * number of bits. Most jobs hold all cores of a node, so this is tried first: single bits take several times as long.
 */
static int mark_cores_of_node(bitstr_t *cores, const struct job_resources *resources, int node, int from)
{
	int first = cr_get_coremap_offset(node), count = cr_get_coremap_offset(node + 1) - first;
	bool whole = resources->whole_node == 1;

	if (!resources->core_bitmap || count <= 0 || from + count > bit_size(resources->core_bitmap))
		return MAX(count, 0);
	if (whole || bit_set_count_range(resources->core_bitmap, from, from + count) == count) {
		bit_nset(cores, first, first + count - 1);
		return count;
	}
	for (int core = 0; core < count; core++)
		if (bit_test(resources->core_bitmap, from + core))
			bit_set(cores, first + core);
	return count;
}

struct walk {
	struct taken *taken;
	const job_record_t *asking;
};

/* Adds the cores and the memory that one job holds. list_for_each() calls this for each job. */
static int add_job(void *each, void *of_walk)
{
	job_record_t *job = each;
	const job_record_t *asking = ((struct walk *) of_walk)->asking;
	struct taken *taken = ((struct walk *) of_walk)->taken;
	struct job_resources *resources = job->job_resrcs;
	/* A job that an administrator suspended gives up its cores but keeps its memory. */
	bool has_cores = IS_JOB_RUNNING(job) || (IS_JOB_SUSPENDED(job) && job->priority != 0);

	if (IS_JOB_PENDING(job) && job->user_id == asking->user_id && job != asking && job->details)
		taken->waiting += is_waiting(job);
	if (!resources || !resources->node_bitmap ||
	    !(IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)) ||
	    bit_size(resources->node_bitmap) > node_record_count)
		return 0;
	for (int i = next_node_of(resources->node_bitmap, 0), at = 0, bit = 0;
	     at < (int) resources->nhosts && i < bit_size(resources->node_bitmap);
	     i = next_node_of(resources->node_bitmap, i + 1)) {
		if (resources->memory_allocated)
			taken->memory[i] += resources->memory_allocated[at];
		if (resources->node_req != NODE_CR_AVAILABLE)
			taken->shares[i] |= HAS_ONE_ROW;
		else if (job->part_ptr != asking->part_ptr)
			taken->shares[i] |= HAS_SHARING;
		if (has_cores) {
			taken->shares[i] |= HAS_CORES;
			bit += mark_cores_of_node(taken->cores, resources, i, bit);
		}
		at++;
	}
	return 0;
}

void taken_fill(struct taken *taken, const job_record_t *asking)
{
	*taken = (struct taken) {
		.cores = bit_alloc(cr_get_coremap_offset(node_record_count)),
		.memory = xcalloc(node_record_count, sizeof(uint64_t)),
		.shares = xcalloc(node_record_count, sizeof(uint8_t)),
	};
	list_for_each(job_list, add_job, &(struct walk) { .taken = taken, .asking = asking });
}

void taken_free(struct taken *taken)
{
	FREE_NULL_BITMAP(taken->cores);
	xfree(taken->memory);
	xfree(taken->shares);
}
