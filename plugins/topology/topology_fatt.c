/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * topology/fatt [TOFA §5] ranks the nodes so that nodes that Slurm chooses in a row lie close together on the torus of
 * TorusFile=. This helps jobs without a policy too. Only slurmctld asks for ranks. slurmd loads the plugin as well, but
 * needs no TorusFile.
 */
#include "plugins/compat/slurm_compat.h"

#include <sys/stat.h>

#include "plugins/topology/fatt_order.h"

EXPORT const char plugin_name[] = "fault-aware torus topology";
EXPORT const char plugin_type[] = "topology/fatt";
EXPORT const uint32_t plugin_version = BUILT_FOR_SLURM;

/*
 * A state file of this many bytes or more is taken to have jobs or reservations. A file without any is a header of some
 * ten bytes; a job takes hundreds of bytes, a reservation more than a hundred.
 */
#define SIZE_WITHOUT_JOBS 256
#define SIZE_WITHOUT_RESERVATIONS 80

static int holds_cores(void *found, void *of_list)
{
	job_record_t *job = found;

	return IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job) || IS_JOB_COMPLETING(job);
}

static int is_of_cores(void *found, void *of_list)
{
	slurmctld_resv_t *reservation = found;

	return reservation->core_bitmap || reservation->core_resrcs;
}

static bool saved_something(const char *name, off_t size_of_nothing)
{
	char *path = xstrdup_printf("%s/%s", slurm_conf.state_save_location, name);
	struct stat status;

	if (stat(path, &status) != 0) {
		/* If slurmctld ended in the middle of saving, Slurm reads the older copy. */
		xstrcat(path, ".old");
		if (stat(path, &status) != 0)
			status.st_size = 0;
	}
	xfree(path);
	return status.st_size >= size_of_nothing;
}

/*
 * Returns true if no job and no reservation holds cores. Only then the order of nodes may change, because Slurm stores
 * cores by that order. At its start slurmctld orders the nodes before it reads the saved jobs and reservations. The
 * sizes of the state files then show whether there are any.
 */
static bool no_cores_are_held(void)
{
	bool loaded = (job_list && list_count(job_list) > 0) || (&resv_list && resv_list && list_count(resv_list) > 0);

	if (job_list && list_find_first(job_list, holds_cores, NULL))
		return false;
	if (&resv_list && resv_list && list_find_first(resv_list, is_of_cores, NULL))
		return false;
	return loaded || (!saved_something("job_state", SIZE_WITHOUT_JOBS) &&
			  !saved_something("resv_state", SIZE_WITHOUT_RESERVATIONS));
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
	struct placement_fatt_message message;
	char *config, *order;
	bool ranked;

	if (!in_slurmctld())
		return false;
	names = xcalloc(node_record_count + 1, sizeof(*names));
	rank = xcalloc(node_record_count + 1, sizeof(*rank));
	for (int i = 0; (node = next_node(&i)); i++)
		names[count++] = node->name;
	config = get_extra_conf_path("placement.conf");
	order = xstrdup_printf("%s/placement_fatt_order", slurm_conf.state_save_location);
	ranked = placement_fatt_order(config, order, no_cores_are_held(), names, count, rank, &message);
	if (message.must_stop)
		fatal("placement: topology/fatt: %s", message.text);
	if (message.text[0] && message.is_error)
		error("placement: topology/fatt: %s", message.text);
	else if (message.text[0])
		info("placement: topology/fatt: %s", message.text);
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
