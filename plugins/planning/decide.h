/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The C interface of decisions: it takes plain arrays and returns a plan. This header includes no header of Slurm.
 * placement_configure() reads files, and placement_tell() writes one record into a file in memory; no other function
 * reads or writes a file in the calling thread. No function throws. Only one thread at a time may call these functions,
 * except where a function says otherwise; slurmctld's job write lock ensures that.
 */
#ifndef PLACEMENT_PLANNING_DECIDE_H
#define PLACEMENT_PLANNING_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/util/decision_outcome.h"

#ifdef __cplusplus
extern "C" {
#endif

enum placement_mode {
	PLACEMENT_OFF,		/* no decision is made */
	PLACEMENT_OBSERVE,	/* decisions are made and logged; the job runs as stock Slurm would run it */
	PLACEMENT_ADVISE,	/* as OBSERVE, and the job's system comment shows the decision to the user */
	PLACEMENT_ENFORCE,	/* as ADVISE, and the job gets the nodes and cores of the policy */
};

/* ---- the machine */

struct placement_machine_node {
	const char *name;
	uint32_t sockets;
	uint32_t cores_per_socket;
	uint32_t threads_per_core;
};

/*
 * A topology is given as the switches or blocks that "scontrol show topology" prints; NULL for a topology that has none.
 */
struct placement_machine {
	const struct placement_machine_node *nodes;
	uint32_t node_count;
	const char *topology;			/* the topology of the cluster */
	const char *const *other_topologies;	/* the topologies that partitions name in its place */
	uint32_t other_topology_count;
};

/*
 * Reads the file `config_path` and the files that it names, and copies the description of `machine`. If `config_path`
 * does not exist, the defaults are in force. Returns the mode in force. On an error the mode is PLACEMENT_OFF until the
 * next call, and `message` has the reason with file and line. `message` has room for `message_size` bytes (at least 1)
 * and is empty when there was no error.
 */
enum placement_mode placement_configure(const char *config_path,
					const struct placement_machine *machine,
					char *message, size_t message_size);

/*
 * Tells whether slurm.conf has PrivateData=jobs. If it has, only a group may read the recorded decisions. The value
 * takes effect with the next placement_configure().
 */
void placement_keep_jobs_private(bool private_jobs);

/*
 * Forgets the machine, the partition policies and all jobs. The mode is PLACEMENT_OFF until the next
 * placement_configure().
 */
void placement_unconfigure(void);

/* Returns the mode in force; PLACEMENT_OFF if the last placement_configure() failed. */
enum placement_mode placement_current_mode(void);

/* Returns the mode in force for jobs of `partition` (PartitionModes); NULL: a partition that is not known. */
enum placement_mode placement_mode_in(const char *partition);

/*
 * Returns why the last placement_configure() left placement off although the file does not say Mode=off; empty otherwise.
 * The text is valid until the next placement_configure().
 */
const char *placement_failure(void);

/*
 * Returns the problems that the last placement_configure() found and that do not turn placement off. The text is
 * empty if there are none. It is valid until the next placement_configure() or placement_unconfigure().
 */
const char *placement_warning(void);

/*
 * Sets the function that receives the log lines about the live data. `log` is called from placement_configure(), and
 * later from a thread of this library that holds no lock of Slurm. Call this function before placement_configure().
 */
void placement_log_to(void (*log)(bool is_error, const char *text));

/*
 * Has the thread of this library call `call` once, `seconds` from now or up to one second later. Only one request is
 * pending at a time: of two, the library keeps the one that is due first. The request is dropped while the mode is
 * PLACEMENT_OFF.
 */
void placement_call_later(uint32_t seconds, void (*call)(void));

/* One line of the configuration in force, for "scontrol show config". */
struct placement_fact {
	char name[48];
	char value[4096];
};

#define PLACEMENT_MOST_FACTS 64

/*
 * Fills `facts`, an array with room for PLACEMENT_MOST_FACTS facts, and returns their number. Several threads may call
 * this function at once if none is in another function of this file. The caller's read lock on slurmctld's jobs
 * ensures that.
 */
uint32_t placement_facts(struct placement_fact *facts);

/* ---- one decision */

/* The nodes and cores that the job may have at once, in Slurm's order of nodes. */
struct placement_offer {
	uint32_t node_count;
	const int32_t *node;		/* for each node, its index in the machine's nodes */
	const uint32_t *first_core;	/* node_count + 1 offsets into core_free */
	const uint8_t *core_free;	/* one byte per core: 1 if the job may have the core, else 0 */
	const uint16_t *cpus_per_core;	/* for each node, the threads of a core that the job may use */
	const uint64_t *weight;		/* of each node, Slurm takes light nodes first; NULL: all are equal */
	const uint32_t *max_tasks;	/* most tasks on each node, 0: no limit; NULL: no limit on any node */
	bool given;			/* the job has these nodes already, and may have more tasks than they have room for (--overcommit) */
};

struct placement_request {
	uint32_t job_id;		/* for a task of a job array, the job ID of the array */
	uint32_t uid;			/* the job's user, whose processor time for decisions is spent */
	const char *partition;		/* the partition in which the job would run; NULL if not known */
	uint32_t topology;		/* the partition's: 0 is that of the cluster, i is other_topologies[i - 1] */
	char *const *environment;	/* NAME=VALUE entries; the user writes them, so nothing in them is trusted */
	uint32_t environment_count;
	uint32_t tasks;			/* 0 if the user gave no number */
	uint32_t cpus_per_task;
	uint32_t min_nodes;
	uint32_t max_nodes;
	uint32_t tasks_per_node;	/* most tasks on a node; Slurm reserves CPUs for this number. 0: no limit */
	uint32_t tasks_per_socket;	/* most tasks on a socket; 0: no limit */
	int64_t waited_s;		/* seconds since the job could start */
	const char *no_wait;		/* why wait= has no effect, as in "has no effect in a heterogeneous job"; NULL: it has */
	bool may_be_put_off;		/* a later scheduling cycle may decide, if this one has no time */
	uint32_t times_put_off;		/* scheduling cycles in which there was no time to decide */
	uint32_t time_limit_s;		/* the job's time limit; 0: none */
	bool whole_nodes;		/* the job gets all cores of its nodes; no offered node has another job */
	const uint32_t *required;	/* nodes that must be used, as indices into the offer */
	uint32_t required_count;
	bool tasks_need_whole_cores;	/* Slurm starts a step only if each task can have whole cores, or the step has all CPUs of the job */
	bool node_range;		/* the user gave a range of --nodes, of which Slurm gives as many as it can */
	bool pack_nodes;		/* a step fills its nodes one after the other (CR_Pack_Nodes) */
};

/* The variable that carries the live data of a job's nodes, by which they were chosen, to the job's steps. */
#define PLACEMENT_JOB_STATE "PLACEMENT_STATE"

/* The variable that carries the ranks for which the nodes of a job were chosen to the job's steps. */
#define PLACEMENT_PLANNED_RANKS "PLACEMENT_RANKS"

/*
 * The variable that tells a job's user how the decision ended. Its value is "JOB nodes", "JOB nodes+cores", or
 * "JOB stock: REASON" if the job has the nodes that Slurm itself chose. JOB is the job ID.
 */
#define PLACEMENT_JOB_DECISION "PLACEMENT_DECISION"

/*
 * The variable that tells which start of a batch job the other two belong to: JOB RESTARTS, or JOB_TASK RESTARTS for a
 * task of an array. RESTARTS counts as the variable SLURM_RESTART_COUNT of the batch script does.
 */
#define PLACEMENT_JOB_START "PLACEMENT_START"

/* What is known of the order of the ranks of a job on nodes that Slurm itself chose. */
enum placement_ranks_order {
	PLACEMENT_RANKS_OF_SLURM,
	PLACEMENT_RANKS_BY_MATRIX,	/* srun places them by the job's matrix */
	PLACEMENT_RANKS_BY_TOPOLOGY,	/* no matrix: srun takes the nodes in the order of the topology, which is not that of their names */
	PLACEMENT_RANKS_NOT_KNOWN,	/* the user's time for decisions is used up, and the job's request was not decoded */
};

/*
 * One decision. The select plugin sets what it knows of the job; placement_decide() adds the answer of the policy,
 * placement_assess() the costs on what the job got; placement_tell() records it. A text is empty or NULL if it is not known.
 */
struct placement_decision {
	/* the job */
	uint32_t job_id;		/* for a task of a job array, the job ID of the array */
	bool array_task_known;		/* the job is a task of an array, and array_task is set */
	uint32_t array_task;		/* the number of the task in the array */
	uint32_t restarts;
	int64_t submitted_s;		/* when the job was submitted, in seconds since 1970 */
	uint32_t uid;
	const char *policy;		/* the name of the policy that was asked for */
	enum placement_mode mode;	/* in force for the job's partition */
	bool for_start;			/* false: Slurm only asked whether and when the job could run */
	bool predicted;			/* a user only asked when such a job would start (srun --test-only) */

	/* the answer */
	bool asked;			/* placement_decide() has set the fields of this part */
	bool placed;			/* there are nodes and cores for the job: the plan */
	bool wait;			/* not placed: the job stays in the queue for now */
	bool wait_told;			/* with `wait`: the wait was recorded already and is not recorded again */
	uint32_t wait_left_s;		/* with `wait`: seconds after which the job waits no longer, at least 1 */
	bool put_off;			/* with `wait`: there was no time to decide; false: the user asked to wait */
	bool remembered;		/* the answer to an earlier, equal question was used again */
	uint32_t node_count;
	const uint32_t *node;		/* the planned nodes as indices into the offer, ascending */
	const uint32_t *tasks;		/* the number of tasks on each planned node */
	const uint8_t *core_wanted;	/* one byte per core of the offer, 1 for the cores that the job is to get */
	uint32_t task_count;
	const char *lacks;		/* the policy and what it lacked, for the job's user */
	double live_age_s;		/* age of the live data that the policy uses; negative without live data */
	const char *job_state;		/* the value for PLACEMENT_JOB_STATE */
	const char *planned_ranks;	/* the value for PLACEMENT_PLANNED_RANKS */
	int64_t time_us;		/* wall-clock time of the decision in microseconds */

	/* the costs: those of the plan, or of what the job got, see placement_assess() */
	const char *cost;		/* hop-bytes with the ranks placed; empty without a matrix */
	const char *natural_cost;	/* hop-bytes on these cores in natural order */
	const char *stock_cost;		/* hop-bytes on the first nodes in natural order */
	const char *busiest_link;	/* the link with the most traffic, and in natural order on the first nodes */
	const char *ranks;		/* the ranks of each node, as "0,5;1-3;4"; empty if longer than 767 characters */
	enum placement_ranks_order ranks_order;	/* for DECISION_STOCK */

	/* the outcome */
	enum decision_outcome end;
	const char *reason;		/* why the job runs as stock or waits, or remarks on the plan */
	enum stock_reason stock_reason;	/* the class of `reason` for DECISION_STOCK */
	bool started;			/* Slurm has allocated nodes for a start */
	char *given;			/* the nodes that Slurm allocated */
	char *stock_choice;		/* the nodes that Slurm itself would choose */
	const char *unbound;		/* the value of TaskPlugin if it binds no rank to a core */
};

/*
 * Frees what is kept of jobs about which nothing was asked for ten minutes. It costs little, so that it can be called
 * with each job test.
 */
void placement_tidy(void);

/*
 * Returns the name of the policy that these entries NAME=VALUE ask for, which is valid for ever. The text is empty if they name
 * none, or one that is not known.
 */
const char *placement_policy_name(char *const *environment, uint32_t environment_count);

/* Returns true if one of the first 64 entries NAME=VALUE of a job's environment asks for a policy. */
bool placement_asked(char *const *environment, uint32_t environment_count);

/*
 * Finds the policy that PartitionPolicies gives to the jobs of `partition`, for a job that asks for none itself. Sets
 * *environment to entries that ask for this policy, and returns their number; they are valid until the next
 * placement_configure() or placement_unconfigure(). Returns 0 if the partition has no policy or `partition` is NULL.
 */
uint32_t placement_partition_environment(const char *partition, char *const **environment);

/*
 * Returns the name of the partition that is at the place `index`, from 0 on, among those with a policy; NULL if no
 * partition is at this place. The text is valid until the next placement_configure() or placement_unconfigure().
 */
const char *placement_partition_with_policy(uint32_t index);

/*
 * Asks the job's policy for nodes and cores among those offered, and sets the answer and the costs of `decision`. If `placed`
 * is false, `reason` says why. The pointers are valid until the next call of this function, placement_plan_failed(),
 * placement_forget(), placement_tidy(), placement_configure() or placement_unconfigure().
 */
void placement_decide(const struct placement_offer *offer, const struct placement_request *request,
		      struct placement_decision *decision);

/*
 * Returns true if placement_decide() would put off the decision on a job of the user `uid` that may be put off.
 * `times_put_off` is how often it was put off already. The call costs little.
 */
bool placement_would_put_off(uint32_t uid, uint32_t times_put_off);

/* The nodes and cores that Slurm allocated to a job, as indices into the offer. */
struct placement_grant {
	uint32_t node_count;
	const uint32_t *node;		/* the allocated nodes as indices into the offer, ascending */
	const uint32_t *room;		/* for each of these nodes, the tasks of a step that Slurm has room for */
	const uint8_t *core_given;	/* one byte per core of the offer, 1 for the cores that the job has */
};

/*
 * Sets the costs of `decision` to those of a job that was allocated `grant`. If the job was placed by the plan that
 * placement_decide() returned for `offer` and `request`, `reason` also names the difference between allocation and plan. For
 * DECISION_STOCK `offer` has exactly the nodes of the grant, and ranks_order is set. Costs that are not known become empty.
 */
void placement_assess(const struct placement_offer *offer, const struct placement_request *request,
		      const struct placement_grant *grant, struct placement_decision *decision);

/* Frees what is kept of the job `job_id`. Call it when nothing more will be asked about the job. */
void placement_forget(uint32_t job_id);

/*
 * Tells that Slurm could not allocate the last plan for the job `job_id`. An equal question is then answered with
 * "not placed" and `reason`, no longer with that plan.
 */
void placement_plan_failed(uint32_t job_id, const char *reason);

/*
 * Returns true if it is worth the time to find out which nodes Slurm itself would choose for a job of the user `uid`.
 * placement_tell() records them. Each user may spend only a small part of each second on this question.
 */
bool placement_wants_stock_choice(uint32_t uid);

/* Counts `time_ns` nanoseconds of processor time that the question for Slurm's own choice took, for the user `uid`. */
void placement_stock_choice_took(uint32_t uid, int64_t time_ns);

/* Counts `time_ns` nanoseconds of processor time as time of a decision for the user `uid`. */
void placement_decision_took(uint32_t uid, int64_t time_ns);

/* Records the decision in the ring, if there is one. The ring is a file in memory, so this takes little time. */
void placement_tell(const struct placement_decision *decision);

#ifdef __cplusplus
}
#endif

#endif
