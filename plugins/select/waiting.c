/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/waiting.h"

#include <stdio.h>
#include <string.h>

#include "plugins/select/record.h"

/* The value is SINCE,UNTIL,PUT_OFF,BEGIN: times in seconds since 1970, and a count. The last two may be missing. */
#define VARIABLE "PLACEMENT_WAIT"

/* Seconds after which a job that has just begun to wait is considered again. */
#define FIRST_PAUSE 30

/*
 * The most jobs of one user that wait. The main scheduler stops a partition's cycle at a job that it could not start.
 * So each job that begins to wait costs all users one cycle.
 */
#define MOST_WAITING 8

/* The most entries of a job's environment that are read for a decision; srun and sbatch ship fewer. */
#define MOST_ENVIRONMENT 4096

/* Seconds until jobs are considered again. The longer pause lets a cycle (batch_sched_delay) start other jobs first. */
#define PAUSE 1
#define PAUSE_FOR_OTHERS 5

struct wait {
	time_t since;	/* when the job could first have started */
	time_t until;	/* when it stops waiting */
	uint32_t put_off;	/* scheduling cycles in which there was no time to decide */
	time_t begin;	/* the start time that was set here last; 0: not known */
};

/*
 * Returns false if this plugin did not let the job wait. Also returns false if the job was requeued or given a later
 * start time since. If the clock was set back, the times of the submission and of the wait may be in the future.
 */
static bool read_wait(const job_record_t *job, struct wait *wait)
{
	time_t now = time(NULL), submitted = job->details->submit_time;
	const char *text = job_variable(job, VARIABLE);
	long long since, until, begin = 0;
	unsigned int put_off = 0;

	if (!text || sscanf(text, "%lld,%lld,%u,%lld", &since, &until, &put_off, &begin) < 2)
		return false;
	*wait = (struct wait) { .since = since, .until = until, .put_off = put_off, .begin = begin };
	if (wait->begin && job->details->begin_time > wait->begin)
		return false;
	return (wait->since >= submitted || submitted > now) && wait->since <= now;
}

/* Returns true if the job is pending and Slurm may start it at `now`. */
static bool could_start(const job_record_t *job, time_t now)
{
	const job_details_t *details = job->details;

	return IS_JOB_PENDING(job) && details && job->priority != 0 && details->begin_time != 0 && details->begin_time <= now;
}

time_t waiting_since(const job_record_t *job)
{
	const job_details_t *details = job->details;
	struct wait wait;

	return read_wait(job, &wait) ? wait.since : MAX(details->begin_time, details->submit_time);
}

bool is_waiting(const job_record_t *job)
{
	struct wait wait;

	return read_wait(job, &wait) && wait.until > time(NULL);
}

const char *why_no_wait(const job_record_t *job, uint32_t others)
{
	if (job->het_job_id)
		return "in a heterogeneous job";
	return others >= MOST_WAITING ? "while 8 other jobs of the user wait" : NULL;
}

/* Makes Slurm consider the job at the time `begin`, and not before. */
static void write_wait(job_record_t *job, const struct wait *wait, time_t begin)
{
	char text[96];

	snprintf(text, sizeof(text), "%lld,%lld,%u,%lld", (long long) wait->since, (long long) wait->until, wait->put_off,
		 (long long) begin);
	set_job_variable(job, VARIABLE, text);
	job->details->begin_time = begin;
}

uint32_t times_put_off(const job_record_t *job)
{
	struct wait wait;

	return read_wait(job, &wait) ? wait.put_off : 0;
}

/* Lets Slurm consider the job again after `pause` seconds, and counts one more cycle without time to decide. */
static void put_off(job_record_t *job, uint32_t pause)
{
	time_t now = time(NULL);
	struct wait wait;

	if (!read_wait(job, &wait))
		wait = (struct wait) { .since = MIN(waiting_since(job), now) };
	wait.put_off++;
	write_wait(job, &wait, now + pause);
}

void wait_on(job_record_t *job, uint32_t left_s)
{
	time_t now = time(NULL), since = MIN(waiting_since(job), now);
	struct wait wait = { .since = since, .until = now + left_s, .put_off = times_put_off(job) };

	write_wait(job, &wait, MIN(now + MAX(now - since, FIRST_PAUSE), wait.until));
	/* In this cycle the main scheduler starts no job behind this one, so the next cycle is asked for. */
	queue_job_scheduler();
}

void end_wait(job_record_t *job)
{
	struct wait wait;

	if (read_wait(job, &wait))
		job->details->begin_time = wait.since;
	set_job_variable(job, VARIABLE, NULL);
}

int64_t clock_ns(clockid_t clock)
{
	struct timespec now = { .tv_sec = 0 };

	clock_gettime(clock, &now);
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

enum placement_mode mode_of(const job_record_t *job)
{
	return placement_mode_in(job->part_ptr ? job->part_ptr->name : NULL);
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

	return mode_of(job) == PLACEMENT_ENFORCE && !job->het_job_id && placement_would_put_off(job->user_id, times_put_off(job)) &&
	       policy_environment(job, &environment);
}

static void put_off_one(job_record_t *job, uint32_t pause)
{
	struct placement_request request = {
		.mode = PLACEMENT_ENFORCE,
		.stock_because = "the time for decisions is used up, the decision is put off to the next scheduling cycle",
	};

	describe_job(&request, job);
	request.environment_count = policy_environment(job, &request.environment);
	put_off(job, pause);
	placement_decide(NULL, &request)->outcome = DECISION_WAIT;
	record_write(job);
}

/*
 * Calls Slurm's function instead of passing its address. Programs other than slurmctld also load this plugin but do not
 * have this function. A call binds late, but an address is resolved when the plugin is loaded.
 */
static void schedule_jobs(void)
{
	queue_job_scheduler();
}

/* Puts off the decisions on all jobs but `job` whose users have no time left. Returns the pause until the next cycle. */
static uint32_t put_off_others(const job_record_t *job, time_t now)
{
	bool others = false;
	uint32_t pause, count = 0;
	list_itr_t *iterator = list_iterator_create(job_list);
	job_record_t *other;

	while (!others && (other = list_next(iterator)))
		others = other != job && could_start(other, now) && !has_no_time(other);
	pause = others ? PAUSE_FOR_OTHERS : PAUSE;
	list_iterator_reset(iterator);
	while ((other = list_next(iterator))) {
		if (other == job || !could_start(other, now) || !has_no_time(other))
			continue;
		put_off_one(other, pause);
		count++;
	}
	list_iterator_destroy(iterator);
	debug("placement: decisions on %u other jobs were put off at %lld", count, (long long) now);
	return pause;
}

void put_off_decisions(job_record_t *job)
{
	static time_t walked;		/* when the other jobs were put off last, and the pause that they got */
	static uint32_t pause = PAUSE;
	time_t now = time(NULL);
	int64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	/* One walk through the jobs in a second is enough for any number of jobs without time. */
	if (now != walked)
		pause = put_off_others(job, now);
	walked = now;
	if (could_start(job, now))
		put_off(job, pause);
	if (pause == PAUSE_FOR_OTHERS)
		schedule_jobs();
	placement_call_later(pause, schedule_jobs);
	placement_decision_took(job->user_id, clock_ns(CLOCK_THREAD_CPUTIME_ID) - began);
}
