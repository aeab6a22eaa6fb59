/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The C interface of the topology plugin's order of nodes. This header includes no header of Slurm, and no function
 * throws.
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
	char text[1024];	/* the line for the log; empty if there is none */
	bool is_error;
	bool must_stop;		/* slurmctld must stop: with any order, cores of running jobs could go to other jobs */
};

/*
 * Orders nodes along the torus of the TorusFile in the file `config_path` [TOFA §5]. `names` has `count` names of
 * nodes. Sets rank[k] to the place of names[k] in the order, from 1 to `count`. Nodes that are consecutive on the
 * torus get consecutive ranks; nodes without coordinates come last. Returns false if the nodes are to stay in the
 * order of their names, as without this plugin; rank[] is not valid then.
 *
 * The order in force is kept in the file `order_path`. Slurm stores the cores of running jobs and of reservations by
 * the order of nodes. Therefore another order comes into force only if `may_change` is true. `message` gets a line for
 * the log.
 */
bool placement_fatt_order(const char *config_path, const char *order_path, bool may_change,
			  const char *const *names, size_t count, uint32_t *rank,
			  struct placement_fatt_message *message);

#ifdef __cplusplus
}
#endif

#endif
