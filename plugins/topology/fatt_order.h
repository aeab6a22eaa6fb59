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
	bool must_stop;		/* slurmctld must stop: each order could give cores of running jobs to other jobs */
};

/*
 * Orders nodes along the torus of the TorusFile in the file `config_path` [TOFA §5]. Sets rank[k] to the place of
 * names[k] in the order, from 1 to `count`; nodes without coordinates come last. Returns false, without a valid rank[],
 * if the nodes keep the order of their names. The file `order_path` stores the order in force. Slurm stores cores of
 * jobs and reservations by that order, so it changes only if `may_change` is true. `message` gets a line for the log.
 */
bool placement_fatt_order(const char *config_path, const char *order_path, bool may_change,
			  const char *const *names, size_t count, uint32_t *rank,
			  struct placement_fatt_message *message);

#ifdef __cplusplus
}
#endif

#endif
