/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A plan as arguments for the real plugin, and the undoing of a call.
 */
#ifndef PLACEMENT_SELECT_PLAN_CALL_H
#define PLACEMENT_SELECT_PLAN_CALL_H

#include <time.h>

#include "plugins/compat/job_test_call.h"
#include "plugins/planning/decide.h"
#include "plugins/select/view_from_slurm.h"

/* The part of a plan that Slurm is restricted to. */
enum plan_part {
	PLAN_CORES,	/* only the planned cores */
	PLAN_COUNTS,	/* on each planned node the planned number of cores, spread over its sockets */
	PLAN_NODES,	/* only the planned nodes */
};

/*
 * Asks the real plugin for all planned nodes, and restricts their cores as `part` says. No job is preempted for a plan,
 * because Slurm may find another place for the job without preemption. Returns the result of the real plugin, or
 * SLURM_ERROR if it allocated other nodes or cores than requested. The nodes of `arguments` become those of the call.
 */
int call_with_plan(const struct job_test_arguments *arguments, const struct job_view *view,
		   const struct placement_decision *plan, enum plan_part part);

/* The fields of a job that a call of the real plugin may change, saved to undo that call. */
struct saved_job {
	uint64_t bit_flags;
	uint32_t priority;
	uint16_t state_reason;
	char *state_desc;
	uint32_t total_cpus;
	time_t start_time;
	uint32_t min_cpus;
	uint64_t pn_min_memory;
	bitstr_t *nodes;
};

/* Copies the fields of the job, and the nodes, of `arguments`. The caller frees the copy with saved_job_free(). */
void saved_job_fill(struct saved_job *saved, const struct job_test_arguments *arguments);

/* Sets the fields of the job, and the nodes, of `arguments` to the copy. It can be called several times. */
void saved_job_restore(const struct saved_job *saved, const struct job_test_arguments *arguments);

void saved_job_free(struct saved_job *saved);

/*
 * Fills `grant` from the job's allocation, with indices into the offer of the view by which the job was decided.
 * Returns false without an allocation, or with nodes that were not offered. In any case, free `grant`
 * with job_grant_free().
 */
bool job_grant_fill(struct placement_grant *grant, const struct job_view *view, const job_record_t *job);
void job_grant_free(struct placement_grant *grant);

#endif
