/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Jobs of one user that wait for better nodes (wait=). The main scheduler starts no job of a partition behind a job that
 * it could not start, so each job that is told to wait stops one cycle. A user with many such jobs would stop as many
 * cycles for all other users. Therefore those that wait for the same reason are told together, and of the others one is
 * considered at a time, with cycles between them in which other users' jobs start.
 */
#ifndef PLACEMENT_SELECT_WAIT_TOGETHER_H
#define PLACEMENT_SELECT_WAIT_TOGETHER_H

#include "plugins/compat/slurm_compat.h"

/*
 * Makes `job` wait for at most `left_s` seconds, as wait_on() does. So do the user's other pending jobs that could start
 * now or wait already, have the same policy and parameters, may use the same nodes and want as many CPUs or more: what
 * the free nodes lack for `job` they lack for these too. All of them are considered again at the same time. None waits
 * longer than it would have waited by itself. The user's other jobs with wait= are considered some seconds
 * later, but no later than they would stop to wait.
 */
void wait_together(job_record_t *job, uint32_t left_s);

#endif
