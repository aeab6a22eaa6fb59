/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the other jobs mean for a job: the cores and the memory that they hold, and how many jobs of its user wait.
 */
#ifndef PLACEMENT_SELECT_TAKEN_H
#define PLACEMENT_SELECT_TAKEN_H

#include "plugins/compat/slurm_compat.h"

struct taken {
	bitstr_t *cores;	/* one bit per core of the machine */
	uint64_t *memory;	/* MB for each node record */
	uint8_t *shares;	/* for each node record the HAS_.. bits below */
	uint32_t waiting;	/* the other jobs of the user that wait for better nodes */
};

enum {
	HAS_ONE_ROW = 1,	/* a job on the node does not share its cores */
	HAS_SHARING = 2,	/* a job of another partition on the node shares its cores */
	HAS_CORES = 4,		/* a job on the node holds cores */
};

/* Returns whether the job shares its cores with other jobs, which Slurm calls the job's node request. */
enum node_cr_state node_request_of(const job_record_t *job);

/*
 * Fills `taken` with the cores and memory of all running and suspended jobs, in one walk through all jobs. HAS_SHARING
 * is set for jobs of other partitions than that of the job `asking`. Free `taken` with taken_free().
 */
void taken_fill(struct taken *taken, const job_record_t *asking);
void taken_free(struct taken *taken);

#endif
