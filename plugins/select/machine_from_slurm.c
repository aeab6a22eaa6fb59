/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/machine_from_slurm.h"

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

static void add_topology(struct machine_tables *tables, int index, char *name)
{
	uint32_t at = tables->topology_count++;

	xrecalloc(tables->topologies, tables->topology_count, sizeof(*tables->topologies));
	xrecalloc(tables->topology_index, tables->topology_count, sizeof(*tables->topology_index));
	tables->topologies[at] = topology_text(name);
	tables->topology_index[at] = index;
}

/* list_for_each() calls it for each partition. */
static int add_topology_of(void *partition, void *tables)
{
	uint32_t known;
	char *name;
	int index = topology_of_partition(partition, &name);

	if (!machine_topology_of(tables, partition, &known))
		add_topology(tables, index, name);
	return 0;
}

static void fill_topologies(struct machine_tables *tables)
{
	add_topology(tables, 0, NULL);
	if (part_list)
		list_for_each(part_list, add_topology_of, tables);
	tables->machine.topology = tables->topologies[0];
	tables->machine.other_topologies = (const char *const *) tables->topologies + 1;
	tables->machine.other_topology_count = tables->topology_count - 1;
}

void machine_tables_fill(struct machine_tables *tables)
{
	*tables = (struct machine_tables) { 0 };
	fill_nodes(tables);
	fill_topologies(tables);
}

bool machine_topology_of(const struct machine_tables *tables, const part_record_t *partition, uint32_t *topology)
{
	char *name;
	int index = topology_of_partition(partition, &name);

	for (*topology = 0; *topology < tables->topology_count; ++*topology)
		if (tables->topology_index[*topology] == index)
			return true;
	return false;
}

void machine_tables_free(struct machine_tables *tables)
{
	for (uint32_t i = 0; i < tables->topology_count; i++)
		xfree(tables->topologies[i]);
	xfree(tables->topologies);
	xfree(tables->topology_index);
	xfree(tables->nodes);
	xfree(tables->node_of_record);
	*tables = (struct machine_tables) { 0 };
}
