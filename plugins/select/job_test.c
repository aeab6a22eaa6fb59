/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/compat/job_test_call.h"

#include "plugins/planning/decide.h"
#include "plugins/select/configuration.h"
#include "plugins/select/plan_call.h"
#include "plugins/select/record.h"
#include "plugins/select/view_from_slurm.h"
#include "plugins/select/waiting.h"

/* Ends the decision: with `write` writes it into the job, reports it to the ring, and logs it at debug level. */
static void end_decision(job_record_t *job, bool write)
{
	if (write)
		record_write(job);
	placement_tell();
	if (get_log_level() >= LOG_LEVEL_DEBUG)
		debug("%s", placement_comment(true));
}

/*
 * Asks the policy, and returns the decision. Also fills `view`, but leaves its offered nodes empty if stock_because is
 * set or the user has no decision time left. The time to collect the offered nodes counts as decision time.
 */
static struct placement_decision *decide(struct job_view *view, const struct job_test_arguments *arguments)
{
	struct placement_request *request = &view->request;
	struct placement_decision *decision;
	int64_t began, took = 0;

	job_view_fill(view, placement_tables(), arguments);
	request->environment_count = policy_environment(arguments->job, &request->environment);
	request->mode = mode_of(arguments->job);
	request->for_start = arguments->mode == SELECT_MODE_RUN_NOW;
	request->predicted = !request->for_start && !(arguments->job->bit_flags & BACKFILL_TEST);
	request->may_be_put_off = may_put_off(arguments, request->mode);
	if (!request->stock_because) {
		decision = placement_has_no_time(request);
		if (decision)
			return decision;
		began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		job_view_offer(view, placement_tables(), arguments);
		took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	}
	decision = placement_decide(&view->offer, request);
	placement_decision_took(request->uid, took);
	return decision;
}

/*
 * Allocates the plan. Restricts Slurm to the planned cores, or to the planned number of cores per node if single cores
 * cannot be forced. If this is impossible or fails, asks for the planned nodes only. Undoes a failed attempt.
 */
static int apply_plan(const struct job_test_arguments *arguments,
		      const struct job_view *view, struct placement_decision *decision)
{
	struct saved_job state;
	int rc = SLURM_ERROR;

	saved_job_fill(&state, arguments);
	for (enum plan_part part = PLAN_CORES; rc != SLURM_SUCCESS && part <= PLAN_NODES; part++) {
		if ((part == PLAN_CORES && !view->force_cores) ||
		    (part == PLAN_COUNTS && (!view->force_counts || view->force_cores)))
			continue;
		decision->outcome = part == PLAN_CORES ? DECISION_CORES : DECISION_NODES;
		rc = call_with_plan(arguments, view, decision, part);
		if (rc != SLURM_SUCCESS)
			saved_job_restore(&state, arguments);
	}
	saved_job_free(&state);
	if (rc != SLURM_SUCCESS)
		placement_give_up("Slurm could not allocate the nodes and cores that the policy chose", true);
	return rc;
}

/* Returns true if the job stays in the queue, because its user asked for that or there is no time to decide. */
static bool must_wait(struct placement_decision *decision, enum placement_mode mode)
{
	if (!decision->wait || mode != PLACEMENT_ENFORCE)
		return false;
	decision->outcome = DECISION_WAIT;
	return true;
}

/* Lets a job that has to wait be considered again later. */
static void leave_waiting(job_record_t *job, const struct placement_decision *decision)
{
	if (decision->put_off)
		put_off_decisions(job);
	else
		wait_on(job, decision->wait_left_s);
}

/*
 * Asks Slurm, as backfill does, whether it would start the job at once, and records the nodes that it would use. Does
 * nothing if there is no time to ask. Undoes the changes in the job.
 */
static void ask_stock_choice(const struct job_test_arguments *arguments, const struct job_view *view,
			     const struct placement_decision *decision)
{
	struct job_test_arguments ask = *arguments;
	int64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct saved_job state;
	list_t *preemptees = NULL;
	char *nodes = NULL;

	/* Backfill offers only the nodes that it planned for the job, so that Slurm has no choice. */
	if (!placement_wants_stock_choice(arguments->job->user_id) ||
	    (uint32_t) bit_set_count(arguments->nodes) == decision->node_count)
		return;
	saved_job_fill(&state, arguments);
	ask.nodes = bit_copy(arguments->nodes);
	ask.mode = SELECT_MODE_WILL_RUN;
	ask.preemptee_candidates = NULL;
	ask.preemptee_jobs = &preemptees;
	ask.job->bit_flags |= TEST_NOW_ONLY;
	if (call_real_job_test(&ask) == SLURM_SUCCESS && ask.job->start_time <= time(NULL))
		nodes = bitmap2node_name(ask.nodes);
	saved_job_restore(&state, arguments);
	saved_job_free(&state);
	FREE_NULL_LIST(preemptees);
	FREE_NULL_BITMAP(ask.nodes);
	placement_stock_choice_took(arguments->job->user_id, clock_ns(CLOCK_THREAD_CPUTIME_ID) - began);
	placement_set_stock_choice(&view->offer, &view->request, nodes);
	xfree(nodes);
}

