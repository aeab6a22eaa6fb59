/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/record.h"

#include <stdio.h>
#include <string.h>

#define OWN_BEGIN "placement: job="
#define OWN_END ';'

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

/* Replaces each character by '_' that is not printable ASCII, or is one of `unwanted`. */
static void disarm_text(char *text, const char *unwanted)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~' || strchr(unwanted, *text))
			*text = '_';
}

__attribute__((format(printf, 4, 5)))
static size_t append(char *text, size_t size, size_t used, const char *format, ...)
{
	va_list arguments;
	int more;

	va_start(arguments, format);
	more = vsnprintf(text + used, size - used, format, arguments);
	va_end(arguments);
	return (more < 0 || used + more >= size) ? size - 1 : used + more;
}

/* Returns what the record and the job's user are told of the ranks on nodes that Slurm itself chose, after the reason. */
static const char *ranks_remark(const struct placement_outcome *decision)
{
	return decision->ranks.by_matrix   ? ", and its ranks go by the matrix on them" :
	       decision->ranks.by_topology ? ", and its ranks go in the order of the topology on them" :
	       decision->ranks.not_known   ? ", and what order its ranks get is not recorded" : "";
}

void record_format(char *text, size_t size, const struct placement_outcome *decision)
{
	const struct placement_plan *plan = decision->plan;
	/* The costs and remarks of a plan that the job did not get would be taken for those of what it has. */
	bool placed = plan && plan->placed && decision->end != DECISION_STOCK;
	size_t room = size - 1, used;	/* one byte is for the end mark */

	used = append(text, room, 0, OWN_BEGIN "%u", decision->job_id);
	if (decision->array_task_known)
		used = append(text, room, used, "_%u", decision->array_task);
	used = append(text, room, used, " restarts=%u", decision->restarts);
	if (decision->policy[0])
		used = append(text, room, used, " policy=%s", decision->policy);
	used = append(text, room, used, " %s", end_name(decision->end));
	if (decision->end == DECISION_STOCK)
		used = append(text, room, used, " stock: %s%s",
			      decision->reason ? decision->reason : "?", ranks_remark(decision));
	else if (decision->end == DECISION_WAIT)
		used = append(text, room, used, ": %s", plan ? plan->reason : decision->reason);
	else if (plan)
		used = append(text, room, used, " tasks=%u nodes=%u", plan->task_count,
			      plan->node_count);
	if (decision->end == DECISION_STOCK && decision->ranks.cost[0])
		used = append(text, room, used, " cost=%s in-order=%s first-nodes=%s of=plan", decision->ranks.cost,
			      decision->ranks.natural_cost, decision->ranks.natural_cost);
	if (placed && plan->cost[0])
		used = append(text, room, used, " cost=%s", plan->cost);
	if (placed && plan->natural_cost[0])
		used = append(text, room, used, " in-order=%s", plan->natural_cost);
	if (placed && plan->stock_cost[0])
		used = append(text, room, used, " first-nodes=%s", plan->stock_cost);
	/* srun, which has more time, may place the ranks of a step better. */
	if (placed && plan->cost[0])
		used = append(text, room, used, " of=plan");
	if (placed && plan->reason[0])
		used = append(text, room, used, " (%s)", plan->reason);
	if (plan && plan->live_age_s >= 0)
		used = append(text, room, used, " live-age=%.0fs", plan->live_age_s);
	if (plan)
		used = append(text, room, used, " us=%lld", (long long) plan->time_us);
	if ((decision->end == DECISION_CORES || decision->end == DECISION_NODES) && decision->unbound)
		used = append(text, room, used, " unbound=TaskPlugin=%s", decision->unbound);
	/* The list of nodes comes last, because it can be long and is cut off then. */
	if (placed && plan->live_age_s >= 0 && decision->stock_choice)
		used = append(text, room, used, " stock=%s", decision->stock_choice);
	/* Accounting puts the text into SQL, and OWN_END ends the record. */
	disarm_text(text + strlen(OWN_BEGIN), "'\"\\`;");
	text[used] = OWN_END;
	text[used + 1] = '\0';
}

void record_variable(char *text, size_t size, const struct placement_outcome *decision,
		     enum placement_mode mode)
{
	size_t used = append(text, size, 0, "%u ", decision->job_id);
	const char *lacks = decision->plan ? decision->plan->lacks : "";

	if (decision->end == DECISION_CORES || decision->end == DECISION_NODES)
		append(text, size, used, "%s%s%s", decision->end == DECISION_CORES ? "nodes+cores" : "nodes",
		       lacks[0] ? ": " : "", lacks);
	else if (mode == PLACEMENT_OBSERVE || mode == PLACEMENT_ADVISE)
		append(text, size, used, "stock: Mode=%s in placement.conf%s%s",
		       mode == PLACEMENT_OBSERVE ? "observe" : "advise",
		       decision->end == DECISION_STOCK && decision->reason ? ", " : "",
		       decision->end == DECISION_STOCK && decision->reason ? decision->reason : "");
	else
		append(text, size, used, "stock: %s%s%s%s%s%s", decision->reason ? decision->reason : "?", ranks_remark(decision),
		       decision->ranks.cost[0] ? ": " : "", decision->ranks.cost,
		       decision->ranks.cost[0] ? " hop-bytes, in natural order " : "", decision->ranks.natural_cost);
	disarm_text(text, "");
}

char *record_without_own(const char *comment)
{
	const char *own = comment ? strstr(comment, OWN_BEGIN) : NULL;
	const char *end = own ? strchr(own, OWN_END) : NULL;
	char *rest;

	if (!own || !end)
		return comment && comment[0] ? xstrdup(comment) : NULL;
	for (end++; *end == ' '; end++)
		;
	rest = xstrndup(comment, own - comment);
	xstrcat(rest, end);
	while (rest && rest[0] && rest[strlen(rest) - 1] == ' ')
		rest[strlen(rest) - 1] = '\0';
	if (rest && !rest[0])
		xfree(rest);
	return rest;
}

void record_clear(job_record_t *job)
{
	char *rest;

	if (!job->system_comment || !strstr(job->system_comment, OWN_BEGIN))
		return;
	rest = record_without_own(job->system_comment);
	xfree(job->system_comment);
	job->system_comment = rest;
}

void record_write(job_record_t *job, const struct placement_outcome *decision)
{
	char text[RECORD_SIZE];

	record_clear(job);
	record_format(text, sizeof(text), decision);
	if (job->system_comment)
		xstrfmtcat(job->system_comment, " %s", text);
	else
		job->system_comment = xstrdup(text);
}

void decision_done(const struct placement_outcome *decision)
{
	/* Such a job did not run as stock: it goes on waiting for nodes, as it would without a policy. */
	bool found_no_room = decision->for_start && decision->end == DECISION_STOCK && decision->stock_reason == STOCK_NO_ROOM;
	char text[RECORD_SIZE];

	/* A question that is asked again and again without a start is recorded only once. */
	if (decision->started ||
	    (decision->plan && !decision->plan->remembered && !decision->plan->wait_told && !found_no_room))
		placement_tell(decision);
	if (get_log_level() < LOG_LEVEL_DEBUG)
		return;
	record_format(text, sizeof(text), decision);
	debug("%s%s%s", text, decision->for_start ? "" : " asked ahead",
	      decision->plan && decision->plan->remembered ? " remembered" : "");
}
