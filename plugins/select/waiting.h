/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two kinds of jobs wait here. The users of some asked with wait= to wait for better nodes. The decision on the
 * others is put off, because the scheduling cycle had no time for it. A waiting job must not hold nodes against other
 * jobs. Slurm gives a pending job a claim to nodes as soon as it considers it: the main scheduler starts no job
 * behind it in its partition, and the backfill scheduler plans nodes for it. Therefore Slurm must not consider a
 * waiting job. Its BeginTime is set to the time when the policy is to be asked again. Slurm itself does this for a
 * job whose launch failed. The times are kept in a variable that slurmctld adds to the job's environment, because
 * Slurm saves that with the job.
 *
 * All pending jobs with a policy whose user's time for decisions is used up are put off together: each job without a
 * decision would stop one cycle for the jobs behind it. If other jobs could start, a cycle runs at once in which only those
 * are considered.
 */
#ifndef PLACEMENT_SELECT_WAITING_H
#define PLACEMENT_SELECT_WAITING_H

#include "plugins/compat/job_test_call.h"
#include "plugins/planning/decide.h"

/* Returns the time when the job could first have started; for a job that never waited, its BeginTime or submit time. */
time_t waiting_since(const job_record_t *job);

/* Returns true if the job waits and the time for which it may wait is not over. */
bool is_waiting(const job_record_t *job);

/*
 * Returns why the job may not wait for better nodes: it is a component of a heterogeneous job, or 8 other jobs of its
 * user wait. Returns NULL if it may wait. The text follows "has no effect".
 */
const char *why_no_wait(const job_record_t *job);

/*
 * Makes the job wait for at most `left_s` seconds. Slurm considers it again after as long as it has waited already, at
 * least 30 s, but never later than after `left_s` seconds.
 */
void wait_on(job_record_t *job, uint32_t left_s);

/* Returns the number of scheduling cycles in which there was no time to decide about the job. */
uint32_t times_put_off(const job_record_t *job);

/* Ends the wait of a job that has nodes: sets its BeginTime back to the time when it could first have started. */
void end_wait(job_record_t *job);

/* Returns the processor time of this thread, in nanoseconds. */
int64_t thread_time_ns(void);

/*
 * Sets *environment to the entries NAME=VALUE that ask for the job's policy: the job's own, or those of the policy of
 * its partition. Returns the number of entries; 0 means that the job has no policy.
 */
uint32_t policy_environment(const job_record_t *job, char *const **environment);

/*
 * Returns true if this call of the scheduler may get its decision in a later cycle. It may not while a job is being
 * submitted, because Slurm cancels a job there that must start at once or never. Nor may a component of a heterogeneous
 * job, and nothing is put off unless `mode` is PLACEMENT_ENFORCE.
 */
bool may_put_off(const struct job_test_arguments *arguments, enum placement_mode mode);

/*
 * Returns true if the decision on the job is put off and its BeginTime is still to come. The scheduling cycle in which
 * it was put off may still reach the job, which must not be considered before the next cycle.
 */
bool is_put_off(const struct job_test_arguments *arguments, enum placement_mode mode);

/*
 * Puts off the decision on `job`, and on all other pending jobs with a policy whose users have no time for decisions
 * left. Asks for the next scheduling cycle.
 */
void put_off_decisions(job_record_t *job);

#endif