/* Computes the costs of the nodes and cores that Slurm gave to the job of `view`, and puts them into the decision. */
static void assess_given(const struct job_view *view, const job_record_t *job)
{
	struct placement_grant grant;

	if (job_grant_fill(&grant, view, job))
		placement_assess(&view->offer, &view->request, &grant);
	job_grant_free(&grant);
}

/* Determines the order of the ranks of a job that runs on the nodes that Slurm chose, for its user and the record. */
static void assess_stock(const struct job_test_arguments *arguments)
{
	struct job_view view;

	given_view_fill(&view, placement_tables(), arguments);
	if (!view.request.stock_because) {
		view.request.environment_count = policy_environment(arguments->job, &view.request.environment);
		assess_given(&view, arguments->job);
	}
	job_view_free(&view);
}

static int run_now(const struct job_test_arguments *arguments)
{
	job_record_t *job = arguments->job;
	enum placement_mode mode = mode_of(job);
	struct job_view view;
	struct placement_decision *decision = decide(&view, arguments);
	int rc = SLURM_ERROR;
	bool started;

	if (must_wait(decision, mode)) {
		if (!decision->put_off && !decision->wait_told)
			ask_stock_choice(arguments, &view, decision);
		end_decision(job, true);
		leave_waiting(job, decision);
		job_view_free(&view);
		return SLURM_ERROR;
	}
	if (decision->placed && mode == PLACEMENT_ENFORCE) {
		ask_stock_choice(arguments, &view, decision);
		rc = apply_plan(arguments, &view, decision);
	} else if (decision->placed) {
		decision->outcome = DECISION_ADVICE;
	}
	if (rc != SLURM_SUCCESS)
		rc = call_real_job_test(arguments);
	started = rc == SLURM_SUCCESS;
	if (started) {
		char *nodes = bitmap2node_name(arguments->nodes);

		end_wait(job);
		if (decision->outcome == DECISION_ADVICE)
			placement_set_stock_choice(&view.offer, &view.request, nodes);
		placement_set_started(nodes);
		xfree(nodes);
		if (decision->outcome == DECISION_NODES || decision->outcome == DECISION_CORES) {
			assess_given(&view, job);
			set_variable_of_job(job, PLACEMENT_JOB_STATE, decision->job_state);
			set_optional_variable_of_job(job, PLACEMENT_PLANNED_RANKS, decision->planned_ranks);
		} else if (decision->outcome == DECISION_STOCK && mode == PLACEMENT_ENFORCE &&
			   (job->details->task_dist & SLURM_DIST_STATE_BASE) != SLURM_DIST_ARBITRARY) {
			assess_stock(arguments);
		}
		set_decision_variables(job);
		set_policy_variables(job);
	}
	end_decision(job, started && mode != PLACEMENT_OBSERVE);
	/* Nothing more is asked about a job that starts. The other tasks of an array have the same request. */
	if (started && !job->array_job_id)
		placement_forget(view.request.job_id);
	job_view_free(&view);
	return rc;
}

/*
 * Makes the decision and asks the real plugin for the planned nodes. If the job can start on them at once or by
 * `latest`, the outcome is DECISION_NODES, and `arguments` has the plan's nodes. The job may be changed.
 */
static struct placement_decision *decide_ahead(struct job_view *view, const struct job_test_arguments *arguments,
					       time_t latest)
{
	struct placement_decision *decision = decide(view, arguments);
	job_record_t *job = arguments->job;
	uint64_t bit_flags = job->bit_flags;

	if (!decision->placed)
		return decision;
	job->bit_flags |= TEST_NOW_ONLY;
	/* For an immediate start Slurm sets the start time to its clock, which advanced while the policy decided. */
	if (call_with_plan(arguments, view, decision, PLAN_NODES) == SLURM_SUCCESS && job->start_time <= MAX(latest, time(NULL)))
		decision->outcome = DECISION_NODES;
	else
		placement_give_up("the job would start later on the policy's nodes", false);
	job->bit_flags = bit_flags;
	return decision;
}

/*
 * Answers backfill without Slurm's own choice, which would take a second test. If the job can start at once on the
 * policy's nodes, puts them into `arguments` and returns true. Otherwise returns false, with the job unchanged. Also
 * returns false if Slurm must answer first: to record its choice, or because only a job that can start is put off.
 */
static bool runs_by_plan(const struct job_test_arguments *arguments)
{
	struct job_test_arguments again = *arguments;
	job_record_t *job = arguments->job;
	struct saved_job before;
	struct job_view view;
	bool runs;

	if (placement_would_put_off(job->user_id, times_put_off(job)) || placement_wants_stock_choice(job->user_id))
		return false;
	saved_job_fill(&before, arguments);
	again.nodes = bit_copy(arguments->nodes);
	runs = decide_ahead(&view, &again, 0)->outcome == DECISION_NODES;
	if (runs) {
		bit_copybits(arguments->nodes, again.nodes);
		end_decision(job, false);
	} else {
		saved_job_restore(&before, arguments);
	}
	job_view_free(&view);
	saved_job_free(&before);
	FREE_NULL_BITMAP(again.nodes);
	return runs;
}

