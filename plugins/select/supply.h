/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Variables that slurmctld adds to a job's environment: the batch script has them, and so has srun or
 * salloc with the answer to its request for nodes.
 */
#ifndef PLACEMENT_SELECT_SUPPLY_H
#define PLACEMENT_SELECT_SUPPLY_H

#include "plugins/slurm_compat.h"

/* In place of an older value; NULL or an empty one takes the variable out. */
void supply_variable(job_record_t *job, const char *name, const char *value);

#endif
