/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/wait_together.h"

#include <stdio.h>
#include <string.h>

#include "plugins/select/decide.h"
#include "plugins/select/job_decision.h"
#include "plugins/select/put_off.h"
#include "plugins/select/record.h"
#include "plugins/select/waiting.h"

/* Seconds until the user's jobs that may have to wait for another reason are considered; three cycles of batch_sched_delay. */
#define PAUSE_FOR_OTHERS 10

/* Returns the word by which the job asks for its policy, with its parameters, or NULL if it has no policy. */
static const char *policy_word(const job_record_t *job)
{
	static const char name[] = "PLACEMENT_POLICY=";
	char *const *environment;
	uint32_t count = policy_environment(job, &environment);

	for (uint32_t i = 0; i < count; i++)
		if (environment[i] && !strncmp(environment[i], name, sizeof(name) - 1))
			return environment[i] + sizeof(name) - 1;
	return NULL;
}

/* Returns true if the job is pending, could start or waits already, and its user asked to wait. */
static bool may_wait(const job_record_t *job, time_t now)
{
	const char *word;

	if (!IS_JOB_PENDING(job) || !job->details || job->het_job_id || !(could_start(job, now) || is_waiting(job)))
		return false;
	word = policy_word(job);
	return word && strstr(word, "wait=");
}

/* Returns true if what the free nodes lack for `job` they lack for `other` too. */
static bool wants_no_less(const job_record_t *other, const job_record_t *job)
{
	const job_details_t *more = other->details, *less = job->details;

	return other->part_ptr == job->part_ptr && more->min_cpus >= less->min_cpus &&
	       !xstrcmp(more->features, less->features) && !xstrcmp(more->req_nodes, less->req_nodes) &&
	       !xstrcmp(more->exc_nodes, less->exc_nodes) && !xstrcmp(other->resv_name, job->resv_name);
}

/* Makes the job wait until `next`, or for `left_s` seconds. Its record says so when it is told for the first time. */
static void wait_like(job_record_t *job, uint32_t left_s, time_t next, const char *reason)
{
	struct placement_outcome decision = { .restarts = job->restart_cnt, .end = DECISION_WAIT, .reason = reason };
	bool is_new = !is_waiting(job);
	char *const *environment;
	uint32_t count = policy_environment(job, &environment);

	placement_name_policy(environment, count, decision.policy, sizeof(decision.policy));
	wait_on(job, left_s);
	job->details->begin_time = MIN(next, time(NULL) + left_s);
	name_job(&decision, job);
	if (is_new)
		record_write(job, &decision);
}

/*
 * What becomes of one of the user's other jobs when `job` has been told to wait, for at most `longest` seconds from the
 * time when it could first have started.
 */
static void follow(job_record_t *other, const job_record_t *job, const char *word, time_t longest, time_t now)
{
	time_t next = job->details->begin_time, left = MIN(waiting_since(other), now) + longest - now;
	char reason[96];

	if (!wants_no_less(other, job) || xstrcmp(policy_word(other), word)) {
		if (could_start(other, now))
			delay(other, PAUSE_FOR_OTHERS);
	} else if (left > 0) {
		snprintf(reason, sizeof(reason), "the nodes have too few idle processors for it, as for job %u, which wants no more",
			 job->job_id);
		wait_like(other, left, next, reason);
	}
}

void wait_together(job_record_t *job, uint32_t left_s)
{
	time_t now = time(NULL), longest = now - MIN(waiting_since(job), now) + left_s;
	const char *word = policy_word(job);
	list_itr_t *iterator = list_iterator_create(job_list);
	job_record_t *other;

	wait_on(job, left_s);
	while (word && (other = list_next(iterator)))
		if (other != job && other->user_id == job->user_id && may_wait(other, now))
			follow(other, job, word, longest, now);
	list_iterator_destroy(iterator);
}
