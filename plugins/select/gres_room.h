/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What generic resources (GPUs) leave of the choice of nodes: a node that has too few of them left cannot take the
 * tasks that its cores have room for.
 */
#ifndef PLACEMENT_SELECT_GRES_ROOM_H
#define PLACEMENT_SELECT_GRES_ROOM_H

#include "plugins/compat/slurm_compat.h"

/*
 * How many of the job's `tasks` tasks (0: the job does not say) the node's generic resources are enough for, where
 * resources that are asked for the whole job count as asked for by its tasks in equal parts; UINT32_MAX: any number.
 */
uint32_t gres_tasks_on_node(const job_record_t *job, const node_record_t *node, uint32_t tasks);

/*
 * The least number of the nodes in `nodes` that have the generic resources asked for the whole job (--gpus=N),
 * 1 where none are; 0 when all of them together have too few.
 */
uint32_t gres_least_nodes(const job_record_t *job, bitstr_t *nodes);

#endif
