/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The C interface of decisions (decision_types.h). This header includes no header of Slurm. placement_configure()
 * reads files, and placement_tell() writes one record into a file in memory. No other function reads or writes a file
 * in the calling thread. No function throws. Only one thread at a time may call these functions, unless a function
 * states otherwise. slurmctld's job write lock ensures that.
 */
#ifndef PLACEMENT_PLANNING_DECIDE_H
#define PLACEMENT_PLANNING_DECIDE_H


#include "plugins/planning/decision_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the machine */

/*
 * Reads the file `config_path` and the files that it names, and copies the description of `machine`. If `config_path`
 * does not exist, the defaults are in force. Returns the mode in force. On an error the mode is PLACEMENT_OFF until the
 * next call, and placement_failure() has the reason with file and line.
 */
enum placement_mode placement_configure(const char *config_path, const struct placement_machine *machine);

/* Forgets the machine, the partition policies and all jobs. The mode is PLACEMENT_OFF until configured again. */
void placement_unconfigure(void);

/*
 * Returns the mode in force for jobs of `partition` (PartitionModes). NULL stands for an unknown partition. The mode is
 * PLACEMENT_OFF if the last placement_configure() failed.
 */
enum placement_mode placement_mode_in(const char *partition);

/*
 * Returns why the last placement_configure() left placement off although the file does not have Mode=off. Returns an
 * empty text otherwise. The text is valid until the next placement_configure().
 */
const char *placement_failure(void);

/*
 * Sets the function that receives log lines: the mode, and problems that do not turn placement off. Call this first:
 * placement_configure() calls `log`, and later a thread of this library that holds no lock of Slurm.
 */
void placement_log_to(void (*log)(bool is_error, const char *text));

/*
 * Lets the thread of this library call `call` once, `seconds` seconds from now or up to one second later. Only the
 * request that is due first is kept, and none while the mode is PLACEMENT_OFF.
 */
void placement_call_later(uint32_t seconds, void (*call)(void));

/*
 * Calls add(list, name, value) for each line of the configuration in force, for "scontrol show config". With a read
 * lock on slurmctld's jobs, several threads may call this at once: no thread is then in another function of this file.
 */
void placement_facts(void (*add)(void *list, const char *name, const char *value), void *list);

/* ---- one decision */

/* Frees the data of jobs about which nothing was asked for ten minutes. Each job test can call it: it costs little. */
void placement_tidy(void);

/* Returns true if one of the first 64 entries NAME=VALUE of a job's environment asks for a policy. */
bool placement_asked(char *const *environment, uint32_t environment_count);

/*
 * Finds the policy that PartitionPolicies gives to the jobs of `partition`, for a job that asks for none itself. Sets
 * *environment to entries that ask for this policy, and returns their number; they are valid until the next
 * placement_configure() or placement_unconfigure(). Returns 0 if the partition has no policy or `partition` is NULL.
 */
uint32_t placement_partition_environment(const char *partition, char *const **environment);

/*
 * Returns the name of the partition number `index`, from 0, among the partitions with a policy; NULL if `index` is too
 * large. The text is valid until the next placement_configure() or placement_unconfigure().
 */
const char *placement_partition_with_policy(uint32_t index);

/*
 * Starts a decision in place of the one before, and asks the job's policy for nodes and cores among those offered. With
 * stock_because in `request` the job is left to Slurm, and `offer` may be NULL. Returns the decision, which is valid
 * until the next call, also for another job, or placement_[un]configure(). The functions below without a decision as
 * argument use this one.
 */
struct placement_decision *placement_decide(const struct placement_offer *offer, const struct placement_request *request);

/*
 * Answers a question without an offer if the user of `request` has no time for decisions left: returns the decision
 * that placement_decide() would return, put off or stock. Returns NULL if placement_decide() must be called. `request`
 * needs no limits on nodes and cores.
 */
struct placement_decision *placement_has_no_time(const struct placement_request *request);

/*
 * Returns true if placement_decide() would now put off a decision about a job of the user `uid` that may be put off.
 * `times_put_off` is the number of times that it was put off already. The call costs little.
 */
bool placement_would_put_off(uint32_t uid, uint32_t times_put_off);

/*
 * Sets the costs of the decision to those of the allocation `grant`; unknown costs become empty. If the job has a plan
 * of placement_decide() for `offer` and `request`, the reason also names the difference between allocation and plan.
 * For DECISION_STOCK, `offer` has exactly the nodes of `grant`.
 */
void placement_assess(const struct placement_offer *offer, const struct placement_request *request,
		      const struct placement_grant *grant);

/*
 * Gives up the plan, and clears its costs: the job runs as stock because of `reason`, an answer of Slurm. With `for_good`
 * Slurm could not allocate the plan, and placement_decide() answers an equal question with "not placed" and `reason`.
 */
void placement_give_up(const char *reason, bool for_good);

/*
 * Records the nodes that Slurm itself would choose, as a host list; NULL if they are not known. The costs of stock
 * become those on these nodes. If these costs cannot be computed, the nodes are not recorded, so that a record never
 * has Slurm's nodes with the costs of other nodes. `offer` and `request` are those of the decision.
 */
void placement_set_stock_choice(const struct placement_offer *offer, const struct placement_request *request,
				const char *nodes);

/* Records that Slurm has allocated `nodes`, a host list, for a start. The outcome must be set. */
void placement_set_started(const char *nodes);

/*
 * Returns the decision as text for the job's system comment (slurm-placement(7)), such as "placement: job=7 restarts=0
 * policy=TREEMATCH chose=nodes+cores tasks=8 nodes=2 cost=..;". It has at most 511 bytes, and is printable ASCII
 * without quotes and backslashes, because it may end up in SQL. With `for_log` two more words may follow the ";". This
 * text and those of the next two functions are valid until the next call of one of the three.
 */
const char *placement_comment(bool for_log);

/* Returns the value for PLACEMENT_JOB_DECISION. */
const char *placement_job_decision(void);

/* Returns the name of the job: its ID, or "ARRAY_TASK" for a task of an array. */
const char *placement_job_name(void);

/* Frees the data of the job `job_id`. Call it when no further question about the job will come. */
void placement_forget(uint32_t job_id);

/*
 * Returns true if there is time to ask which nodes Slurm itself would choose for a job of the user `uid`. Each user may
 * spend only a small part of each second on this question.
 */
bool placement_wants_stock_choice(uint32_t uid);

/* Counts `time_ns` nanoseconds of processor time that the question for Slurm's own choice took, for the user `uid`. */
void placement_stock_choice_took(uint32_t uid, int64_t time_ns);

/*
 * Counts `time_ns` nanoseconds of processor time as time of a decision for the user `uid`. If the user's time is used
 * up, it counts as time of decisions without the matrix. If that is used up too, it is not counted, because it would be
 * taken from other users.
 */
void placement_decision_took(uint32_t uid, int64_t time_ns);

/*
 * Counts `time_us` microseconds for which slurmctld held its locks to place one job with a policy. The time of Slurm's
 * own plugin is a part of it. placement_facts() has the longest time since the start of slurmctld.
 */
void placement_locks_held(int64_t time_us);

/*
 * Records the decision in the ring, if there is one. The ring is a file in memory, so this takes little time. A question
 * that is asked again and again without a start is recorded only once, and a job without room only when it starts. Call
 * this once for each decision.
 */
void placement_tell(void);

#ifdef __cplusplus
}
#endif

#endif
