/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Puts off decisions for which a scheduling cycle has no time. The main scheduler starts no job of a partition behind
 * a job that it could not start. So each job without a decision would stop one cycle. Therefore all pending jobs with
 * a policy whose user's time for decisions is used up are put off together. They hold no nodes (see waiting.h). If
 * other jobs could start, a cycle runs at once in which only those are considered.
 */
#ifndef PLACEMENT_SELECT_PUT_OFF_H
#define PLACEMENT_SELECT_PUT_OFF_H

#include "plugins/compat/job_test_call.h"
#include "plugins/planning/decide.h"
#include "plugins/select/record.h"

/* Returns the processor time of this thread, in nanoseconds. */
int64_t thread_time_ns(void);

/*
 * Sets *environment to the entries NAME=VALUE that ask for the job's policy: the job's own, or those of the policy of
 * its partition. Returns the number of entries; 0 means that the job has no policy.
 */
uint32_t policy_environment(const job_record_t *job, char *const **environment);

/* Writes into the job's record that it waits, and why. */
void record_wait(job_record_t *job, const char *reason);

/*
 * Returns true if this call of the scheduler may get its decision in a later cycle. It may not while a job is being
 * submitted, because Slurm cancels a job there that must start at once or never. Nor may a component of a heterogeneous
 * job, and nothing is put off unless `mode` is PLACEMENT_ENFORCE.
 */
bool may_put_off(const struct job_test_arguments *arguments, enum placement_mode mode);

/*
 * Returns true if the decision on the job is put off and its begin time is still to come. The scheduling cycle in which
 * it was put off may still reach the job, which must not be considered before the next cycle.
 */
bool is_put_off(const struct job_test_arguments *arguments, enum placement_mode mode);

/*
 * Puts off the decision on `job`, and on all other pending jobs with a policy whose users have no time for decisions
 * left. Asks for the next scheduling cycle.
 */
void put_off_decisions(job_record_t *job);

#endif
