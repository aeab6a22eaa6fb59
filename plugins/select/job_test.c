/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/compat/job_test_call.h"

#include <time.h>

#include "plugins/select/configuration.h"
#include "plugins/select/decide.h"
#include "plugins/select/put_off.h"
#include "plugins/select/record.h"
#include "plugins/select/job_environment.h"
#include "plugins/select/view_from_slurm.h"
#include "plugins/select/waiting.h"


/* ---- the fields of a job that a call of the real plugin may change, saved to undo that call */

struct job_state {
	uint64_t bit_flags;
	uint32_t priority;
	uint16_t state_reason;
	char *state_desc;
	uint32_t total_cpus;
	time_t start_time;
	uint32_t min_cpus;
	uint64_t pn_min_memory;
	bitstr_t *nodes;
};

static void save_state(struct job_state *state, const struct job_test_arguments *arguments)
{
	const job_record_t *job = arguments->job;

	*state = (struct job_state) {
		.bit_flags = job->bit_flags,
		.priority = job->priority,
		.state_reason = job->state_reason,
		.state_desc = xstrdup(job->state_desc),
		.total_cpus = job->total_cpus,
		.start_time = job->start_time,
		.min_cpus = job->details->min_cpus,
		.pn_min_memory = job->details->pn_min_memory,
		.nodes = bit_copy(arguments->nodes),
	};
}

static void restore_state(const struct job_state *state, const struct job_test_arguments *arguments)
{
	job_record_t *job = arguments->job;

	job->bit_flags = state->bit_flags;
	job->priority = state->priority;
	job->state_reason = state->state_reason;
	xfree(job->state_desc);
	job->state_desc = xstrdup(state->state_desc);
	job->total_cpus = state->total_cpus;
	job->start_time = state->start_time;
	job->details->min_cpus = state->min_cpus;
	job->details->pn_min_memory = state->pn_min_memory;
	bit_copybits(arguments->nodes, state->nodes);
}

static void free_state(struct job_state *state)
{
	xfree(state->state_desc);
	FREE_NULL_BITMAP(state->nodes);
}

/* ---- a plan as arguments for the real plugin */

static bitstr_t *planned_nodes(const struct job_view *view, const struct placement_plan *plan,
			       const struct job_test_arguments *arguments)
{
	bitstr_t *nodes = bit_alloc(bit_size(arguments->nodes));

	for (uint32_t n = 0; n < plan->node_count; n++)
		bit_set(nodes, view->record[plan->node[n]]);
	return nodes;
}

/* The part of a plan that Slurm is restricted to. */
enum plan_part {
	PLAN_CORES,	/* only the planned cores */
	PLAN_COUNTS,	/* on each planned node the planned number of cores, spread over its sockets */
	PLAN_NODES,	/* only the planned nodes */
};

/*
 * Marks as many free cores of the offered node `node` in `taken` as the plan has there, dealt to the sockets in turn.
 * `taken` has one byte per core of the node.
 */
static void spread_over_sockets(uint8_t *taken, const struct job_view *view, const struct placement_plan *plan,
				uint32_t node)
{
	const node_record_t *record = node_record_table_ptr[view->record[node]];
	uint32_t first = view->first_core[node], cores = view->first_core[node + 1] - first;
	uint32_t sockets = MAX(record->tot_sockets, 1), of_socket = MAX(cores / sockets, 1), left = 0;

	memset(taken, 0, cores);
	for (uint32_t c = 0; c < cores; c++)
		left += plan->core_wanted[first + c];
	for (uint32_t turn = 0; left && turn < of_socket * sockets; turn++) {
		uint32_t begin = (turn % sockets) * of_socket;

		for (uint32_t c = begin; c < begin + of_socket && c < cores; c++) {
			if (!view->core_free[first + c] || taken[c])
				continue;
			taken[c] = 1;
			left--;
			break;
		}
	}
}

/*
 * Returns the caller's excluded cores together with all cores of the planned nodes that the plan does not use. The
 * caller frees them with excluded_cores_free().
 */
