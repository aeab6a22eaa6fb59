/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PLACEMENT_SELECT_CONFIGURATION_H
#define PLACEMENT_SELECT_CONFIGURATION_H

#include "plugins/compat/slurm_compat.h"
#include "plugins/select/machine_from_slurm.h"

/*
 * Returns the machine as the last placement_reconfigure() found it. The tables are empty before the first call of
 * that function and after placement_forget_machine().
 */
const struct machine_tables *placement_tables(void);

/*
 * Drops the description of the machine, because Slurm's node tables are about to change. The mode is PLACEMENT_OFF
 * until the next placement_reconfigure().
 */
void placement_forget_machine(void);

/*
 * Reads placement.conf and describes the machine anew from Slurm's tables, then logs the mode in force. Placement is
 * off, with an error in the log, if placement.conf is wrong. It is also off if slurmctld's records differ from those
 * that this plugin was compiled for. Outside slurmctld the function does nothing.
 */
void placement_reconfigure(void);

/*
 * Returns true if the last placement_reconfigure() found slurmctld's records as this plugin was compiled for. If not, no
 * field of a job may be read or written.
 */
bool placement_records_fit(void);

/*
 * Appends the configuration in force to *pairs, a list of config_key_pair_t, for "scontrol show config". The list is
 * created if *pairs is NULL. The caller holds slurmctld's job read lock. From Slurm 25.05 on mpi_placement.so calls this.
 */
EXPORT void placement_add_facts(list_t **pairs);

#endif
