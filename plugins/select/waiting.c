/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/waiting.h"

#include <stdio.h>
#include <string.h>

#include "plugins/select/job_environment.h"

/* Its value is SINCE,UNTIL,PUT_OFF,BEGIN: times in seconds since the epoch, and a count. The last two may be missing. */
#define VARIABLE "PLACEMENT_WAIT"

/* Seconds after which a job that has just been told to wait is considered again. */
#define FIRST_PAUSE 30

/*
 * The most jobs of one user that wait. The main scheduler starts no job of a partition behind a job that it could not
 * start, so each job that is told to wait stops one cycle for all users.
 */
#define MOST_WAITING 8

struct wait {
	time_t since;	/* when the job could first have started */
	time_t until;	/* when it stops waiting */
	uint32_t put_off;	/* scheduling cycles in which there was no time to decide */
	time_t begin;	/* the start time that was set here last; 0: not known */
};

/*
 * Returns false if the job was not told to wait, or was requeued since, or if its start time was set to a later one since,
 * as its user may do. If the clock was set back, the job may have been submitted, or told to wait, at a time that is
 * still to come.
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

bool could_start(const job_record_t *job, time_t now)
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

const char *why_no_wait(const job_record_t *job)
{
	list_itr_t *iterator;
	const job_record_t *other;
	uint32_t others = 0;

	if (job->het_job_id)
		return "in a heterogeneous job";
	iterator = list_iterator_create(job_list);
	while ((other = list_next(iterator)) && others < MOST_WAITING)
		if (other->user_id == job->user_id && other != job && IS_JOB_PENDING(other) && other->details && is_waiting(other))
			others++;
	list_iterator_destroy(iterator);
	return others >= MOST_WAITING ? "while 8 other jobs of the user wait" : NULL;
}

/* Has the job considered at the time `begin`, and not before. */
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

void put_off(job_record_t *job, uint32_t pause)
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
