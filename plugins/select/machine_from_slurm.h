/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Converts Slurm's records of nodes and switches to the plain arrays of decide.h.
 */
#ifndef PLACEMENT_SELECT_MACHINE_FROM_SLURM_H
#define PLACEMENT_SELECT_MACHINE_FROM_SLURM_H

#include "plugins/compat/slurm_compat.h"
#include "plugins/planning/decide.h"

struct machine_tables {
	struct placement_machine machine;
	struct placement_machine_node *nodes;
	char **topologies;		/* that of the cluster first, then those of machine.other_topologies */
	int *topology_index;		/* slurmctld's index of each topology */
	uint32_t topology_count;
	int32_t *node_of_record;	/* for each node record, the index into machine.nodes; -1 if it has none */
	int record_count;
};

/*
 * Fills `tables` from slurmctld's records. A node whose cores are not sockets times cores per socket is left out. The
 * names point into Slurm's records, so the tables are valid until Slurm changes those. Free them with
 * machine_tables_free().
 */
void machine_tables_fill(struct machine_tables *tables);

/*
 * Sets *topology to the partition's topology, as a number in the form of placement_request. Returns false if `tables`
 * does not have that topology, because the partition has named it since the tables were filled.
 */
bool machine_topology_of(const struct machine_tables *tables, const part_record_t *partition, uint32_t *topology);

/* Frees the arrays of `tables` and leaves it empty. */
void machine_tables_free(struct machine_tables *tables);

#endif
