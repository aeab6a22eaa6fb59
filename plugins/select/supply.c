/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/supply.h"

#include <string.h>

static bool is_variable(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return entry && !strncmp(entry, name, length) && entry[length] == '=';
}

static void take_out(struct job_details *details, const char *name)
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
	/* Slurm copies a job's details with all pointers, and gives the copy an array of its own only
	 * where there are entries: one left empty would be freed twice. */
	if (!kept)
		xfree(details->env_sup);
}

void supply_variable(job_record_t *job, const char *name, const char *value)
{
	struct job_details *details = job->details;

	if (!details)
		return;
	take_out(details, name);
	if (!value || !value[0] || details->env_cnt == UINT16_MAX)
		return;
	xrealloc(details->env_sup, (details->env_cnt + 2) * sizeof(char *));
	details->env_sup[details->env_cnt++] = xstrdup_printf("%s=%s", name, value);
	details->env_sup[details->env_cnt] = NULL;
}

void supply_to_job(job_record_t *job, const char *name, const char *value)
{
	job_record_t *leader;
	char *suffixed;

	supply_variable(job, name, value);
	if (!job->het_job_id || !job->het_job_offset)
		return;
	leader = find_job_record(job->het_job_id);
	if (!leader || leader == job || leader->het_job_id != job->het_job_id)
		return;
	suffixed = xstrdup_printf("%s_HET_GROUP_%u", name, job->het_job_offset);
	supply_variable(leader, suffixed, value);
	xfree(suffixed);
}
