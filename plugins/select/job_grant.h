/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Converts Slurm's record of what a job was given to the plain arrays of decide.h.
 */
#ifndef PLACEMENT_SELECT_JOB_GRANT_H
#define PLACEMENT_SELECT_JOB_GRANT_H

#include "plugins/select/view_from_slurm.h"

/*
 * Fills `grant` from the job's allocation, with indices into the offer of the view by which the job was decided. Returns
 * false if the job has no allocation, or has nodes that the view did not offer. Free `grant` with job_grant_free() in
 * any case.
 */
bool job_grant_fill(struct placement_grant *grant, const struct job_view *view, const job_record_t *job);
void job_grant_free(struct placement_grant *grant);

#endif
