/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/machine_from_slurm.h"

#include "plugins/compat/slurm_compat.h"
#include "plugins/compat/topology_text.h"

static void fill_nodes(struct machine_tables *tables)
{
	tables->record_count = node_record_count;
	tables->node_of_record = xcalloc(node_record_count + 1, sizeof(int32_t));
	tables->nodes = xcalloc(node_record_count + 1, sizeof(*tables->nodes));
	for (int i = 0; i < node_record_count; i++) {
		node_record_t *record = node_record_table_ptr[i];

		tables->node_of_record[i] = -1;
		if (!record || !record->name ||
		    record->tot_cores != record->tot_sockets * record->cores)
			continue;
		tables->node_of_record[i] = tables->machine.node_count;
		tables->nodes[tables->machine.node_count++] = (struct placement_machine_node) {
			.name = record->name,
			.sockets = record->tot_sockets,
			.cores_per_socket = record->cores,
			.threads_per_core = record->tpc,
		};
	}
	tables->machine.nodes = tables->nodes;
}

void machine_tables_fill(struct machine_tables *tables)
{
	*tables = (struct machine_tables) { 0 };
	fill_nodes(tables);
	tables->topology = topology_text();
	tables->machine.topology = tables->topology;
}

void machine_tables_free(struct machine_tables *tables)
{
	xfree(tables->topology);
	xfree(tables->nodes);
	xfree(tables->node_of_record);
	*tables = (struct machine_tables) { 0 };
}
