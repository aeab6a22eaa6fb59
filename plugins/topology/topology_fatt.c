/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * topology/fatt [TOFA §5]: ranks the nodes so that what Slurm chooses in a row lies close together on the torus of
 * TorusFile=, for jobs without a policy too. slurmctld alone asks for ranks; slurmd loads the plugin as well, and
 * needs no file.
 */
#include "plugins/slurm_compat.h"

#include <sys/stat.h>

#include "plugins/topology/fatt_order.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT const char plugin_name[] = "fault-aware torus topology";
EXPORT const char plugin_type[] = "topology/fatt";
EXPORT const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* A saved state without any job is a header of some ten bytes; one job takes hundreds. */
#define SIZE_WITHOUT_JOBS 256

static int holds_cores(void *found, void *of_list)
{
	job_record_t *job = found;

	return IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job) || IS_JOB_COMPLETING(job);
}

/*
 * Slurm keeps the cores of a job by the order of nodes. At its start slurmctld orders the nodes before it reads
 * its jobs back: then what it saved tells whether there are any.
 */
static bool no_job_has_cores(void)
{
	char *saved;
	struct stat status;
	bool none;

	if (job_list && list_count(job_list) > 0)
		return !list_find_first(job_list, holds_cores, NULL);
	saved = xstrdup_printf("%s/job_state", slurm_conf.state_save_location);
	if (stat(saved, &status) != 0) {
		/* Slurm takes the copy before, where it ended between two steps of saving. */
		xstrcat(saved, ".old");
		if (stat(saved, &status) != 0)
			status.st_size = 0;
	}
	none = status.st_size < SIZE_WITHOUT_JOBS;
	xfree(saved);
	return none;
}

EXPORT extern int init(void)
{
	verbose("placement: %s loaded", plugin_name);
	return SLURM_SUCCESS;
}

EXPORT extern int fini(void)
{
	return SLURM_SUCCESS;
}

EXPORT extern int topo_build_config(void)
{
	return SLURM_SUCCESS;
}

EXPORT extern bool topo_generate_node_ranking(void)
{
	node_record_t *node;
	const char **names;
	uint32_t *rank, count = 0;
	char *config, *order, message[1024];
	bool ranked, is_error;

	if (!in_slurmctld())
		return false;
	names = xcalloc(node_record_count + 1, sizeof(*names));
	rank = xcalloc(node_record_count + 1, sizeof(*rank));
	for (int i = 0; (node = next_node(&i)); i++)
		names[count++] = node->name;
	config = get_extra_conf_path("placement.conf");
	order = xstrdup_printf("%s/placement_fatt_order", slurm_conf.state_save_location);
	ranked = placement_fatt_order(config, order, no_job_has_cores(), names, count, rank, message, sizeof(message),
				      &is_error);
	if (message[0] && is_error)
		error("placement: topology/fatt: %s", message);
	else if (message[0])
		info("placement: topology/fatt: %s", message);
	count = 0;
	for (int i = 0; ranked && (node = next_node(&i)); i++)
		node->node_rank = rank[count++];
	xfree(config);
	xfree(order);
	xfree(names);
	xfree(rank);
	return ranked;
}

EXPORT extern int topo_get_node_addr(char *node_name, char **address, char **pattern)
{
	if (!find_node_record(node_name))
		return SLURM_ERROR;
	*address = xstrdup(node_name);
	*pattern = xstrdup("node");
	return SLURM_SUCCESS;
}
