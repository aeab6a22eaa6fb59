/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PLACEMENT_SELECT_CONFIGURATION_H
#define PLACEMENT_SELECT_CONFIGURATION_H

#include "plugins/compat/slurm_compat.h"
#include "plugins/select/machine_from_slurm.h"

/* The machine as the last placement_reconfigure() found it; empty before. */
const struct machine_tables *placement_tables(void);

/* Slurm's node tables are about to change. */
void placement_forget_machine(void);

/* Reads placement.conf and describes the machine anew, from Slurm's tables. Logs the mode in force. */
void placement_reconfigure(void);

/*
 * Appends what is in force to a list of config_key_pair_t, which is made where *pairs is NULL. The caller holds
 * slurmctld's job read lock.
 */
void placement_add_facts(list_t **pairs);

#endif