/*
 * Decides about a job that Slurm itself could start at once on the nodes of `arguments`, which it chose among those
 * `offered`. Gives the job the policy's nodes if it can start on them as early.
 */
static int plan_instead(const struct job_test_arguments *arguments, bitstr_t *offered, bool for_backfill)
{
	struct job_test_arguments again = *arguments;
	job_record_t *job = arguments->job;
	struct placement_decision *decision;
	struct saved_job stock;
	struct job_view view;
	int rc = SLURM_SUCCESS;
	char *nodes;
	bool waits;

	saved_job_fill(&stock, arguments);
	again.nodes = offered;
	decision = decide_ahead(&view, &again, stock.start_time);
	nodes = bitmap2node_name(stock.nodes);
	placement_set_stock_choice(&view.offer, &view.request, nodes);
	xfree(nodes);
	if (decision->outcome == DECISION_NODES)
		bit_copybits(stock.nodes, offered);
	saved_job_restore(&stock, arguments);
	waits = must_wait(decision, PLACEMENT_ENFORCE);
	if (waits)
		job->start_time = time(NULL) + decision->wait_left_s;
	end_decision(job, waits);
	if (waits && (for_backfill || decision->put_off)) {
		leave_waiting(job, decision);
		rc = SLURM_ERROR;
	}
	/* Otherwise the user only asked when the job would start (srun --test-only), and the job is gone after that. */
	if (!for_backfill)
		placement_forget(view.request.job_id);
	job_view_free(&view);
	saved_job_free(&stock);
	return rc;
}

/*
 * Answers when and where the job could run. Backfill starts a job on the nodes that this call returns. Therefore it
 * returns the policy's nodes if the job can start on them at once. Otherwise Slurm's own answer stands, because other
 * jobs are planned by its start time. Cores are restricted later, when the job starts.
 */
static int will_run(const struct job_test_arguments *arguments)
{
	bitstr_t *offered = bit_copy(arguments->nodes);
	job_record_t *job = arguments->job;
	bool for_backfill = job->bit_flags & BACKFILL_TEST;
	int rc = SLURM_SUCCESS;

	if (!for_backfill || !runs_by_plan(arguments)) {
		int64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		rc = call_real_job_test(arguments);
		if (rc != SLURM_SUCCESS || job->start_time > time(NULL)) {
			/* An error, so that backfill reserves no nodes. The job may still wait when they become free. */
			if (for_backfill && is_waiting(job))
				rc = SLURM_ERROR;
		} else {
			if (for_backfill)
				placement_stock_choice_took(job->user_id, clock_ns(CLOCK_THREAD_CPUTIME_ID) - began);
			rc = plan_instead(arguments, offered, for_backfill);
		}
	}
	FREE_NULL_BITMAP(offered);
	return rc;
}

/* Runs the job as stock. If the configuration is wrong, the user of a job that asks for a policy is notified. */
static int run_while_off(const struct job_test_arguments *arguments)
{
	struct placement_request request = { .mode = PLACEMENT_OFF, .stock_because = placement_failure() };
	job_record_t *job = arguments->job;
	int rc = call_real_job_test(arguments);

	if (rc == SLURM_SUCCESS && arguments->mode == SELECT_MODE_RUN_NOW && request.stock_because[0] &&
	    placement_asked(job->spank_job_env, job->spank_job_env_size)) {
		describe_job(&request, job);
		placement_decide(NULL, &request);
		set_decision_variables(job);
	}
	return rc;
}

int placement_job_test(const struct job_test_arguments *arguments)
{
	enum placement_mode mode = mode_of(arguments->job);
	job_record_t *job = arguments->job;
	char *const *environment;
	bool has_policy;

	if (!placement_records_fit() || !job->details)
		return call_real_job_test(arguments);
	placement_tidy();
	has_policy = mode != PLACEMENT_OFF && policy_environment(job, &environment);
	if (has_policy && is_put_off(arguments, mode))
		return SLURM_ERROR;
	/* With TEST_ONLY, Slurm asks whether a job could ever run, also while the job waits. The record of the wait stays. */
	if (arguments->mode != SELECT_MODE_TEST_ONLY)
		forget_earlier_decision(job);
	if (mode == PLACEMENT_OFF)
		return run_while_off(arguments);
	if (!has_policy) {
		int rc = call_real_job_test(arguments);

		/* A job without a policy may have a stored profile, by which only the ranks of its steps are placed. */
		if (rc == SLURM_SUCCESS && arguments->mode == SELECT_MODE_RUN_NOW)
			set_policy_variables(job);
		return rc;
	}
	if (arguments->mode == SELECT_MODE_RUN_NOW || (arguments->mode == SELECT_MODE_WILL_RUN && mode == PLACEMENT_ENFORCE)) {
		int64_t began = clock_ns(CLOCK_MONOTONIC);
		int rc = arguments->mode == SELECT_MODE_RUN_NOW ? run_now(arguments) : will_run(arguments);

		placement_locks_held((clock_ns(CLOCK_MONOTONIC) - began) / 1000);
		return rc;
	}
	return call_real_job_test(arguments);
}
