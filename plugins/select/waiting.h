/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two kinds of jobs wait here. The users of some asked with wait= to wait for better nodes. The decision on the
 * others is put off, because the scheduling cycle had no time for it. A waiting job must not hold nodes against other
 * jobs. Slurm gives a pending job a claim to nodes as soon as it considers it: the main scheduler starts no job
 * behind it in its partition, and the backfill scheduler plans nodes for it. Therefore Slurm must not consider a
 * waiting job. Its begin time is set to the time when the policy is to be asked again. Slurm itself does this for a
 * job whose launch failed. The times are kept in a variable that slurmctld adds to the job's environment, because
 * Slurm saves that with the job.
 */
#ifndef PLACEMENT_SELECT_WAITING_H
#define PLACEMENT_SELECT_WAITING_H

#include "plugins/compat/slurm_compat.h"

/* Returns true if the job is pending and Slurm may start it at `now`. */
bool could_start(const job_record_t *job, time_t now);

/* Returns the time when the job could first have started; for a job that never waited, its begin or submit time. */
time_t waiting_since(const job_record_t *job);

/* Returns true if the job was told to wait and the time for which it may wait is not over. */
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

/* Lets Slurm consider the job again after `pause` seconds, and counts one more cycle without time to decide. */
void put_off(job_record_t *job, uint32_t pause);

/* Ends the wait of a job that has nodes: sets its begin time back to the time when it could first have started. */
void end_wait(job_record_t *job);

#endif
