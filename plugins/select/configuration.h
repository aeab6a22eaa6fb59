/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PLACEMENT_SELECT_CONFIGURATION_H
#define PLACEMENT_SELECT_CONFIGURATION_H

#include "plugins/compat/slurm_compat.h"
#include "plugins/planning/decide.h"

/*
 * Slurm's records of nodes and switches as the plain arrays of decide.h. A node whose cores are not sockets times cores
 * per socket is left out. The names point into Slurm's records, so the tables are valid until Slurm changes those.
 */
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
 * Sets *topology to the number of the partition's topology, as in placement_request.topology. Returns false if `tables`
 * does not have that topology, because the partition has named it since the tables were filled.
 */
bool machine_topology_of(const struct machine_tables *tables, const part_record_t *partition, uint32_t *topology);

/*
 * Returns the machine as the last placement_reconfigure() found it. The tables are empty before the first call of
 * that function and after placement_forget_machine().
 */
const struct machine_tables *placement_tables(void);

/* Drops the machine, as Slurm's node tables are about to change. Turns placement off until placement_reconfigure(). */
void placement_forget_machine(void);

/*
 * Reads placement.conf and describes the machine anew from Slurm's tables, then logs the mode in force. Placement is
 * off, with an error in the log, if placement.conf is wrong. It is also off if slurmctld's records differ from those
 * that this plugin was compiled for. Outside slurmctld the function does nothing.
 */
void placement_reconfigure(void);

/* Returns true if slurmctld's records are as this plugin was compiled for. If not, no field of a job may be used. */
bool placement_records_fit(void);

/*
 * Appends the configuration in force to *pairs, a list of config_key_pair_t, for "scontrol show config". The list is
 * created if *pairs is NULL. The caller holds slurmctld's job read lock. From Slurm 25.05 on mpi_placement.so calls this.
 */
EXPORT void placement_add_facts(list_t **pairs);

#endif
