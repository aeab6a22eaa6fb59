/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/record.h"

#include <stdio.h>
#include <string.h>

#include "common/util/plain_text.h"
#include "plugins/select/job_environment.h"

#define OWN_BEGIN "placement: job="
#define OWN_END ";"

void name_job(struct placement_decision *decision, const job_record_t *job)
{
	bool task = job->array_job_id && job->array_task_id != NO_VAL;

	decision->job_id = task ? job->array_job_id : job->job_id;
	decision->array_task_known = task;
	decision->array_task = job->array_task_id;
}

static const char *end_name(enum decision_outcome end)
{
	switch (end) {
	case DECISION_NODES:
		return "chose=nodes";
	case DECISION_CORES:
		return "chose=nodes+cores";
	case DECISION_ADVICE:
		return "chose=nothing advice";
	case DECISION_WAIT:
		return "chose=nothing wait";
	case DECISION_STOCK:
		break;
	}
	return "chose=nothing";
}

static bool known(const char *text)
{
	return text && text[0];
}

/* Adds " NAME=TEXT" unless the text is not known. */
static void add_word(char **text, const char *name, const char *value)
{
	if (known(value))
		xstrfmtcat(*text, " %s=%s", name, value);
}

static const char *reason_of(const struct placement_decision *decision)
{
	return decision->reason ? decision->reason : "?";
}

/* Returns the remark on the order of the ranks on nodes that Slurm itself chose, which follows the reason. */
static const char *ranks_remark(const struct placement_decision *decision)
{
	return decision->ranks_by_matrix ? ", and its ranks follow the matrix on them" : "";
}

/* Returns the text of the decision for the system comment. The caller frees it with xfree(). */
static char *record_text(const struct placement_decision *decision)
{
	enum decision_outcome end = decision->end;
	bool has_live_data = decision->asked && decision->live_age_s >= 0;
	char *text = NULL;

	xstrfmtcat(text, OWN_BEGIN "%u", decision->job_id);
	if (decision->array_task_known)
		xstrfmtcat(text, "_%u", decision->array_task);
	xstrfmtcat(text, " restarts=%u", decision->restarts);
	add_word(&text, "policy", decision->policy);
	xstrfmtcat(text, " %s", end_name(end));
	if (end == DECISION_STOCK)
		xstrfmtcat(text, " stock: %s%s", reason_of(decision), ranks_remark(decision));
	else if (end == DECISION_WAIT)
		xstrfmtcat(text, ": %s", reason_of(decision));
	else
		xstrfmtcat(text, " tasks=%u nodes=%u", decision->task_count, decision->node_count);
	add_word(&text, "cost", decision->cost);
	add_word(&text, "in-order", decision->natural_cost);
	add_word(&text, "first-nodes", decision->stock_cost);
	/* srun, which has more time, may place the ranks of a step better. */
	if (known(decision->cost))
		xstrcat(text, " of=plan");
	if (decision->placed && known(decision->reason))
		xstrfmtcat(text, " (%s)", decision->reason);
	if (has_live_data)
		xstrfmtcat(text, " live-age=%.0fs", decision->live_age_s);
	if (decision->asked)
		xstrfmtcat(text, " us=%lld", (long long) decision->time_us);
	if (end == DECISION_CORES || end == DECISION_NODES)
		add_word(&text, "unbound=TaskPlugin", decision->unbound);
	/* The list of nodes comes last, because it can be long and is cut off then. */
	if (decision->placed && has_live_data)
		add_word(&text, "stock", decision->stock_choice);
	/* Accounting puts the text into SQL, and OWN_END ends the record. */
	placement_plain_text(text, "'\"\\`;");
	xstrcat(text, OWN_END);
	return text;
}

/*
 * Sets PLACEMENT_JOB_START. A batch script of a heterogeneous job knows how often its first component was restarted.
 * Jobs without a script end instead of starting again.
 */
static void set_start_variable(const struct placement_decision *decision, job_record_t *job)
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

void set_decision_variables(struct placement_decision *decision, job_record_t *job, enum placement_mode mode)
{
	bool stock = decision->end == DECISION_STOCK;
	char *text = NULL;

	name_job(decision, job);
	xstrfmtcat(text, "%u ", decision->job_id);
	if (decision->end == DECISION_CORES || decision->end == DECISION_NODES) {
		xstrcat(text, decision->end == DECISION_CORES ? "nodes+cores" : "nodes");
		if (known(decision->lacks))
			xstrfmtcat(text, ": %s", decision->lacks);
	} else if (mode == PLACEMENT_OBSERVE || mode == PLACEMENT_ADVISE) {
		xstrfmtcat(text, "stock: Mode=%s in placement.conf", mode == PLACEMENT_OBSERVE ? "observe" : "advise");
		if (stock && decision->reason)
			xstrfmtcat(text, ", %s", decision->reason);
	} else {
		xstrfmtcat(text, "stock: %s%s", reason_of(decision), ranks_remark(decision));
		if (known(decision->cost))
			xstrfmtcat(text, ": %s hop-bytes, in natural order %s", decision->cost, decision->natural_cost);
	}
	placement_plain_text(text, "");
	set_variable_of_job(job, PLACEMENT_JOB_DECISION, text);
	xfree(text);
	set_start_variable(decision, job);
}

/* Removes a decision from the job's system comment, and nothing else. */
static void record_clear(job_record_t *job)
{
	char *own = job->system_comment ? strstr(job->system_comment, OWN_BEGIN) : NULL;
	char *end = own ? strstr(own, OWN_END) : NULL;

	if (!end)
		return;
	end += strspn(end, OWN_END " ");
	memmove(own, end, strlen(end) + 1);
	while (own > job->system_comment && !own[0] && own[-1] == ' ')
		*--own = '\0';
	if (!job->system_comment[0])
		xfree(job->system_comment);
}

void record_write(job_record_t *job, const struct placement_decision *decision)
{
	char *text = record_text(decision);

	record_clear(job);
	xstrfmtcat(job->system_comment, "%s%s", job->system_comment ? " " : "", text);
	xfree(text);
}

void forget_earlier_decision(job_record_t *job)
{
	record_clear(job);
	set_variable_of_job(job, PLACEMENT_JOB_DECISION, NULL);
	set_variable_of_job(job, PLACEMENT_JOB_START, NULL);
	set_variable_of_job(job, PLACEMENT_JOB_STATE, NULL);
	set_variable_of_job(job, PLACEMENT_PLANNED_RANKS, NULL);
}

void decision_done(const struct placement_decision *decision)
{
	/* A job without room did not run as stock: it goes on waiting for nodes, as it would without a policy. Without time
	 * for a decision the room is not known, but a job that does not start has none. */
	bool found_no_room = decision->for_start && decision->end == DECISION_STOCK &&
			     (decision->stock_reason == STOCK_NO_ROOM || decision->stock_reason == STOCK_NO_TIME);
	char *text;

	/* A question that is asked again and again without a start is recorded only once. */
	if (decision->started ||
	    (decision->asked && !decision->remembered && !decision->wait_told && !found_no_room))
		placement_tell(decision);
	if (get_log_level() < LOG_LEVEL_DEBUG)
		return;
	text = record_text(decision);
	debug("%s%s%s", text, decision->for_start ? "" : " asked ahead", decision->remembered ? " remembered" : "");
	xfree(text);
}
