/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A plan as arguments for the real plugin.
 */
#ifndef PLACEMENT_SELECT_PLAN_CALL_H
#define PLACEMENT_SELECT_PLAN_CALL_H

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
 * because Slurm may find another place for the job without preemption. Returns what the real plugin returned, or
 * SLURM_ERROR if it allocated something else than it was asked for. The nodes of `arguments` become those of the call.
 */
int call_with_plan(const struct job_test_arguments *arguments, const struct job_view *view,
		   const struct placement_plan *plan, enum plan_part part);

#endif