static excluded_cores_t *cores_to_exclude(const struct job_view *view, const struct placement_plan *plan,
					  const struct job_test_arguments *arguments, enum plan_part part)
{
	uint8_t *spread = xcalloc(view->first_core[view->offer.node_count] + 1, sizeof(uint8_t));
	excluded_cores_t *cores = excluded_cores_copy(arguments->excluded_cores);

	for (uint32_t n = 0; n < plan->node_count; n++) {
		uint32_t node = plan->node[n];
		uint32_t cores_of_node = view->first_core[node + 1] - view->first_core[node];
		const uint8_t *wanted = plan->core_wanted + view->first_core[node];

		if (part == PLAN_COUNTS) {
			spread_over_sockets(spread, view, plan, node);
			wanted = spread;
		}
		for (uint32_t c = 0; c < cores_of_node; c++)
			if (!wanted[c])
				excluded_cores_add(cores, view->record[node], c);
	}
	xfree(spread);
	return cores;
}

/* Returns true if none of the job's cores is an excluded one. */
static bool has_none_of(job_resources_t *got, const excluded_cores_t *excluded)
{
	bitstr_t *cores = NULL;
	bool none;

	mark_cores_of_job(got, &cores);
	none = cores != NULL;
	for (int n = 0; none && n < node_record_count && n < bit_size(got->node_bitmap); n++) {
		int first = cr_get_coremap_offset(n);

		if (!bit_test(got->node_bitmap, n))
			continue;
		for (int c = 0; none && c < node_record_table_ptr[n]->tot_cores; c++)
			none = !bit_test(cores, first + c) || !core_is_excluded(excluded, n, c);
	}
	FREE_NULL_BITMAP(cores);
	return none;
}

/*
 * Returns true if Slurm allocated what it was asked for. Slurm can leave out a wanted node without an error. It can
 * also give fewer CPUs than asked for, if the free cores of a node are no multiple of --cpus-per-task.
 */
static bool as_planned(const struct job_test_arguments *arguments, bitstr_t *nodes, const excluded_cores_t *excluded)
{
	const job_record_t *job = arguments->job;
	const struct job_resources *got = job->job_resrcs;
	uint32_t cpus = 0;

	if (!got || !got->node_bitmap || !got->core_bitmap || !got->cpus)
		return false;
	for (uint32_t n = 0; n < got->nhosts; n++)
		cpus += got->cpus[n];
	if (cpus < job->details->min_cpus && !job->details->overcommit)
		return false;
	if (!bit_super_set(got->node_bitmap, nodes))
		return false;
	return !excluded || has_none_of(job->job_resrcs, excluded);
}

/*
 * Asks the real plugin for all planned nodes, and restricts their cores as `part` says. No job is preempted for a plan,
 * because Slurm may find another place for the job without preemption.
 */
static int call_with_plan(const struct job_test_arguments *arguments,
			  const struct job_view *view, const struct placement_plan *plan, enum plan_part part)
{
	struct job_test_arguments narrow = *arguments;
	bitstr_t *nodes = planned_nodes(view, plan, arguments);
	excluded_cores_t *excluded = part != PLAN_NODES ? cores_to_exclude(view, plan, arguments, part) : NULL;
	int rc;

	bit_copybits(narrow.nodes, nodes);
	narrow.min_nodes = narrow.max_nodes = narrow.req_nodes = plan->node_count;
	narrow.preemptee_candidates = NULL;
	if (excluded)
		narrow.excluded_cores = excluded;
	rc = call_real_job_test(&narrow);
	if (rc == SLURM_SUCCESS && arguments->mode == SELECT_MODE_RUN_NOW &&
	    !as_planned(arguments, nodes, excluded))
		rc = SLURM_ERROR;
	FREE_NULL_BITMAP(nodes);
	excluded_cores_free(excluded);
	return rc;
}

/* ---- the three modes */

/* Fills in the array's job ID for a task of an array, because the task gets its own one only after this test. */
static void name_job(struct decision *decision, const job_record_t *job)
{
	bool task = job->array_job_id && job->array_task_id != NO_VAL;

	decision->job_id = task ? job->array_job_id : job->job_id;
	decision->array_task = task ? job->array_task_id : NO_VAL;
}

static void end_decision(struct decision *decision, job_record_t *job, bool write)
{
	name_job(decision, job);
	decision->restarts = job->restart_cnt;
	decision->uid = job->user_id;
	if (write)
		record_write(job, decision);
	decision_done(decision);
	xfree(decision->given);
	xfree(decision->stock_choice);
}

