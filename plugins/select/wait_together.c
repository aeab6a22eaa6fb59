/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/wait_together.h"

#include <stdio.h>

#include "plugins/planning/decide.h"
#include "plugins/select/put_off.h"
#include "plugins/select/waiting.h"

/* Seconds until the user's jobs that may have to wait for another reason are considered; three cycles of batch_sched_delay. */
#define PAUSE_FOR_OTHERS 10

/* Returns the word by which the job asks for its policy, with its parameters, or NULL if it has no policy. */
static const char *policy_word(const job_record_t *job)
{
	char *const *environment;
	uint32_t count = policy_environment(job, &environment);

	return placement_policy_word(environment, count);
}

/* Returns the seconds for which the job waits at most, by its own wait= or that of its partition's policy; 0 if it does not. */
static time_t longest_wait_s(const job_record_t *job)
{
	char *const *environment;
	uint32_t count = policy_environment(job, &environment);

	return placement_wait_s(environment, count, job->part_ptr ? job->part_ptr->name : NULL);
}

/* Returns true if the job is pending, and could start or waits already. */
static bool may_wait(const job_record_t *job, time_t now)
{
	return IS_JOB_PENDING(job) && job->details && !job->het_job_id && (could_start(job, now) || is_waiting(job));
}

/* Returns true if what the free nodes lack for `job` they lack for `other` too. */
static bool wants_no_less(const job_record_t *other, const job_record_t *job)
{
	const job_details_t *more = other->details, *less = job->details;

	return other->part_ptr == job->part_ptr && more->min_cpus >= less->min_cpus &&
	       !xstrcmp(more->features, less->features) && !xstrcmp(more->req_nodes, less->req_nodes) &&
	       !xstrcmp(more->exc_nodes, less->exc_nodes) && !xstrcmp(other->resv_name, job->resv_name);
}

/* Has one of the user's jobs with wait= that may lack something else considered some seconds later. */
static void follow_later(job_record_t *other, const job_record_t *job, time_t now)
{
	time_t left = MIN(waiting_since(other), now) + longest_wait_s(other) - now;
	bool is_new = !was_told_to_wait(other);
	char reason[96];

	if (left <= 0 || !could_start(other, now))
		return;
	delay(other, MIN(PAUSE_FOR_OTHERS, left));
	snprintf(reason, sizeof(reason), "job %u of the same user waits for idle processors, and this one is considered after it",
		 job->job_id);
	if (is_new)
		record_wait(other, reason);
}

/*
 * What becomes of one of the user's other jobs when `job` has been told to wait, for at most `longest` seconds from the
 * time when it could first have started, and the other lacks the same. Its record says so when it is told for the first
 * time.
 */
static void follow(job_record_t *other, const job_record_t *job, time_t longest, time_t now)
{
	time_t left = MIN(waiting_since(other), now) + longest - now;
	bool is_new = !is_waiting(other);
	char reason[96];

	if (left <= 0)
		return;
	wait_until(other, left, job->details->begin_time);
	snprintf(reason, sizeof(reason), "the nodes have too few idle processors for it, as for job %u, which wants no more",
		 job->job_id);
	if (is_new)
		record_wait(other, reason);
}

void wait_together(job_record_t *job, uint32_t left_s)
{
	time_t now = time(NULL), longest = now - MIN(waiting_since(job), now) + left_s;
	const char *word = policy_word(job), *others_word;
	list_itr_t *iterator = list_iterator_create(job_list);
	job_record_t *other;

	wait_on(job, left_s);
	while (word && (other = list_next(iterator))) {
		if (other == job || other->user_id != job->user_id || !may_wait(other, now))
			continue;
		others_word = policy_word(other);
		if (!others_word)
			continue;
		if (wants_no_less(other, job) && !xstrcmp(others_word, word))
			follow(other, job, longest, now);
		else
			follow_later(other, job, now);
	}
	list_iterator_destroy(iterator);
}
