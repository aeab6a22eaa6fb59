/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The jobs that no policy can serve on any nodes.
 */
#ifndef PLACEMENT_SELECT_LEFT_TO_SLURM_H
#define PLACEMENT_SELECT_LEFT_TO_SLURM_H

#include "plugins/compat/job_test_call.h"
#include "plugins/planning/decide.h"
#include "plugins/select/machine_from_slurm.h"

/*
 * Returns why no policy can serve the job of `arguments`, and sets *reason to the class of that reason. Returns NULL if
 * a policy may serve it.
 */
const char *left_to_slurm(enum stock_reason *reason, const struct machine_tables *tables,
			  const struct job_test_arguments *arguments);

/* Returns the SelectTypeParameters that apply to the job; those of its partition replace the cluster's. */
uint16_t consumable_resources_of(const job_record_t *job);

#endif
