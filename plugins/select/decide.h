/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The C face of deciding: plain arrays in, a plan out. No header of Slurm, no I/O but in
 * placement_configure(), no exception comes out. One thread at a time may be in here; slurmctld's
 * job write lock sees to that.
 */
#ifndef PLACEMENT_SELECT_DECIDE_H
#define PLACEMENT_SELECT_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum placement_mode {
	PLACEMENT_OFF,		/* not even look */
	PLACEMENT_OBSERVE,	/* decide and log */
	PLACEMENT_ADVISE,	/* and tell the user in the job's system comment */
	PLACEMENT_ENFORCE,	/* and do it */
};

/* ---- the machine */

struct placement_machine_node {
	const char *name;
	uint32_t sockets;
	uint32_t cores_per_socket;
	uint32_t threads_per_core;
};


struct placement_machine {
	const struct placement_machine_node *nodes;
	uint32_t node_count;
	const char *topology;		/* switches or blocks, as "scontrol show topology" prints them; NULL: none */
};

/*
 * Reads the configuration file (a missing one means defaults) and the files that it names, and
 * takes in the machine. When that fails the mode is PLACEMENT_OFF until the next call; the reason,
 * with file and line, goes to `message`, which is empty otherwise.
 */
enum placement_mode placement_configure(const char *config_path,
					const struct placement_machine *machine,
					char *message, size_t message_size);

/*
 * Whether slurm.conf has PrivateData=jobs, so that not everybody may read the decisions; for the next
 * placement_configure().
 */
void placement_keep_jobs_private(bool private_jobs);

/* The machine is no longer what it was: PLACEMENT_OFF until the next placement_configure(). */
void placement_unconfigure(void);

enum placement_mode placement_current_mode(void);

/* What else the last placement_configure() found, and goes on without; empty: nothing. */
const char *placement_warning(void);

/*
 * Where lines for the log go that come at other times than a call from slurmctld: `log` is called from a
 * thread of this library, under no lock of Slurm's. To be set before placement_configure().
 */
void placement_log_to(void (*log)(bool is_error, const char *text));

/*
 * Has the thread of this library call `call` once, `seconds` from now or up to one second later. Of two requests the one
 * that is due first is kept. While the mode is PLACEMENT_OFF nothing is called.
 */
void placement_call_later(uint32_t seconds, void (*call)(void));

/* What is in force, for whoever asks slurmctld for its configuration. */
struct placement_fact {
	char name[32];
	char value[512];
};

#define PLACEMENT_MOST_FACTS 8

/*
 * Fills at most PLACEMENT_MOST_FACTS facts and returns their number. Several threads may be in here at once, as
 * long as none is in another function of this file: a read lock on slurmctld's jobs sees to that.
 */
uint32_t placement_facts(struct placement_fact *facts);

/* ---- one decision */

/* The nodes that may be used, in Slurm's order. */
struct placement_offer {
	uint32_t node_count;
	const int32_t *node;		/* index into the machine's nodes */
	const uint32_t *first_core;	/* node_count + 1 offsets into core_free */
	const uint8_t *core_free;	/* 1: the job may have the core */
	const uint16_t *cpus_per_core;	/* threads of a core that the job may use */
	const uint64_t *weight;		/* Slurm takes light nodes first; NULL: all weigh the same */
	const uint32_t *max_tasks;	/* at most so many tasks on each node, 0: any; NULL: any everywhere */
};

struct placement_request {
	uint32_t job_id;		/* for a job array the array's */
	uint32_t uid;			/* of the job's user, by whose time it is decided */
	const char *partition;		/* in which it would run; NULL: not told */
	char *const *environment;	/* NAME=VALUE, from the user: believe nothing */
	uint32_t environment_count;
	uint32_t tasks;			/* 0: the user did not say */
	uint32_t cpus_per_task;
	uint32_t min_nodes;
	uint32_t max_nodes;
	uint32_t tasks_per_node;	/* at most; and cpus for so many on each node. 0: any */
	uint32_t tasks_per_socket;	/* at most; 0: any */
	int64_t waited_s;		/* since the job could start */
	bool may_be_put_off;		/* without time in this scheduling cycle it may be decided in a later one */
	uint32_t times_put_off;		/* scheduling cycles in which there was no time to decide */
	uint32_t time_limit_s;		/* of the job; 0: none */
	bool whole_nodes;		/* the job gets all cores of its nodes; those offered have no other job */
	const uint32_t *required;	/* indices into the offer of nodes that must be used */
	uint32_t required_count;
	bool pack_nodes;		/* a step fills its nodes one after the other (CR_Pack_Nodes) */
};

#define PLACEMENT_REASON_SIZE 256

