/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The C face of the topology plugin: which rank each node gets. No header of Slurm; no exception comes out.
 */
#ifndef PLACEMENT_TOPOLOGY_FATT_ORDER_H
#define PLACEMENT_TOPOLOGY_FATT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct placement_fatt_message {
	char text[1024];	/* what is to be told; empty: nothing */
	bool is_error;
	bool must_stop;		/* whatever the order, cores of running jobs would go to others */
};

/*
 * Fills rank[] with 1 .. count, those of a torus in a row, nodes without coordinates behind them. The torus is the
 * TorusFile of the configuration; the order in force is kept in the file order_path, because Slurm keeps the cores of
 * running jobs and of reservations by the order of nodes: only when may_change is true another one takes its place.
 * Returns false when the nodes are to be in the order of their names, as without this plugin.
 */
bool placement_fatt_order(const char *config_path, const char *order_path, bool may_change,
			  const char *const *names, size_t count, uint32_t *rank,
			  struct placement_fatt_message *message);

#ifdef __cplusplus
}
#endif

#endif
