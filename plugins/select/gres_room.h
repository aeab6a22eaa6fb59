/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How generic resources (such as GPUs) limit the choice of nodes. A node with too few of them left cannot take all the
 * tasks that its cores have room for.
 */
#ifndef PLACEMENT_SELECT_GRES_ROOM_H
#define PLACEMENT_SELECT_GRES_ROOM_H

#include "plugins/compat/slurm_compat.h"

/* The CPUs and the memory that a node has left for the job, besides generic resources. */
struct node_room {
	uint64_t cpus;
	uint64_t memory;	/* MB; UINT64_MAX if Slurm does not count memory */
};

/*
 * Returns the number of tasks for which the node has free generic resources; UINT32_MAX means no limit. A resource is
 * not free without the CPUs or the memory that the job requests for it (--cpus-per-gpu, --mem-per-gpu). `tasks` is the
 * number of tasks of the job, 0 if unknown. Resources of the whole job (--gpus=N) are divided equally among its tasks.
 * With `round_up`, a remaining part of a share counts as a task.
 */
uint32_t gres_tasks_on_node(const job_record_t *job, const node_record_t *node, const struct node_room *room,
			    uint32_t tasks, bool round_up);

/* The numbers of nodes whose free generic resources are enough for a job; UINT32_MAX: all nodes have too few. */
struct gres_nodes {
	uint32_t least;	/* if the nodes with the most resources are used */
	uint32_t most;	/* if the nodes with the fewest resources are used */
};

/* Returns the numbers of nodes that have `wanted` together. Node n of `count` has each[n]; the array is sorted. */
struct gres_nodes nodes_for_sum(uint64_t *each, uint32_t count, uint64_t wanted);

/*
 * Returns the numbers of nodes whose free generic resources are enough for the whole job (--gpus=N). The nodes are the
 * `count` node records with the indices `record`, and `room` has an element for each of them. Both numbers are 1 if the
 * job does not ask for resources as a whole.
 */
struct gres_nodes gres_nodes_needed(const job_record_t *job, const uint32_t *record, const struct node_room *room,
				    uint32_t count);

/*
 * Returns true if the job asks for generic resources of each socket (--gpus-per-socket). Without Cores= in gres.conf, a
 * node seems to have its resources at any socket, but Slurm refuses the job's steps there.
 */
bool gres_per_socket_wanted(const job_record_t *job);

#endif
