/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/machine_from_slurm.h"

#include "plugins/slurm_compat.h"

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

/* Nodes hang on the switches of level 0; the others list their children. */
static void fill_switches(struct machine_tables *tables)
{
	if (switch_record_cnt < 1 || !switch_record_table)
		return;
	tables->switches = xcalloc(switch_record_cnt, sizeof(*tables->switches));
	tables->switch_nodes = xcalloc(switch_record_cnt, sizeof(int32_t *));
	for (int s = 0; s < switch_record_cnt; s++)
		tables->switches[s].parent = -1;
	for (int s = 0; s < switch_record_cnt; s++) {
		const switch_record_t *record = &switch_record_table[s];
		struct placement_machine_switch *to = &tables->switches[s];

		to->name = record->name ? record->name : "";
		for (int k = 0; record->switch_index && k < record->num_switches; k++)
			if (record->switch_index[k] < switch_record_cnt)
				tables->switches[record->switch_index[k]].parent = s;
		if (record->level != 0 || !record->node_bitmap)
			continue;
		tables->switch_nodes[s] =
			xcalloc(bit_set_count(record->node_bitmap) + 1, sizeof(int32_t));
		for (int i = 0; i < tables->record_count && i < bit_size(record->node_bitmap); i++)
			if (bit_test(record->node_bitmap, i) && tables->node_of_record[i] >= 0)
				tables->switch_nodes[s][to->node_count++] =
					tables->node_of_record[i];
		to->nodes = tables->switch_nodes[s];
	}
	tables->machine.switches = tables->switches;
	tables->machine.switch_count = switch_record_cnt;
}

void machine_tables_fill(struct machine_tables *tables)
{
	*tables = (struct machine_tables) { 0 };
	fill_nodes(tables);
	fill_switches(tables);
}

void machine_tables_free(struct machine_tables *tables)
{
	for (uint32_t s = 0; s < tables->machine.switch_count; s++)
		xfree(tables->switch_nodes[s]);
	xfree(tables->switch_nodes);
	xfree(tables->switches);
	xfree(tables->nodes);
	xfree(tables->node_of_record);
	*tables = (struct machine_tables) { 0 };
}
