/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PLACEMENT_SELECT_JOB_TEST_H
#define PLACEMENT_SELECT_JOB_TEST_H

#include "plugins/slurm_compat.h"

/* select_p_job_test of the real plugin. */
typedef int job_test_call(job_record_t *job, bitstr_t *nodes, uint32_t min_nodes,
			  uint32_t max_nodes, uint32_t req_nodes, uint16_t mode,
			  List preemptee_candidates, List *preemptee_jobs,
			  bitstr_t *excluded_cores);

/* Its arguments, as Slurm describes them there. Slurm owns all of it. */
struct job_test_arguments {
	job_record_t *job;
	bitstr_t *nodes;		/* in: offered, out: chosen */
	uint32_t min_nodes;
	uint32_t max_nodes;
	uint32_t req_nodes;
	uint16_t mode;
	List preemptee_candidates;
	List *preemptee_jobs;
	bitstr_t *excluded_cores;	/* of the whole machine, or NULL */
};

/*
 * The real plugin's answer, for a job with a policy restricted to the nodes and cores that the
 * policy wants where the real plugin can do that. The caller holds slurmctld's job write lock.
 */
int placement_job_test(job_test_call *real, const struct job_test_arguments *arguments);

#endif
