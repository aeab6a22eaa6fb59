/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/record.h"

#include <stdio.h>
#include <string.h>

#include "common/util/plain_text.h"

/*
 * The most bytes of variables that are added to a job. execve() accepts 2 MiB of environment and arguments. The
 * environment also holds the matrix of the first component.
 */
#define MOST_BYTES (1 << 20)

/* An optional variable is added to an environment of at most this number of bytes. */
#define MOST_BYTES_WITH_OPTIONAL (256 << 10)

/* The most variables that are added: a request has fewer. Each takes time in proportion to the job's environment. */
#define MOST_VARIABLES 64

static bool is_variable(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return entry && !strncmp(entry, name, length) && entry[length] == '=';
}

const char *job_variable(const job_record_t *job, const char *name)
{
	const job_details_t *details = job->details;

	for (uint32_t i = 0; details && i < details->env_cnt; i++)
		if (is_variable(details->env_sup[i], name))
			return details->env_sup[i] + strlen(name) + 1;
	return NULL;
}

static void take_out(job_details_t *details, const char *name)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < details->env_cnt; i++) {
		if (is_variable(details->env_sup[i], name))
			xfree(details->env_sup[i]);
		else
			details->env_sup[kept++] = details->env_sup[i];
	}
	if (kept < details->env_cnt)
		details->env_sup[kept] = NULL;
	details->env_cnt = kept;
	/* Slurm copies a job's details with all pointers, and allocates a new array for the copy only if there are
	 * entries. An empty array would be shared with the copy and freed twice. */
	if (!kept)
		xfree(details->env_sup);
}

void set_job_variable(job_record_t *job, const char *name, const char *value)
{
	job_details_t *details = job->details;

	if (!details)
		return;
	take_out(details, name);
	if (!value || !value[0] || details->env_cnt == UINT16_MAX)
		return;
	xrealloc(details->env_sup, (details->env_cnt + 2) * sizeof(char *));
	details->env_sup[details->env_cnt++] = xstrdup_printf("%s=%s", name, value);
	details->env_sup[details->env_cnt] = NULL;
}

void set_variable_of_job(job_record_t *job, const char *name, const char *value)
{
	job_record_t *leader;
	char *suffixed;

	set_job_variable(job, name, value);
	if (!job->het_job_id || !job->het_job_offset)
		return;
	leader = find_job_record(job->het_job_id);
	if (!leader || leader == job || leader->het_job_id != job->het_job_id || !leader->batch_flag)
		return;
	suffixed = xstrdup_printf("%s_HET_GROUP_%u", name, job->het_job_offset);
	set_job_variable(leader, suffixed, value);
	xfree(suffixed);
}

/* Returns the bytes of the variables that slurmctld has added to the job. */
static size_t added_bytes(const job_record_t *job)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < job->details->env_cnt; i++)
		bytes += strlen(job->details->env_sup[i]);
	return bytes;
}

void set_optional_variable_of_job(job_record_t *job, const char *name, const char *value)
{
	job_record_t *leader = job->het_job_id ? find_job_record(job->het_job_id) : NULL;
	size_t bytes = value ? strlen(value) : 0;

	if (job->details)
		bytes += added_bytes(job);
	if (leader && leader != job && leader->details)
		bytes += added_bytes(leader);
	set_variable_of_job(job, name, bytes <= MOST_BYTES_WITH_OPTIONAL ? value : NULL);
}

void set_policy_variables(job_record_t *job)
{
	job_record_t *leader = job->het_job_id ? find_job_record(job->het_job_id) : NULL;
	uint32_t added = 0;
	size_t bytes;

	if (!leader || !leader->details || !job->details)
		return;
	bytes = MAX(added_bytes(leader), added_bytes(job));
	for (uint32_t i = 0; i < job->spank_job_env_size && added < MOST_VARIABLES; i++) {
		const char *entry = job->spank_job_env[i];
		size_t size = xstrncmp(entry, "PLACEMENT_", 10) ? 0 : strnlen(entry, MOST_BYTES);
		const char *value = size ? memchr(entry, '=', size) : NULL;
		char *name;

		if (!value || bytes + size > MOST_BYTES)
			continue;
		name = xstrdup_printf("SLURM_SPANK_%.*s", (int) (value - entry), entry);
		set_variable_of_job(job, name, value + 1);
		xfree(name);
		bytes += size;
		added++;
	}
}

#define OWN_BEGIN "placement: job="
#define OWN_END ";"

void name_job(struct placement_decision *decision, const job_record_t *job)
{
	bool task = job->array_job_id && job->array_task_id != NO_VAL;

	decision->job_id = task ? job->array_job_id : job->job_id;
	decision->array_task_known = task;
	decision->array_task = job->array_task_id;
}

static const char *const chosen[DECISION_OUTCOMES] = {
	[DECISION_STOCK] = "nothing",
	[DECISION_NODES] = "nodes",
	[DECISION_CORES] = "nodes+cores",
	[DECISION_ADVICE] = "nothing advice",
	[DECISION_WAIT] = "nothing wait",
};

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
	xstrfmtcat(text, " chose=%s", chosen[end]);
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
		xstrcat(text, chosen[decision->end]);
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
