/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How generic resources (such as GPUs) limit the choice of nodes. A node with too few of them left cannot take all the
 * tasks that its cores have room for.
 */
#ifndef PLACEMENT_SELECT_GRES_ROOM_H
#define PLACEMENT_SELECT_GRES_ROOM_H

#include "plugins/compat/slurm_compat.h"

/*
 * Returns the number of tasks for which the node's free generic resources are enough; UINT32_MAX means no limit.
 * `tasks` is the number of tasks of the job, 0 if the job gives none. Resources that the job asks for as a whole
 * (--gpus=N) are counted as if its tasks asked for equal parts of them.
 */
uint32_t gres_tasks_on_node(const job_record_t *job, const node_record_t *node, uint32_t tasks);

/*
 * Returns the least number of nodes out of `nodes` whose free generic resources are enough for the whole job
 * (--gpus=N). Returns 1 if the job asks for no resources in this way, and 0 if all nodes together have too few.
 */
uint32_t gres_least_nodes(const job_record_t *job, bitstr_t *nodes);

#endif
