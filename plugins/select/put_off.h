/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Decisions for which a scheduling cycle has no time. The main scheduler starts no job of a partition behind one that it
 * could not start, so such jobs are put off all together, before they stop one cycle each: all pending jobs with a
 * policy whose user's time for decisions is used up. They hold no nodes (see waiting.h). Where other jobs could start, the
 * next cycle is theirs alone.
 */
#ifndef PLACEMENT_SELECT_PUT_OFF_H
#define PLACEMENT_SELECT_PUT_OFF_H

#include "plugins/select/decide.h"
#include "plugins/compat/job_test_call.h"
#include "plugins/select/record.h"

/*
 * The job's environment in which it asks for a policy, or that of its partition's policy. Returns the number of entries;
 * 0: the job has no policy.
 */
uint32_t policy_environment(const job_record_t *job, char *const **environment);

/*
 * Whether the scheduler asks for a decision that it may have in a later cycle as well. Not where a job is tested as it is
 * submitted: Slurm cancels one that wants to start at once or never. Nor a component of a heterogeneous job.
 */
bool may_put_off(const struct job_test_arguments *arguments, enum placement_mode mode);

/*
 * Whether the job's decision was put off while this scheduling cycle was going on already: the cycle may still come to
 * the job, which is not to be considered before the next one.
 */
bool is_put_off(const struct job_test_arguments *arguments, enum placement_mode mode);

/* Puts off this job's decision, and those of all other jobs for which there is no time either. */
void put_off_decisions(job_record_t *job);

#endif