/* Sets PLACEMENT_JOB_DECISION, so that the commands of the job's user can say how the decision ended. */
static void supply_decision(struct decision *decision, job_record_t *job, enum placement_mode mode)
{
	char text[RECORD_SIZE];

	name_job(decision, job);
	record_variable(text, sizeof(text), decision, mode);
	set_variable_of_job(job, PLACEMENT_JOB_DECISION, text);
}

/* Returns the plan, or NULL with the reason in `decision`. Fills `view` in any case. */
static const struct placement_plan *make_plan(struct job_view *view, struct decision *decision,
					      const struct job_test_arguments *arguments)
{
	job_view_fill(view, placement_tables(), arguments);
	view->request.environment_count = policy_environment(arguments->job, &view->request.environment);
	view->request.may_be_put_off = may_put_off(arguments, placement_current_mode());
	if (view->stock_because) {
		decision->reason = view->stock_because;
		return NULL;
	}
	decision->plan = placement_decide(&view->offer, &view->request);
	if (decision->plan->placed)
		return decision->plan;
	decision->reason = decision->plan->reason;
	return NULL;
}

/*
 * Allocates the plan. Asks for the planned cores, or for the planned number of cores on each node, if Slurm can be
 * made to take them. Asks for the planned nodes only, if that fails. A failed attempt is undone.
 */
static int apply_plan(const struct job_test_arguments *arguments,
		      const struct job_view *view, struct decision *decision)
{
	struct job_state state;
	int rc = SLURM_ERROR;

	save_state(&state, arguments);
	for (enum plan_part part = PLAN_CORES; rc != SLURM_SUCCESS && part <= PLAN_NODES; part++) {
		if ((part == PLAN_CORES && !view->force_cores) ||
		    (part == PLAN_COUNTS && (!view->force_counts || view->force_cores)))
			continue;
		decision->end = part == PLAN_CORES ? DECISION_CORES : DECISION_NODES;
		rc = call_with_plan(arguments, view, decision->plan, part);
		if (rc != SLURM_SUCCESS)
			restore_state(&state, arguments);
	}
	free_state(&state);
	if (rc != SLURM_SUCCESS) {
		decision->end = DECISION_STOCK;
		decision->reason = "Slurm could not allocate what the policy wanted";
		placement_plan_failed(view->request.job_id, decision->reason);
	}
	return rc;
}

/* Returns true if the job stays in the queue, because its user asked for that or there is no time to decide. */
static bool must_wait(struct decision *decision, enum placement_mode mode)
{
	if (!decision->plan || !decision->plan->wait || mode != PLACEMENT_ENFORCE)
		return false;
	decision->end = DECISION_WAIT;
	return true;
}

