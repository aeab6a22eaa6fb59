/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Slurm's records of a job, and of the nodes that it could have, as the plain arrays of decide.h.
 */
#ifndef PLACEMENT_SELECT_VIEW_FROM_SLURM_H
#define PLACEMENT_SELECT_VIEW_FROM_SLURM_H

#include "plugins/compat/job_test_call.h"
#include "plugins/select/decide.h"
#include "plugins/select/machine_from_slurm.h"

struct job_view {
	struct placement_offer offer;
	struct placement_request request;
	const char *stock_because;	/* why no policy can serve the job; NULL: it may */
	bool force_cores;		/* Slurm can be brought to take exact cores, */
	bool force_counts;		/* or at least so many on each node as are planned */

	uint32_t *record;		/* node record of each offered node */
	int32_t *node;
	uint32_t *first_core;
	uint8_t *core_free;
	uint16_t *cpus_per_core;
	uint32_t *max_tasks;
	uint64_t *weight;
	uint32_t *required;
};

/* Takes the job's request apart; offers the nodes and cores that it could have at once. */
void job_view_fill(struct job_view *view, const struct machine_tables *tables,
		   const struct job_test_arguments *arguments);
void job_view_free(struct job_view *view);

/* What a job has, in terms of the view by which it was decided. */
struct job_grant {
	struct placement_grant grant;
	uint32_t *node;
	uint32_t *room;
	uint8_t *core_given;
};

/* False when the job has nodes that the view did not offer. To be freed in any case. */
bool job_grant_fill(struct job_grant *grant, const struct job_view *view, const job_record_t *job);
void job_grant_free(struct job_grant *grant);

#endif
