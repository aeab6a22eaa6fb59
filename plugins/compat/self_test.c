/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/compat/slurm_compat.h"

/* Returns what is wrong with the node records; NULL if nothing is. The caller frees the text with xfree(). */
static char *wrong_nodes(void)
{
	int nodes = 0, with_odd_cores = 0;

	for (int i = 0; i < node_record_count; i++) {
		node_record_t *node = node_record_table_ptr[i];

		if (!node)
			continue;
		if (node->magic != NODE_MAGIC)
			return xstrdup_printf("node record %d has a wrong magic number", i);
		if ((int) node->index != i || !node->name || find_node_record(node->name) != node)
			return xstrdup_printf("node record %d is not found by its name", i);
		if (node->config_ptr && node->config_ptr->magic != CONFIG_MAGIC)
			return xstrdup_printf("the configuration of node %s has a wrong magic number", node->name);
		nodes++;
		with_odd_cores += node->tot_cores != node->tot_sockets * node->cores;
	}
	if (nodes && with_odd_cores == nodes)
		return xstrdup("the number of cores differs from sockets times cores per socket on all nodes");
	return NULL;
}

/*
 * Returns true if each partition record has its magic number and is found by its name. The loop uses an iterator:
 * list_find_first() would hold the list's lock, which find_part_record() also takes.
 */
static bool partitions_are_right(void)
{
	list_itr_t *iterator = list_iterator_create(part_list);
	part_record_t *partition;
	bool right = true;

	while (right && (partition = list_next(iterator)))
		right = partition->magic == PART_MAGIC && partition->name &&
			find_part_record(partition->name) == partition;
	list_iterator_destroy(iterator);
	return right;
}

static int wrong_job(void *found, void *unused)
{
	job_record_t *job = found;

	return job->magic != JOB_MAGIC || find_job_record(job->job_id) != job ||
	       (job->details && job->details->magic != DETAILS_MAGIC) ||
	       (job->part_ptr && job->part_ptr->magic != PART_MAGIC);
}

char *records_do_not_fit(void)
{
	char *wrong = wrong_nodes();

	if (wrong)
		return wrong;
	if (part_list && !partitions_are_right())
		return xstrdup("a partition record has a wrong magic number, or is not found by its name");
	if (job_list && list_find_first(job_list, wrong_job, NULL))
		return xstrdup("a job record has a wrong magic number, or is not found by its job ID");
	return NULL;
}