static int64_t thread_time_ns(void)
{
	struct timespec now = { .tv_sec = 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/*
 * Returns the nodes on which Slurm itself would start the job at once, or NULL if it would not. Asks as the backfill
 * scheduler does, and undoes the changes in the job. The caller frees the text with xfree().
 */
static char *stock_choice(const struct job_test_arguments *arguments)
{
	struct job_test_arguments ask = *arguments;
	int64_t began = thread_time_ns();
	struct job_state state;
	list_t *preemptees = NULL;
	char *nodes = NULL;

	save_state(&state, arguments);
	ask.nodes = bit_copy(arguments->nodes);
	ask.mode = SELECT_MODE_WILL_RUN;
	ask.preemptee_candidates = NULL;
	ask.preemptee_jobs = &preemptees;
	ask.job->bit_flags |= TEST_NOW_ONLY;
	if (call_real_job_test(&ask) == SLURM_SUCCESS && ask.job->start_time <= time(NULL))
		nodes = bitmap2node_name(ask.nodes);
	restore_state(&state, arguments);
	free_state(&state);
	FREE_NULL_LIST(preemptees);
	FREE_NULL_BITMAP(ask.nodes);
	placement_stock_choice_took(arguments->job->user_id, thread_time_ns() - began);
	return nodes;
}

/* Puts the costs of what the job was given into the plan, because the record shows these and not the planned ones. */
static void assess_given(const struct job_view *view, const job_record_t *job)
{
	struct job_grant grant;

	if (job_grant_fill(&grant, view, job))
		placement_assess(&view->offer, &view->request, &grant.grant);
	job_grant_free(&grant);
}

static int run_now(const struct job_test_arguments *arguments)
{
	struct decision decision = { .mode = arguments->mode, .end = DECISION_STOCK };
	enum placement_mode mode = placement_current_mode();
	struct job_view view;
	const struct placement_plan *plan = make_plan(&view, &decision, arguments);
	int rc = SLURM_ERROR;

	if (must_wait(&decision, mode)) {
		if (decision.plan->put_off) {
			put_off_decisions(arguments->job);
		} else {
			if (!decision.plan->wait_told && placement_wants_stock_choice(arguments->job->user_id))
				decision.stock_choice = stock_choice(arguments);
			wait_on(arguments->job, decision.plan->wait_left_s);
		}
		end_decision(&decision, arguments->job, true);
		job_view_free(&view);
		return SLURM_ERROR;
	}
	if (plan && mode == PLACEMENT_ENFORCE && placement_wants_stock_choice(arguments->job->user_id))
		decision.stock_choice = stock_choice(arguments);
	if (plan && mode == PLACEMENT_ENFORCE)
		rc = apply_plan(arguments, &view, &decision);
	else if (plan)
		decision.end = DECISION_ADVICE;
	if (rc != SLURM_SUCCESS)
		rc = call_real_job_test(arguments);
	decision.started = rc == SLURM_SUCCESS;
	if (decision.started) {
		end_wait(arguments->job);
		decision.given = bitmap2node_name(arguments->nodes);
		if (decision.end == DECISION_STOCK || decision.end == DECISION_ADVICE) {
			xfree(decision.stock_choice);
			decision.stock_choice = xstrdup(decision.given);
		} else {
			assess_given(&view, arguments->job);
			set_variable_of_job(arguments->job, PLACEMENT_JOB_STATE, plan->job_state);
		}
		supply_decision(&decision, arguments->job, mode);
		set_policy_variables(arguments->job);
	}
	end_decision(&decision, arguments->job, decision.started && mode != PLACEMENT_OBSERVE);
	job_view_free(&view);
	return rc;
}

/*
 * Gives a job that backfill asks about the policy's nodes, if it can start on them at once. Returns false, with the job
 * unchanged, if it cannot, or if Slurm itself must be asked: Slurm would take as long to answer as the policy. A
 * decision that may have to be put off comes after Slurm's answer, so that no job is put off that cannot start anyway.
 */
static bool runs_by_plan(const struct job_test_arguments *arguments)
{
	struct decision decision = { .mode = arguments->mode, .end = DECISION_NODES };
	struct job_test_arguments again = *arguments;
	job_record_t *job = arguments->job;
	const struct placement_plan *plan;
	struct job_state before;
	struct job_view view;
	bool runs = false;

	if (placement_would_put_off(job->user_id, times_put_off(job)) || placement_wants_stock_choice(job->user_id))
		return false;
	save_state(&before, arguments);
	again.nodes = bit_copy(arguments->nodes);
	plan = make_plan(&view, &decision, &again);
	if (plan) {
		job->bit_flags |= TEST_NOW_ONLY;
		runs = call_with_plan(&again, &view, plan, PLAN_NODES) == SLURM_SUCCESS && job->start_time <= time(NULL);
		job->bit_flags = before.bit_flags;
	}
	if (runs) {
		bit_copybits(arguments->nodes, again.nodes);
		end_decision(&decision, job, false);
	} else {
		restore_state(&before, arguments);
	}
	job_view_free(&view);
	free_state(&before);
	FREE_NULL_BITMAP(again.nodes);
	return runs;
}

/*
 * Answers when and where the job could run. Backfill starts a job on the nodes that this call returns. Therefore it
 * returns the policy's nodes if the job can start on them at once. Otherwise Slurm's own answer stands, because other
 * jobs are planned by its start time. Cores are not restricted here but when the job starts.
 */
static int will_run(const struct job_test_arguments *arguments)
{
	struct decision decision = { .mode = arguments->mode, .end = DECISION_STOCK };
	bitstr_t *offered = bit_copy(arguments->nodes);
	struct job_test_arguments again = *arguments;
	const struct placement_plan *plan;
	bool for_backfill = arguments->job->bit_flags & BACKFILL_TEST, waits = false;
	struct job_state stock;
	struct job_view view;
	int64_t began;
	int rc;

	if (for_backfill && runs_by_plan(arguments)) {
		FREE_NULL_BITMAP(offered);
		return SLURM_SUCCESS;
	}
	began = thread_time_ns();
	rc = call_real_job_test(arguments);
	if (rc != SLURM_SUCCESS || arguments->job->start_time > time(NULL)) {
		FREE_NULL_BITMAP(offered);
		/* Backfill would keep nodes free for this job, which may go on waiting when they are free. */
		return for_backfill && is_waiting(arguments->job) ? SLURM_ERROR : rc;
	}
	if (for_backfill)
		placement_stock_choice_took(arguments->job->user_id, thread_time_ns() - began);
	save_state(&stock, arguments);
	decision.stock_choice = bitmap2node_name(arguments->nodes);
	again.nodes = offered;
	plan = make_plan(&view, &decision, &again);
	if (!plan && must_wait(&decision, PLACEMENT_ENFORCE)) {
		waits = true;
		arguments->job->start_time = time(NULL) + decision.plan->wait_left_s;
		if (decision.plan->put_off) {
			put_off_decisions(arguments->job);
			rc = SLURM_ERROR;
		} else if (for_backfill) {
			wait_on(arguments->job, decision.plan->wait_left_s);
			rc = SLURM_ERROR;
		}
	} else if (plan) {
		arguments->job->bit_flags |= TEST_NOW_ONLY;
		if (call_with_plan(&again, &view, decision.plan, PLAN_NODES) == SLURM_SUCCESS &&
		    arguments->job->start_time <= stock.start_time) {
			decision.end = DECISION_NODES;
			FREE_NULL_BITMAP(stock.nodes);
			stock.nodes = bit_copy(offered);
		} else {
			decision.reason = "the policy's nodes would start later";
		}
		restore_state(&stock, arguments);
	}
	end_decision(&decision, arguments->job, waits);
	/* Otherwise the user only asked when the job would start (srun --test-only), and the job is gone after that. */
	if (!for_backfill)
		placement_forget(view.request.job_id);
	job_view_free(&view);
	free_state(&stock);
	FREE_NULL_BITMAP(offered);
	return rc;
}

/* Runs the job as stock. If placement is off because its configuration is wrong, a job that asks for a policy is told. */
static int run_while_off(const struct job_test_arguments *arguments)
{
	struct decision decision = { .mode = arguments->mode, .end = DECISION_STOCK, .reason = placement_failure() };
	job_record_t *job = arguments->job;
	int rc = call_real_job_test(arguments);

	if (rc == SLURM_SUCCESS && arguments->mode == SELECT_MODE_RUN_NOW && decision.reason[0] && job->details &&
	    placement_asked(job->spank_job_env, job->spank_job_env_size))
		supply_decision(&decision, job, PLACEMENT_OFF);
	return rc;
}

int placement_job_test(const struct job_test_arguments *arguments)
{
	enum placement_mode mode = placement_current_mode();
	job_record_t *job = arguments->job;
	char *const *environment;

	placement_tidy();
	if (mode == PLACEMENT_OFF || !job->details)
		return run_while_off(arguments);
	if (!policy_environment(job, &environment)) {
		int rc = call_real_job_test(arguments);

		/* A job without a policy may have a stored profile, by which only the ranks of its steps are placed. */
		if (rc == SLURM_SUCCESS && arguments->mode == SELECT_MODE_RUN_NOW)
			set_policy_variables(job);
		return rc;
	}
	if (is_put_off(arguments, mode))
		return SLURM_ERROR;
	if (arguments->mode != SELECT_MODE_TEST_ONLY)
		set_variable_of_job(job, PLACEMENT_JOB_DECISION, NULL);
	/* Slurm asks of a waiting job too whether it could ever run (TEST_ONLY). Its record is kept then. */
	if (mode != PLACEMENT_OBSERVE && arguments->mode != SELECT_MODE_TEST_ONLY) {
		record_clear(job);
		set_variable_of_job(job, PLACEMENT_JOB_STATE, NULL);
	}
	if (arguments->mode == SELECT_MODE_RUN_NOW)
		return run_now(arguments);
	if (arguments->mode == SELECT_MODE_WILL_RUN && mode == PLACEMENT_ENFORCE)
		return will_run(arguments);
	return call_real_job_test(arguments);
}
