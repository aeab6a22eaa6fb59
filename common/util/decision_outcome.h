/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The modes, the outcomes of a decision of slurmctld, the reasons for a stock run, and the variables of the answer.
 * The C files of the plugin, the policies and the records of decisions use these values. The ring of decisions stores
 * outcomes and reasons as bytes, so their numbers must not change.
 */
#ifndef PLACEMENT_UTIL_DECISION_OUTCOME_H
#define PLACEMENT_UTIL_DECISION_OUTCOME_H

/* The key Mode: the use of a decision about a job with a policy. Jobs without one run as stock in every mode. */
enum placement_mode {
	PLACEMENT_OFF,		/* makes no decision */
	PLACEMENT_OBSERVE,	/* records decisions in DecisionFile; jobs run as under stock Slurm */
	PLACEMENT_ADVISE,	/* records as OBSERVE, and shows the decision in the job's system comment */
	PLACEMENT_ENFORCE,	/* records as ADVISE, and gives the job the nodes and cores of the policy */
};

enum decision_outcome {
	DECISION_STOCK,		/* the job gets the nodes that Slurm itself chose, for a reason */
	DECISION_NODES,		/* the job gets the policy's nodes */
	DECISION_CORES,		/* the job gets the policy's nodes and cores */
	DECISION_ADVICE,	/* Mode=observe or advise: the job gets the nodes that Slurm itself chose; the plan is recorded */
	DECISION_WAIT,		/* the job stays in the queue, because its user asked for it or there was no time to decide */
};
enum { DECISION_OUTCOMES = DECISION_WAIT + 1 };	/* the number of outcomes */

/* The class of the reason for DECISION_STOCK, by which stock decisions are counted. */
enum stock_reason {
	STOCK_OTHER,		/* none of the classes below, or a record of a version without classes */
	STOCK_NO_TIME,		/* the time for decisions was used up */
	STOCK_NO_LIVE_DATA,	/* the policy needs live data, and there were none or too few */
	STOCK_NO_ROOM,		/* the free nodes and the limits on nodes and tasks left the policy no choice */
	STOCK_SLURM,		/* Slurm could not allocate the nodes and cores of the policy, or could only later */
	STOCK_OPTION,		/* the job has an option that no policy can serve */
	STOCK_REQUEST,		/* the policy, its keys or its matrix do not fit the job */
	STOCK_MACHINE,		/* the nodes or topologies in slurmctld changed, or SelectTypeParameters counts no cores */
};
enum { STOCK_REASONS = STOCK_MACHINE + 1 };	/* the number of classes */

/* The variables of slurmctld's answer to a job's processes, as common/decision/job_variables.hpp describes them. */
#define PLACEMENT_JOB_STATE "PLACEMENT_STATE"
#define PLACEMENT_PLANNED_RANKS "PLACEMENT_RANKS"
#define PLACEMENT_JOB_DECISION "PLACEMENT_DECISION"
#define PLACEMENT_JOB_START "PLACEMENT_START"

#endif
