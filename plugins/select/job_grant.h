/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Converts Slurm's record of what a job was given to the plain arrays of decide.h.
 */
#ifndef PLACEMENT_SELECT_JOB_GRANT_H
#define PLACEMENT_SELECT_JOB_GRANT_H

#include "plugins/select/view_from_slurm.h"

/* The nodes and cores that a job has, as indices into the offer of the view by which it was decided. */
struct job_grant {
	struct placement_grant grant;
	uint32_t *node;
	uint32_t *room;
	uint8_t *core_given;
};

/*
 * Fills `grant` from the job's allocation. Returns false if the job has no allocation, or has nodes that the view did
 * not offer. Free `grant` with job_grant_free() in any case.
 */
bool job_grant_fill(struct job_grant *grant, const struct job_view *view, const job_record_t *job);
void job_grant_free(struct job_grant *grant);

#endif
