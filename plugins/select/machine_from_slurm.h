/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Slurm's records of nodes and switches as the plain arrays of decide.h.
 */
#ifndef PLACEMENT_SELECT_MACHINE_FROM_SLURM_H
#define PLACEMENT_SELECT_MACHINE_FROM_SLURM_H

#include "plugins/select/decide.h"

struct machine_tables {
	struct placement_machine machine;
	struct placement_machine_node *nodes;
	char *topology;
	int32_t *node_of_record;	/* machine node of a node record, -1: none */
	int record_count;
};

/* Names stay Slurm's: the tables are good until Slurm changes its own. */
void machine_tables_fill(struct machine_tables *tables);
void machine_tables_free(struct machine_tables *tables);

#endif
