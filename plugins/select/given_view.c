/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/given_view.h"

void given_view_fill(struct job_view *view, const struct machine_tables *tables,
		     const struct job_test_arguments *arguments)
{
	uint32_t most = bit_set_count(arguments->nodes), at = 0, topology;

	*view = (struct job_view) { .stock_because = NULL };
	if (!arguments->job->part_ptr || tables->record_count != node_record_count ||
	    !machine_topology_of(tables, arguments->job->part_ptr, &topology)) {
		view->stock_because = "Slurm's nodes or topologies have changed, it needs a reconfigure";
		return;
	}
	job_view_fill_request(view, tables, arguments);
	view->record = xcalloc(most + 1, sizeof(uint32_t));
	view->node = xcalloc(most + 1, sizeof(int32_t));
	view->first_core = xcalloc(most + 2, sizeof(uint32_t));
	view->cpus_per_core = xcalloc(most + 1, sizeof(uint16_t));
	view->weight = xcalloc(most + 1, sizeof(uint64_t));
	for (int i = 0; i < tables->record_count && i < bit_size(arguments->nodes); i++) {
		const node_record_t *node = node_record_table_ptr[i];

		if (!bit_test(arguments->nodes, i) || !node || tables->node_of_record[i] < 0)
			continue;
		view->record[at] = i;
		view->node[at] = tables->node_of_record[i];
		view->cpus_per_core[at] = job_cpus_per_core(arguments->job, node);
		view->first_core[at + 1] = view->first_core[at] + node->tot_cores;
		at++;
	}
	view->core_free = xcalloc(view->first_core[at] + 1, sizeof(uint8_t));
	memset(view->core_free, 1, view->first_core[at]);
	view->offer = (struct placement_offer) {
		.node_count = at,
		.node = view->node,
		.first_core = view->first_core,
		.core_free = view->core_free,
		.cpus_per_core = view->cpus_per_core,
		.weight = view->weight,
		.given = true,
	};
	view->request.required = view->required;
}