/* The variable by which a job's steps learn what their nodes were chosen by. */
#define PLACEMENT_JOB_STATE "PLACEMENT_STATE"

/*
 * The variable that tells a job's user how the decision ended: "JOB nodes", "JOB nodes+cores", or
 * "JOB stock: REASON" where the job has the nodes that Slurm itself chose.
 */
#define PLACEMENT_JOB_DECISION "PLACEMENT_DECISION"

struct placement_plan {
	bool placed;
	bool wait;			/* not placed: the user wants the job to stay in the queue for now */
	bool wait_told;			/* and that was the answer a short time ago too */
	uint32_t wait_left_s;		/* with `wait`: seconds after which the job waits no longer, at least 1 */
	bool put_off;			/* with `wait`: there was no time to decide, the next scheduling cycle may have some */
	uint32_t node_count;
	const uint32_t *node;		/* indices into the offer, ascending */
	const uint32_t *tasks;		/* tasks of each of them */
	const uint8_t *core_wanted;	/* like core_free: the cores that the job is to get */
	uint32_t task_count;
	char policy[24];
	char cost[48];			/* hop-bytes; empty without a matrix */
	char natural_cost[48];		/* the same cores, ranks in order; or empty */
	char stock_cost[48];		/* the first nodes offered, ranks in order; or empty */
	char reason[PLACEMENT_REASON_SIZE];	/* why not placed, or what was left out */
	double live_age_s;		/* of the live data that the policy goes by; < 0: none */
	const char *job_state;		/* value for PLACEMENT_JOB_STATE; or empty */
	bool remembered;		/* the question was asked before */
	int64_t time_us;
};

/* Gives back what is known of jobs about which nothing was asked for ten minutes; cheap, for every call. */
void placement_tidy(void);

/* Whether the job asks for a policy at all; cheap. */
bool placement_asked(char *const *environment, uint32_t environment_count);

/*
 * What stands for the environment of a job that asks for nothing, in a partition whose jobs have a
 * policy by PartitionPolicies; valid until the next configuration. Its length, 0: the partition has none.
 */
uint32_t placement_partition_environment(const char *partition, char *const **environment);

/* The plan stays valid until the next call of any function here. Never NULL. */
const struct placement_plan *placement_decide(const struct placement_offer *offer,
					      const struct placement_request *request);

/*
 * Whether placement_decide() would put off a decision for this user's job that was put off `times_put_off` times and
 * may be put off again; cheap.
 */
bool placement_would_put_off(uint32_t uid, uint32_t times_put_off);

/* What Slurm gave a job, in terms of the offer. */
struct placement_grant {
	uint32_t node_count;
	const uint32_t *node;		/* indices into the offer, ascending */
	const uint32_t *room;		/* how many tasks of a step Slurm sees room for on each of them */
	const uint8_t *core_given;	/* like core_free: the cores that the job has */
};

/*
 * After placement_decide() of the same question, with its answer in force: puts the costs of what was given into
 * the plan, where that is not what was planned, and says so in its reason. Costs that are not known are empty then.
 */
void placement_assess(const struct placement_offer *offer, const struct placement_request *request,
		      const struct placement_grant *grant);

/* Nothing more will be asked about the job: gives back what is known of it. */
void placement_forget(uint32_t job_id);

/* What was planned could not be had: the same question is not answered with it again. */
void placement_plan_failed(uint32_t job_id, const char *reason);

/* ---- what became of it */

enum decision_end {
	DECISION_STOCK,		/* Slurm's own answer */
	DECISION_NODES,		/* the policy's nodes */
	DECISION_CORES,		/* the policy's nodes and cores */
	DECISION_ADVICE,	/* Slurm's own answer, the policy would have had another */
	DECISION_WAIT,		/* none: the job waits, as its user asked for, or for want of time to decide */
};

struct placement_outcome {
	uint32_t job_id;		/* for a task of a job array the array's */
	bool array_task_known;
	uint32_t array_task;		/* its number in the array */
	uint32_t restarts;
	uint32_t uid;
	enum decision_end end;
	bool for_start;			/* else only whether the job could run was asked */
	bool decided;			/* placement_decide() was called for it, and for nothing since */
	const char *reason;		/* of DECISION_STOCK; or NULL */
	const char *given;		/* nodes that Slurm allocated, or NULL */
	const char *stock_choice;	/* nodes that Slurm itself chose, or NULL where it was not asked */
};

/* Whether it is worth the time to find out what Slurm itself would choose, for placement_tell(). */
bool placement_wants_stock_choice(uint32_t uid);

/* What that has cost, in nanoseconds of processor time: it is asked as long as that is little. */
void placement_stock_choice_took(uint32_t uid, int64_t time_ns);

/* For whoever keeps a history: some stores into memory. */
void placement_tell(const struct placement_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
