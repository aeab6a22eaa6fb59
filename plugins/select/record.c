/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/record.h"

#include <string.h>

/*
 * Limit of set_policy_variables() on the bytes of env_sup, the variables that slurmctld adds to a job's environment. It
 * applies to the component and to the first component of the heterogeneous job. With a stack limit of 8 MiB, execve()
 * accepts 2 MiB of environment and arguments. They also include the matrix of the first component.
 */
#define MOST_BYTES (1 << 20)

/*
 * Limit of set_optional_variable_of_job() on the sum of two or three sizes in bytes: the value, env_sup of the job and,
 * if that is another component, env_sup of the first component.
 */
#define MOST_BYTES_WITH_OPTIONAL (256 << 10)

/*
 * The most variables that set_policy_variables() copies for one component. Each costs time in proportion to the size of
 * env_sup. A genuine request has fewer variables.
 */
#define MOST_VARIABLES 64

/*
 * set_policy_variables() copies nothing while env_sup of the first component has at least this number of variables:
 * 6 for each of 128 components.
 */
#define MOST_VARIABLES_OF_LEADER 768

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

/* Removes the variable `name` from env_sup. */
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
	/* Slurm copies a job's details with all pointers. The copy gets a new env_sup only if env_cnt is not 0. Both
	 * jobs would share an empty array, which would be freed twice. */
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

/* Returns the bytes of all NAME=VALUE in env_sup of the job. */
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
		if (leader->details->env_cnt >= MOST_VARIABLES_OF_LEADER)
			return;
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

void describe_job(struct placement_request *request, const job_record_t *job)
{
	bool task = job->array_job_id && job->array_task_id != NO_VAL;

	request->job_id = job->array_job_id ? job->array_job_id : job->job_id;
	request->array_task_known = task;
	request->array_task = job->array_task_id;
	request->restarts = job->restart_cnt;
	request->submitted_s = job->details ? job->details->submit_time : 0;
	request->uid = job->user_id;
}

/*
 * Sets PLACEMENT_JOB_START to the job's name and restart count. In a heterogeneous job this is the restart count of the
 * first component, because the batch script knows no other. Does nothing for jobs without a batch script: Slurm does
 * not restart them.
 */
static void set_start_variable(job_record_t *job)
{
	const job_record_t *leader = job->het_job_id ? find_job_record(job->het_job_id) : job;
	char *text;

	if (!leader || !leader->batch_flag)
		return;
	text = xstrdup_printf("%s %u", placement_job_name(), leader->restart_cnt);
	set_variable_of_job(job, PLACEMENT_JOB_START, text);
	xfree(text);
}

void set_decision_variables(job_record_t *job)
{
	set_variable_of_job(job, PLACEMENT_JOB_DECISION, placement_job_decision());
	set_start_variable(job);
}

/* Removes the decision from the job's system comment. Keeps the other text. */
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

void record_write(job_record_t *job)
{
	record_clear(job);
	xstrfmtcat(job->system_comment, "%s%s", job->system_comment ? " " : "", placement_comment(false));
}

void forget_earlier_decision(job_record_t *job)
{
	record_clear(job);
	set_variable_of_job(job, PLACEMENT_JOB_DECISION, NULL);
	set_variable_of_job(job, PLACEMENT_JOB_START, NULL);
	set_variable_of_job(job, PLACEMENT_JOB_STATE, NULL);
	set_variable_of_job(job, PLACEMENT_PLANNED_RANKS, NULL);
}
