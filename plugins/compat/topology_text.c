/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/compat/slurm_compat.h"

#ifdef HAVE_SLURM_SWITCH_RECORDS

char *topology_text(char *name)
{
	char *text = NULL;

	for (int s = 0; switch_record_table && s < switch_record_cnt; s++) {
		const switch_record_t *record = &switch_record_table[s];
		char *nodes;

		if (!record->name || !record->node_bitmap)
			continue;
		nodes = bitmap2node_name(record->node_bitmap);
		xstrfmtcat(text, "SwitchName=%s Level=%d Nodes=%s\n", record->name, record->level, nodes);
		xfree(nodes);
	}
	return text;
}

#else

/* Since 23.02 only the topology plugin has the records. The form in which it prints them has not changed. */
#if defined(HAVE_SLURM_TOPOLOGY_G_TOPOLOGY_GET)
#define TOPOLOGY_GET(name, topology) topology_g_topology_get(topology)
#elif defined(HAVE_SLURM_TOPOLOGY_G_GET_NAMED)
#define TOPOLOGY_GET(name, topology) topology_g_get(TOPO_DATA_TOPOLOGY_PTR, name, topology)
#else
#define TOPOLOGY_GET(name, topology) topology_g_get(TOPO_DATA_TOPOLOGY_PTR, topology)
#endif

#if defined(HAVE_SLURM_TOPOINFO_PRINT)
#define TOPOLOGY_PRINT(topology, text) topology_g_topoinfo_print(topology, NULL, NULL, text)
#define TOPOLOGY_FREE(topology) topology_g_topoinfo_free(topology)
#elif defined(HAVE_SLURM_TOPOLOGY_PRINT_UNIT)
#define TOPOLOGY_PRINT(topology, text) topology_g_topology_print(topology, NULL, NULL, text)
#define TOPOLOGY_FREE(topology) topology_g_topology_free(topology)
#else
#define TOPOLOGY_PRINT(topology, text) topology_g_topology_print(topology, NULL, text)
#define TOPOLOGY_FREE(topology) topology_g_topology_free(topology)
#endif

char *topology_text(char *name)
{
	dynamic_plugin_data_t *topology = NULL;
	char *text = NULL;

	if (TOPOLOGY_GET(name, &topology) != SLURM_SUCCESS || !topology)
		return NULL;
	TOPOLOGY_PRINT(topology, &text);
	TOPOLOGY_FREE(topology);
	return text;
}

#endif
