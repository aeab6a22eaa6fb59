/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/view_from_slurm.h"

static int is_of_kind(void *state, void *plugin_id)
{
	return ((gres_state_t *) state)->plugin_id == *(uint32_t *) plugin_id;
}

/* Returns the node's generic resources of the kind `plugin_id`, or NULL if it has none. */
static const gres_node_state_t *of_node(const node_record_t *node, uint32_t plugin_id)
{
	gres_state_t *found = node->gres_list ? list_find_first(node->gres_list, is_of_kind, &plugin_id) : NULL;

	return found ? found->gres_data : NULL;
}

/* Returns the number of resources on the node that fit the job's request and that no job holds. */
static uint64_t unheld_on_node(const gres_job_state_t *wanted, const gres_node_state_t *there)
{
	uint64_t left, of_type = 0;

	if (there->no_consume)
		return there->gres_cnt_avail;
	left = there->gres_cnt_avail - MIN(there->gres_cnt_avail, there->gres_cnt_alloc);
	if (!wanted->type_id)
		return left;
	for (int i = 0; i < there->type_cnt; i++)
		if (there->type_id[i] == wanted->type_id)
			of_type += there->type_cnt_avail[i] - MIN(there->type_cnt_avail[i], there->type_cnt_alloc[i]);
	return MIN(left, of_type);
}

/* Returns the number of resources that the node has for the job, with the CPUs and the memory that go with each. */
static uint64_t left_on_node(const gres_job_state_t *wanted, const node_record_t *node, uint32_t plugin_id,
			     const struct node_room *room)
{
	const gres_node_state_t *there = of_node(node, plugin_id);
	uint64_t cpus = wanted->cpus_per_gres ? wanted->cpus_per_gres : wanted->def_cpus_per_gres;
	uint64_t memory = wanted->mem_per_gres ? wanted->mem_per_gres : wanted->def_mem_per_gres;
	uint64_t left;

	if (!there)
		return 0;
	left = unheld_on_node(wanted, there);
	if (cpus && cpus != NO_VAL16)
		left = MIN(left, room->cpus / cpus);
	if (memory && memory != NO_VAL64 && room->memory != UINT64_MAX)
		left = MIN(left, room->memory / memory);
	return left;
}

/* Returns the number of tasks for which `left` free resources of one kind are enough; UINT32_MAX: no limit. */
static uint32_t tasks_of(const gres_job_state_t *wanted, uint64_t left, uint32_t tasks, bool round_up)
{
	uint64_t most = UINT32_MAX;

	if (left == 0 || left < wanted->gres_per_node)
		return 0;
	if (wanted->gres_per_task)
		most = left / wanted->gres_per_task;
	else if (wanted->gres_per_job && tasks)
		most = (left * tasks + (round_up ? wanted->gres_per_job - 1 : 0)) / wanted->gres_per_job;
	if (wanted->ntasks_per_gres && wanted->ntasks_per_gres != NO_VAL16) {
		uint64_t used = wanted->gres_per_node ? MIN(wanted->gres_per_node, left) : left;

		most = MIN(most, used * wanted->ntasks_per_gres);
	}
	return MIN(most, UINT32_MAX);
}

uint32_t gres_tasks_on_node(const job_record_t *job, const node_record_t *node, const struct node_room *room,
			    uint32_t tasks, bool round_up)
{
	list_itr_t *iterator;
	gres_state_t *state;
	uint32_t most = UINT32_MAX;

	if (!job->gres_list_req)
		return most;
	iterator = list_iterator_create(job->gres_list_req);
	while ((state = list_next(iterator))) {
		const gres_job_state_t *wanted = state->gres_data;

		most = MIN(most, tasks_of(wanted, left_on_node(wanted, node, state->plugin_id, room), tasks, round_up));
	}
	list_iterator_destroy(iterator);
	return most;
}

static int larger_first(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *) a, right = *(const uint64_t *) b;

	return left < right ? 1 : left > right ? -1 : 0;
}

struct gres_nodes nodes_for_sum(uint64_t *each, uint32_t count, uint64_t wanted)
{
	struct gres_nodes needed = { .least = 0, .most = 0 };
	uint64_t of_largest = 0, of_smallest = 0;

	qsort(each, count, sizeof(uint64_t), larger_first);
	while (needed.least < count && of_largest < wanted)
		of_largest += each[needed.least++];
	while (needed.most < count && of_smallest < wanted)
		of_smallest += each[count - ++needed.most];
	if (of_largest < wanted)
		needed.least = needed.most = UINT32_MAX;
	return needed;
}

/* As gres_nodes_needed(), for one kind of resource. */
static struct gres_nodes nodes_needed_for(const gres_state_t *state, const uint32_t *record, const struct node_room *room,
					  uint32_t count)
{
	const gres_job_state_t *wanted = state->gres_data;
	struct gres_nodes needed = { .least = 1, .most = 1 };
	uint64_t *left = xcalloc(count + 1, sizeof(uint64_t));

	for (uint32_t n = 0; n < count; n++)
		left[n] = left_on_node(wanted, node_record_table_ptr[record[n]], state->plugin_id, &room[n]);
	if (wanted->gres_per_job)
		needed = nodes_for_sum(left, count, wanted->gres_per_job);
	xfree(left);
	return needed;
}

struct gres_nodes gres_nodes_needed(const job_record_t *job, const uint32_t *record, const struct node_room *room,
				    uint32_t count)
{
	struct gres_nodes needed = { .least = 1, .most = 1 };
	list_itr_t *iterator;
	gres_state_t *state;

	if (!job->gres_list_req)
		return needed;
	iterator = list_iterator_create(job->gres_list_req);
	while ((state = list_next(iterator))) {
		struct gres_nodes of_kind = nodes_needed_for(state, record, room, count);

		needed.least = MAX(needed.least, of_kind.least);
		needed.most = MAX(needed.most, of_kind.most);
	}
	list_iterator_destroy(iterator);
	return needed;
}

static int is_per_socket(void *state, void *none)
{
	return ((const gres_job_state_t *) ((gres_state_t *) state)->gres_data)->gres_per_socket > 0;
}

bool gres_per_socket_wanted(const job_record_t *job)
{
	return job->gres_list_req && list_find_first(job->gres_list_req, is_per_socket, NULL);
}
