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
 * Returns the number of tasks for which the node's free generic resources are enough; UINT32_MAX means no limit. A
 * resource for which the node lacks the CPUs or the memory that the job wants beside it (--cpus-per-gpu,
 * --mem-per-gpu) is not free. `tasks` is the number of tasks of the job, 0 if the job gives none. Resources that the
 * job asks for as a whole (--gpus=N) are counted as if its tasks asked for equal parts of them; `round_up` counts a task
 * for the part of its share that is left over.
 */
uint32_t gres_tasks_on_node(const job_record_t *job, const node_record_t *node, const struct node_room *room,
			    uint32_t tasks, bool round_up);

/*
 * Returns the least number of nodes whose free generic resources are enough for the whole job (--gpus=N). The nodes
 * are the `count` node records with the indices `record`, and `room` has an element for each of them. Returns 1 if the
 * job asks for no resources in this way, and 0 if all nodes together have too few.
 */
uint32_t gres_least_nodes(const job_record_t *job, const uint32_t *record, const struct node_room *room,
			  uint32_t count);

/*
 * Returns true if any `nodes` of the `count` node records have free generic resources enough for the whole job (--gpus=N), also
 * those with the fewest. The other parameters are those of gres_least_nodes().
 */
bool gres_any_nodes_suffice(const job_record_t *job, const uint32_t *record, const struct node_room *room, uint32_t count,
			    uint32_t nodes);

/*
 * Returns true if the job asks for generic resources of each socket (--gpus-per-socket). A node whose gres.conf does not say
 * which cores its resources are near seems to have them at any socket, but Slurm then refuses the job's steps there.
 */
bool gres_per_socket_wanted(const job_record_t *job);

#endif
