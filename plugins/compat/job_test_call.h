/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The arguments of select_p_job_test as one structure, because its parameters differ between versions of Slurm.
 */
#ifndef PLACEMENT_COMPAT_JOB_TEST_CALL_H
#define PLACEMENT_COMPAT_JOB_TEST_CALL_H

#include "plugins/compat/slurm_compat.h"

/*
 * One interface to the cores that a job may not have, which Slurm passes to select_p_job_test. Slurm 22.05 passes one
 * bitmap of the machine. Since 23.02 it passes a description of reservations with a bitmap for each node. In both cases
 * NULL means that no core is excluded. `node` is the index of a node record, `core` the number of a core on it.
 */
#ifdef HAVE_SLURM_RESV_EXC

typedef resv_exc_t excluded_cores_t;

static inline bool core_is_excluded(const excluded_cores_t *excluded, int node, int core)
{
	bitstr_t *cores = excluded && excluded->exc_cores ? excluded->exc_cores[node] : NULL;

	return cores && core < bit_size(cores) && bit_test(cores, core);
}

/* Returns true if the format of `excluded` is known, so that single cores can be looked up and added. */
static inline bool excluded_cores_are_known(const excluded_cores_t *excluded)
{
	return true;
}

/* Returns a copy of `from`; NULL stands for no excluded core. Free it with excluded_cores_free(). */
static inline excluded_cores_t *excluded_cores_copy(const excluded_cores_t *from)
{
	excluded_cores_t *copy = xmalloc(sizeof(*copy));

	if (from)
		*copy = *from;
	copy->exc_cores = from && from->exc_cores ? copy_core_array(from->exc_cores) : build_core_array();
	return copy;
}

static inline void excluded_cores_add(excluded_cores_t *excluded, int node, int core)
{
	if (!excluded->exc_cores[node])
		excluded->exc_cores[node] = bit_alloc(node_record_table_ptr[node]->tot_cores);
	bit_set(excluded->exc_cores[node], core);
}

static inline void excluded_cores_free(excluded_cores_t *excluded)
{
	if (!excluded)
		return;
	free_core_array(&excluded->exc_cores);
	xfree(excluded);
}

#else

typedef bitstr_t excluded_cores_t;

static inline bool core_is_excluded(const excluded_cores_t *excluded, int node, int core)
{
	int64_t bit = cr_get_coremap_offset(node) + core;

	return excluded && bit < bit_size((bitstr_t *) excluded) && bit_test((bitstr_t *) excluded, bit);
}

static inline bool excluded_cores_are_known(const excluded_cores_t *excluded)
{
	return !excluded || bit_size((bitstr_t *) excluded) == cr_get_coremap_offset(node_record_count);
}

static inline excluded_cores_t *excluded_cores_copy(const excluded_cores_t *from)
{
	return from ? bit_copy((bitstr_t *) from) : bit_alloc(cr_get_coremap_offset(node_record_count));
}

static inline void excluded_cores_add(excluded_cores_t *excluded, int node, int core)
{
	bit_set(excluded, cr_get_coremap_offset(node) + core);
}

static inline void excluded_cores_free(excluded_cores_t *excluded)
{
	FREE_NULL_BITMAP(excluded);
}

#endif

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
