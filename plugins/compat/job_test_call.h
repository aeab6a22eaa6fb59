/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The arguments of select_p_job_test as one structure, because its parameters differ between versions of Slurm.
 */
#ifndef PLACEMENT_COMPAT_JOB_TEST_CALL_H
#define PLACEMENT_COMPAT_JOB_TEST_CALL_H

#include "plugins/compat/excluded_cores.h"
#include "plugins/compat/slurm_compat.h"

/* The arguments of select_p_job_test; Slurm describes them at that function and owns everything that they point to. */
struct job_test_arguments {
	job_record_t *job;
	bitstr_t *nodes;		/* before the call the offered nodes, after it the chosen ones */
	uint32_t min_nodes;
	uint32_t max_nodes;
	uint32_t req_nodes;
	uint16_t mode;
	list_t *preemptee_candidates;
	list_t **preemptee_jobs;
	excluded_cores_t *excluded_cores;
	void *will_run;			/* a will_run_data_t since Slurm 24.11, NULL before */
};

/*
 * Called by this plugin's select_p_job_test and defined in plugins/select/job_test.c. Returns the real plugin's
 * answer. For a job with a policy, the real plugin is asked only for the policy's nodes and cores, if it can be
 * restricted to them. Returns SLURM_ERROR for a job that has to wait. The caller holds slurmctld's job write lock.
 */
int placement_job_test(const struct job_test_arguments *arguments);

/* Calls the real plugin's select_p_job_test and returns its result. */
int call_real_job_test(const struct job_test_arguments *arguments);

#endif
