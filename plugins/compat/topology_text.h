/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PLACEMENT_COMPAT_TOPOLOGY_TEXT_H
#define PLACEMENT_COMPAT_TOPOLOGY_TEXT_H

/*
 * Returns the switches or blocks of one of slurmctld's topologies as lines of "scontrol show topology NAME". Returns
 * NULL if it has none. `name` is a topology of topology.yaml (Slurm 25.05 and later), or NULL for the topology of the
 * cluster. The caller frees the text with xfree().
 */
char *topology_text(char *name);

#endif
