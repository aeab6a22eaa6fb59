/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The data of a decision as plain C: the machine, the offer, the request, the decision, and Slurm's allocation.
 */
#ifndef PLACEMENT_PLANNING_DECISION_TYPES_H
#define PLACEMENT_PLANNING_DECISION_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/util/decision_outcome.h"

struct placement_machine_node {
	const char *name;
	uint32_t sockets;
	uint32_t cores_per_socket;
	uint32_t threads_per_core;
};

/* The machine. A topology is the output of "scontrol show topology", or NULL if there are no switches or blocks. */
struct placement_machine {
	const struct placement_machine_node *nodes;
	uint32_t node_count;
	const char *topology;			/* the topology of the cluster */
	const char *const *other_topologies;	/* the topologies of partitions that do not use `topology` */
	uint32_t other_topology_count;
	bool private_jobs;			/* PrivateData=jobs: only a group may read the recorded decisions */
	const char *unbound;			/* the value of TaskPlugin if it binds no rank to a core, else NULL */
};

/* The nodes and cores that the job may have at once, in Slurm's order of nodes. */
struct placement_offer {
	uint32_t node_count;
	int32_t *node;			/* for each node, its index in the machine's nodes */
	uint32_t *first_core;		/* node_count + 1 offsets into core_free */
	uint8_t *core_free;		/* one byte per core: 1 if the job may have the core, else 0 */
	uint16_t *cpus_per_core;	/* for each node, the threads of a core that the job may use */
	uint64_t *weight;		/* Slurm's weight of each node; Slurm prefers low ones; NULL: all are equal */
	uint32_t *max_tasks;		/* most tasks on each node; UINT32_MAX: no limit; NULL: no limit on any node */
	bool given;			/* the job already has these nodes, maybe with more tasks than fit (--overcommit) */
};

/* What Slurm asks about a job. The caller owns everything to which this struct points. */
struct placement_request {
	uint32_t job_id;		/* for a task of a job array, the job ID of the array */
	bool array_task_known;		/* the job is a task of an array, and array_task is set */
	uint32_t array_task;		/* index of the task in the array */
	uint32_t restarts;
	int64_t submitted_s;		/* when the job was submitted, in seconds since 1970 */
	uint32_t uid;			/* the job's user; the decision uses this user's budget of processor time */
	enum placement_mode mode;	/* the mode of the job's partition */
	bool for_start;			/* Slurm starts the job now; false: Slurm asks when it could run */
	bool predicted;			/* a user asks when a job would start (srun --test-only) */
	const char *stock_because;	/* why no policy can place the job; NULL: a policy can */
	enum stock_reason stock_reason;	/* the class of stock_because */
	const char *partition;		/* the partition in which the job would run; NULL if not known */
	uint32_t topology;		/* the partition's topology; 0: the cluster's, i: other_topologies[i - 1] */
	char *const *environment;	/* NAME=VALUE entries; the user writes them: do not trust them */
	uint32_t environment_count;
	uint32_t tasks;			/* 0 if the user gave no number */
	uint32_t cpus_per_task;
	uint32_t min_nodes;
	uint32_t max_nodes;
	uint32_t tasks_per_node;	/* most tasks on a node; Slurm reserves CPUs for this number. 0: no limit */
	uint32_t tasks_per_socket;	/* most tasks on a socket; 0: no limit */
	int64_t waited_s;		/* seconds since the job could start */
	const char *no_wait;		/* why wait= has no effect, as a text for the user; NULL: it has an effect */
	bool may_be_put_off;		/* a later scheduling cycle may decide if no time for decisions is left */
	uint32_t times_put_off;		/* scheduling cycles in which there was no time to decide */
	uint32_t time_limit_s;		/* the job's time limit; 0: none */
	bool whole_nodes;		/* the job gets whole nodes; all offered nodes are free of other jobs */
	uint32_t *required;		/* nodes that must be used, as indices into the offer */
	uint32_t required_count;
	bool tasks_need_whole_cores;	/* STEP_TASKS_NEED_WHOLE_CORES of slurm_compat.h */
	bool node_range;		/* --nodes has a range; Slurm gives the job as many nodes as it can */
	bool pack_nodes;		/* a step fills its nodes one after the other (CR_Pack_Nodes) */
};

/*
 * The part of the current decision that the select plugin reads and sets. The record and all other texts are in
 * CurrentDecision (current_decision.hpp). A text that is not known is empty or NULL.
 */
struct placement_decision {
	enum decision_outcome outcome;	/* set by the select plugin; DECISION_STOCK before that */
	bool wait;			/* not placed: the job stays in the queue */
	bool wait_told;			/* with `wait`: this wait is already recorded; do not record it again */
	bool put_off;			/* with `wait`: true: no time for a decision was left; false: the user set wait= */
	uint32_t wait_left_s;		/* with `wait`: remaining seconds of the wait, at least 1 */
	bool placed;			/* the policy found nodes and cores; they are in the members below */
	uint32_t node_count;
	const uint32_t *node;		/* the planned nodes as indices into the offer, ascending */
	const uint32_t *tasks;		/* the number of tasks on each planned node */
	const uint8_t *core_wanted;	/* one byte per core of the offer: 1 if the job should get the core, else 0 */
	const char *job_state;		/* value of the variable PLACEMENT_STATE of the job */
	const char *planned_ranks;	/* value of the variable PLACEMENT_RANKS of the job */
};

/* The nodes and cores that Slurm allocated to a job, as indices into the offer. */
struct placement_grant {
	uint32_t node_count;
	uint32_t *node;			/* the allocated nodes as indices into the offer, ascending */
	uint32_t *room;			/* for each allocated node, the number of tasks of a step that fit on it */
	uint8_t *core_given;		/* one byte per core of the offer: 1 if the job has the core, else 0 */
};

#endif
