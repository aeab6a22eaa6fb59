/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/job_decision.h"

#include <stdio.h>

#include "plugins/select/job_environment.h"
#include "plugins/select/record.h"

void name_job(struct placement_outcome *decision, const job_record_t *job)
{
	bool task = job->array_job_id && job->array_task_id != NO_VAL;

	decision->job_id = task ? job->array_job_id : job->job_id;
	decision->array_task_known = task;
	decision->array_task = job->array_task_id;
}

/*
 * Sets PLACEMENT_JOB_START. A batch script of a heterogeneous job knows how often its first component was restarted.
 * Jobs without a script end instead of starting again.
 */
static void set_start_variable(const struct placement_outcome *decision, job_record_t *job)
{
	const job_record_t *leader = job->het_job_id ? find_job_record(job->het_job_id) : job;
	char text[64], task[16] = "";

	if (!leader || !leader->batch_flag)
		return;
	if (decision->array_task_known)
		snprintf(task, sizeof(task), "_%u", decision->array_task);
	snprintf(text, sizeof(text), "%u%s %u", decision->job_id, task, leader->restart_cnt);
	set_variable_of_job(job, PLACEMENT_JOB_START, text);
}

void set_decision_variables(struct placement_outcome *decision, job_record_t *job, enum placement_mode mode)
{
	char text[RECORD_SIZE];

	name_job(decision, job);
	record_variable(text, sizeof(text), decision, mode);
	set_variable_of_job(job, PLACEMENT_JOB_DECISION, text);
	set_start_variable(decision, job);
}

void forget_earlier_decision(job_record_t *job)
{
	record_clear(job);
	set_variable_of_job(job, PLACEMENT_JOB_DECISION, NULL);
	set_variable_of_job(job, PLACEMENT_JOB_START, NULL);
	set_variable_of_job(job, PLACEMENT_JOB_STATE, NULL);
	set_variable_of_job(job, PLACEMENT_PLANNED_RANKS, NULL);
}
