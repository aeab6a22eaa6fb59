/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * select_p_job_test, whose parameters differ between versions of Slurm, as one structure.
 */
#ifndef PLACEMENT_COMPAT_JOB_TEST_CALL_H
#define PLACEMENT_COMPAT_JOB_TEST_CALL_H

#include "plugins/compat/excluded_cores.h"
#include "plugins/compat/slurm_compat.h"

/* Its arguments, as Slurm describes them there. Slurm owns all of it. */
struct job_test_arguments {
	job_record_t *job;
	bitstr_t *nodes;		/* in: offered, out: chosen */
	uint32_t min_nodes;
	uint32_t max_nodes;
	uint32_t req_nodes;
	uint16_t mode;
	list_t *preemptee_candidates;
	list_t **preemptee_jobs;
	excluded_cores_t *excluded_cores;
	void *will_run;			/* will_run_data_t since 24.11, or NULL */
};

/*
 * What select_p_job_test calls; plugins/select/job_test.c has it. The real plugin's answer, for a job with a policy
 * restricted to the nodes and cores that the policy wants where the real plugin can do that. The caller holds
 * slurmctld's job write lock.
 */
int placement_job_test(const struct job_test_arguments *arguments);

/* The real plugin's select_p_job_test. */
int call_real_job_test(const struct job_test_arguments *arguments);

#endif
