/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Jobs that wait for better nodes (wait=), or whose decision was put off. Slurm reserves nodes for each pending job that
 * it considers, and starts no job behind it. So a waiting job gets a BeginTime. Its environment, which Slurm saves, has
 * the times. If a user has no time for decisions left, the decisions on all the user's pending jobs are put off together.
 * One by one, each would stop a scheduling cycle.
 */
#ifndef PLACEMENT_SELECT_WAITING_H
#define PLACEMENT_SELECT_WAITING_H

#include <time.h>

#include "plugins/compat/job_test_call.h"
#include "plugins/planning/decide.h"

/* Returns the time when the job could first have started; for a job that never waited, its BeginTime or submit time. */
time_t waiting_since(const job_record_t *job);

/* Returns true if the job waits and the time for which it may wait is not over. */
bool is_waiting(const job_record_t *job);

/*
 * Returns why the job may not wait for better nodes: it is a component of a heterogeneous job, or `others`, the number
 * of other jobs of its user that wait, is 8 or more. Returns NULL if it may wait. The text follows "has no effect".
 */
const char *why_no_wait(const job_record_t *job, uint32_t others);

/*
 * Makes the job wait for at most `left_s` seconds. Slurm considers it again after the time that it has waited already,
 * but at least 30 s and at most `left_s` seconds.
 */
void wait_on(job_record_t *job, uint32_t left_s);

/* Returns the number of scheduling cycles in which there was no time to decide about the job. */
uint32_t times_put_off(const job_record_t *job);

/* Ends the wait of a job that has nodes: sets its BeginTime back to the time when it could first have started. */
void end_wait(job_record_t *job);

/* Returns the time of the clock, in nanoseconds. CLOCK_THREAD_CPUTIME_ID is the processor time of this thread. */
int64_t clock_ns(clockid_t clock);

/*
 * Sets *environment to the entries NAME=VALUE that ask for the job's policy: the job's own, or those of the policy of
 * its partition. Returns the number of entries; 0 means that the job has no policy.
 */
uint32_t policy_environment(const job_record_t *job, char *const **environment);

/* Returns the mode in force for the partition in which Slurm considers the job. */
enum placement_mode mode_of(const job_record_t *job);

/*
 * Returns true if this call of the scheduler may get its decision in a later cycle. Returns false while a job is being
 * submitted, because Slurm then cancels a job that must start at once. Also returns false for a component of a
 * heterogeneous job, and unless `mode` is PLACEMENT_ENFORCE.
 */
bool may_put_off(const struct job_test_arguments *arguments, enum placement_mode mode);

/*
 * Returns true if the decision on the job is put off and its BeginTime is still to come. The scheduling cycle in which
 * it was put off may still reach the job, which must not be considered before the next cycle.
 */
bool is_put_off(const struct job_test_arguments *arguments, enum placement_mode mode);

/*
 * Puts off the decision on `job`. At most once a second it also puts off the decisions on all other pending jobs with a
 * policy whose users have no time for decisions left. Asks for the next scheduling cycle.
 */
void put_off_decisions(job_record_t *job);

#endif
