/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The view of a job on the nodes that Slurm itself chose for it.
 */
#ifndef PLACEMENT_SELECT_GIVEN_VIEW_H
#define PLACEMENT_SELECT_GIVEN_VIEW_H

#include "plugins/select/view_from_slurm.h"

/*
 * Fills `view` with the job's request and offers exactly the nodes that the call with `arguments` has allocated, with all of
 * their cores. If that cannot be done, stock_because has the reason. Free `view` with job_view_free() in any case.
 */
void given_view_fill(struct job_view *view, const struct machine_tables *tables,
		     const struct job_test_arguments *arguments);

#endif
