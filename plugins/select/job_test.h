/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PLACEMENT_SELECT_JOB_TEST_H
#define PLACEMENT_SELECT_JOB_TEST_H

#include "plugins/compat/job_test_call.h"

/*
 * The real plugin's answer, for a job with a policy restricted to the nodes and cores that the
 * policy wants where the real plugin can do that. The caller holds slurmctld's job write lock.
 */
int placement_job_test(const struct job_test_arguments *arguments);

#endif
