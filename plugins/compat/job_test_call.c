/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/compat/job_test_call.h"

#ifdef HAVE_SLURM_JOB_TEST_WILL_RUN
#define WILL_RUN_PARAMETER , will_run_data_t *will_run
#define WILL_RUN will_run
#define WILL_RUN_OF(arguments) , (arguments)->will_run
#else
#define WILL_RUN_PARAMETER
#define WILL_RUN NULL
#define WILL_RUN_OF(arguments)
#endif

EXPORT extern int select_p_job_test(job_record_t *job, bitstr_t *nodes, uint32_t min_nodes, uint32_t max_nodes,
				    uint32_t req_nodes, uint16_t mode, list_t *preemptee_candidates,
				    list_t **preemptee_jobs, excluded_cores_t *excluded_cores WILL_RUN_PARAMETER)
{
	struct job_test_arguments arguments = {
		.job = job,
		.nodes = nodes,
		.min_nodes = min_nodes,
		.max_nodes = max_nodes,
		.req_nodes = req_nodes,
		.mode = mode,
		.preemptee_candidates = preemptee_candidates,
		.preemptee_jobs = preemptee_jobs,
		.excluded_cores = excluded_cores,
		.will_run = WILL_RUN,
	};

	return placement_job_test(&arguments);
}

SAME_AS_SLURMS(job_test);
REAL_FUNCTION(job_test);

int call_real_job_test(const struct job_test_arguments *a)
{
	return real_select_p_job_test(a->job, a->nodes, a->min_nodes, a->max_nodes, a->req_nodes, a->mode,
				      a->preemptee_candidates, a->preemptee_jobs, a->excluded_cores WILL_RUN_OF(a));
}
