/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Jobs that wait for better times, as their users asked for with wait=, and jobs whose decision is put off because this
 * scheduling cycle had no time for it. Such a job holds nothing against other
 * jobs. Slurm gives a pending job a claim to nodes as soon as it considers it: the main scheduler starts no job
 * behind it in its partition, and the backfill scheduler plans nodes for it. So Slurm does not get to consider it:
 * its begin time is set to the time at which the policy is to be asked again, as Slurm itself does it for a job whose
 * launch failed. What has to be remembered for that is kept among the variables that slurmctld adds to the job's
 * environment, which Slurm saves with the job.
 */
#ifndef PLACEMENT_SELECT_WAITING_H
#define PLACEMENT_SELECT_WAITING_H

#include "plugins/compat/slurm_compat.h"

/* When the job could have started first. */
time_t waiting_since(const job_record_t *job);

/* Whether the job has been told to wait, and the time for which it may wait is not over. */
bool is_waiting(const job_record_t *job);

/*
 * The job waits: it is to be considered again after 30 s, then each time after as long as it has waited, and
 * at last after `left_s` seconds.
 */
void wait_on(job_record_t *job, uint32_t left_s);

/* Scheduling cycles in which there was no time to decide about the job. */
uint32_t times_put_off(const job_record_t *job);

/* The job is to be considered again after `pause` seconds, and counts as put off once more. */
void put_off(job_record_t *job, uint32_t pause);

/* The job has nodes: its begin time is again what it was before it had to wait. */
void end_wait(job_record_t *job);

#endif
