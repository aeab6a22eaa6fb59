/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/put_off.h"

#include <time.h>

#include "plugins/select/waiting.h"

/* The most entries of a job's environment that are read for a decision; srun and sbatch ship fewer. */
#define MOST_ENVIRONMENT 4096

/* Seconds until jobs are considered again. The longer pause lets a cycle (batch_sched_delay) start other jobs first. */
#define PAUSE 1
#define PAUSE_FOR_OTHERS 5

int64_t thread_time_ns(void)
{
	struct timespec now = { .tv_sec = 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

uint32_t policy_environment(const job_record_t *job, char *const **environment)
{
	uint32_t count = MIN(job->spank_job_env_size, MOST_ENVIRONMENT);

	*environment = job->spank_job_env;
	if (placement_asked(job->spank_job_env, count))
		return count;
	return placement_partition_environment(job->part_ptr ? job->part_ptr->name : NULL, environment);
}

bool may_put_off(const struct job_test_arguments *arguments, enum placement_mode mode)
{
	const job_record_t *job = arguments->job;
	bool at_submission = !job->batch_flag && job->last_sched_eval <= job->details->submit_time;

	if (mode != PLACEMENT_ENFORCE || job->het_job_id || at_submission)
		return false;
	return arguments->mode == SELECT_MODE_RUN_NOW ||
	       (arguments->mode == SELECT_MODE_WILL_RUN && (job->bit_flags & BACKFILL_TEST));
}

bool is_put_off(const struct job_test_arguments *arguments, enum placement_mode mode)
{
	const job_record_t *job = arguments->job;

	return may_put_off(arguments, mode) && times_put_off(job) && job->details->begin_time > time(NULL);
}

static bool has_no_time(const job_record_t *job)
{
	char *const *environment;

	return !job->het_job_id && placement_would_put_off(job->user_id, times_put_off(job)) &&
	       policy_environment(job, &environment);
}

void record_wait(job_record_t *job, const char *reason)
{
	struct placement_decision decision = { .restarts = job->restart_cnt, .end = DECISION_WAIT, .mode = PLACEMENT_ENFORCE, .reason = reason };
	char *const *environment;
	uint32_t count = policy_environment(job, &environment);

	decision.policy = placement_policy_name(environment, count);
	name_job(&decision, job);
	record_write(job, &decision);
}

static void put_off_one(job_record_t *job, uint32_t pause)
{
	put_off(job, pause);
	record_wait(job, "the time for decisions is used up, the decision is put off to the next scheduling cycle");
}

/*
 * Calls Slurm's function instead of passing its address on. Other programs than slurmctld load this plugin too and lack
 * that function: a call binds late, an address would have to be found when the plugin is loaded.
 */
static void schedule_jobs(void)
{
	queue_job_scheduler();
}

void put_off_decisions(job_record_t *job)
{
	time_t now = time(NULL);
	int64_t began = thread_time_ns();
	bool others = false;
	uint32_t pause;
	list_itr_t *iterator = list_iterator_create(job_list);
	job_record_t *other;

	while (!others && (other = list_next(iterator)))
		others = other != job && could_start(other, now) && !has_no_time(other);
	pause = others ? PAUSE_FOR_OTHERS : PAUSE;
	list_iterator_reset(iterator);
	while ((other = list_next(iterator)))
		if (other != job && could_start(other, now) && has_no_time(other))
			put_off_one(other, pause);
	list_iterator_destroy(iterator);
	if (could_start(job, now))
		put_off(job, pause);
	if (others)
		schedule_jobs();
	placement_call_later(pause, schedule_jobs);
	placement_decision_took(job->user_id, thread_time_ns() - began);
}
