/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/view_from_slurm.h"

#include "plugins/select/record.h"
#include "plugins/select/waiting.h"

/* ---- the job's request */

static bool whole_nodes(const job_record_t *job)
{
	/* Core specialisation implies whole nodes. Slurm's own select_p_job_test() sets this, but has not run yet. */
	return wants_whole_nodes(job) || job->part_ptr->max_share == 0 ||
	       ((slurm_conf.conf_flags & CONF_FLAG_ASRU) && job->details->core_spec != NO_VAL16);
}

/* Returns true if Slurm must choose the cores, because of limits by board, socket or core, or of generic resources. */
static bool cores_are_slurms(const job_record_t *job)
{
	const multi_core_data_t *mc = job->details->mc_ptr;

	return job->gres_list_req ||
	       (mc && (given16(mc->boards_per_node) || given16(mc->sockets_per_board) ||
		       given16(mc->sockets_per_node) || given16(mc->cores_per_socket) ||
		       given16(mc->ntasks_per_board) || given16(mc->ntasks_per_socket)));
}

/*
 * Returns true if this plugin can exclude all other cores, so that Slurm takes the planned ones. If false, the policy
 * chooses nodes only: with shared cores, or more cores than the tasks need, Slurm would refuse the job or allocate too
 * little.
 */
static bool cores_can_be_left_out(const struct job_test_arguments *arguments)
{
	const job_record_t *job = arguments->job;
	const job_details_t *details = job->details;
	uint16_t type = consumable_resources_of(job);
	uint32_t cpus_per_task = MAX(details->cpus_per_task, 1);
	uint32_t node_cpus = MAX(details->ntasks_per_node, 1) * cpus_per_task;

	if ((type & SELECT_SOCKET) || !(type & (SELECT_CORE | SELECT_CPU)) || whole_nodes(job) ||
	    details->overcommit || job->cpus_per_tres ||
	    details->ntasks_per_tres || node_request_of(job) != NODE_CR_ONE_ROW ||
	    details->pn_min_cpus > node_cpus)
		return false;
	return excluded_cores_are_known(arguments->excluded_cores);
}

/* Returns the seconds that the job may run by its own time limit, else by its partition's; 0 if there is none. */
static uint32_t time_limit_s(const job_record_t *job)
{
	uint32_t minutes = job->time_limit;

	if (minutes == NO_VAL)
		minutes = job->part_ptr->default_time != NO_VAL ? job->part_ptr->default_time :
								  job->part_ptr->max_time;
	if (minutes == NO_VAL || minutes == INFINITE)
		return 0;
	return MIN(minutes, INT32_MAX / 60) * 60;
}

static bool packs_nodes(const job_details_t *details)
{
	if (details->task_dist & (SLURM_DIST_PACK_NODES | SLURM_DIST_NO_PACK_NODES))
		return details->task_dist & SLURM_DIST_PACK_NODES;
	return slurm_conf.select_type_param & SELECT_PACK_NODES;
}

static void fill_request(struct job_view *view, const struct machine_tables *tables,
			 const struct job_test_arguments *arguments)
{
	job_record_t *job = arguments->job;
	job_details_t *details = job->details;
	bool node_range = details->max_nodes > details->min_nodes && details->max_nodes < NO_VAL;
	/* With only --ntasks-per-node, num_tasks is for min_nodes. Slurm corrects it when it allocates more nodes. */
	bool tasks_unknown = details->num_tasks == NO_VAL || (node_range && !(job->bit_flags & JOB_NTASKS_SET));
	uint32_t tasks = tasks_unknown ? 0 : details->num_tasks;

	view->request = (struct placement_request) {
		.partition = job->part_ptr->name,
		.environment = job->spank_job_env,
		.environment_count = job->spank_job_env_size,
		.tasks = tasks,
		.cpus_per_task = MAX(given16(details->cpus_per_task), 1),
		.min_nodes = arguments->min_nodes,
		.max_nodes = arguments->max_nodes ? arguments->max_nodes : UINT32_MAX,
		.tasks_per_node = given16(details->ntasks_per_node),
		.tasks_per_socket = details->mc_ptr ? given16(details->mc_ptr->ntasks_per_socket) : 0,
		.waited_s = MAX(time(NULL) - waiting_since(job), 0),
		.times_put_off = times_put_off(job),
		.time_limit_s = time_limit_s(job),
		.whole_nodes = whole_nodes(job),
		.tasks_need_whole_cores = STEP_TASKS_NEED_WHOLE_CORES,
		.node_range = node_range,
		.pack_nodes = packs_nodes(details),
	};
	machine_topology_of(tables, job->part_ptr, &view->request.topology);
	view->force_counts = cores_can_be_left_out(arguments);
	view->force_cores = view->force_counts && !cores_are_slurms(job);
}

/* ---- the nodes offered */

static void no_room(struct job_view *view, const char *because)
{
	view->request.stock_because = because;
	view->request.stock_reason = STOCK_NO_ROOM;
}

/* Returns the number of threads of a core of the node that Slurm lets the job use, at least 1. */
static uint16_t job_cpus_per_core(const job_record_t *job, const node_record_t *node)
{
	const multi_core_data_t *mc = job->details->mc_ptr;
	uint32_t threads = node->tpc, limit;

	if (mc && (limit = given16(mc->ntasks_per_core)))
		threads = MIN(threads, limit * MAX(job->details->cpus_per_task, 1));
	if (mc && (limit = given16(mc->threads_per_core)))
		threads = MIN(threads, limit);
	return MAX(threads, 1);
}

/* Returns the MB of memory that the node has left for jobs, if jobs hold `taken` MB. */
static uint64_t free_memory(const node_record_t *node, uint64_t taken)
{
	uint64_t all = node->real_memory > node->mem_spec_limit ?
		node->real_memory - node->mem_spec_limit : 0;

	return all > taken ? all - taken : 0;
}

/* Returns the number of cores for which the node's free memory is enough; UINT32_MAX means no limit. */
static uint32_t cores_by_memory(const job_record_t *job, const node_record_t *node, uint64_t taken)
{
	uint64_t job_request = job->details->pn_min_memory & ~MEM_PER_CPU;
	uint64_t left = free_memory(node, taken);

	if (!(consumable_resources_of(job) & SELECT_MEMORY))
		return UINT32_MAX;
	if (job->details->pn_min_memory & MEM_PER_CPU) {
		if (!job_request)
			return UINT32_MAX;
		return MIN(left / (job_request * MAX(node->tpc, 1)), UINT32_MAX - 1);
	}
	if (job->mem_per_tres)	/* --mem-per-gpu, which limits the generic resources */
		return UINT32_MAX;
	if (!job_request)	/* --mem=0 asks for all memory of the node */
		return taken ? 0 : UINT32_MAX;
	return job_request <= left ? UINT32_MAX : 0;
}

static bool node_is_usable(const struct job_test_arguments *arguments, node_record_t *node,
			   uint8_t shares)
{
	job_record_t *job = arguments->job;
	enum node_cr_state sharing = node_request_of(job);

	if (IS_NODE_COMPLETING(node) || (sharing == NODE_CR_AVAILABLE && (shares & HAS_ONE_ROW)) ||
	    (sharing == NODE_CR_ONE_ROW && (shares & HAS_SHARING)))
		return false;
	return !job->gres_list_req || gres_are_on_node(job, node);
}

/*
 * Writes one byte per core to `free`, 1 if the job may have the core. Returns the number of ones. Returns 0 if
 * the job needs the whole node and some core is held.
 */
static uint32_t fill_cores(uint8_t *free, const struct job_test_arguments *arguments,
			   const node_record_t *node, const struct taken *taken)
{
	int first = cr_get_coremap_offset(node->index);
	uint32_t most = cores_by_memory(arguments->job, node, taken->memory[node->index]);
	uint32_t count = 0, busy = 0;
	bitstr_t *usable = node->node_spec_bitmap;

	/* The fast way for an idle node; most nodes are idle when many jobs can start. */
	if (!(taken->shares[node->index] & HAS_CORES) && !arguments->excluded_cores && !usable) {
		count = MIN(node->tot_cores, most);
		memset(free, 1, count);
		memset(free + count, 0, node->tot_cores - count);
		return count;
	}
	/* The fast way for a full node. */
	if (bit_set_count_range(taken->cores, first, first + node->tot_cores) == node->tot_cores) {
		memset(free, 0, node->tot_cores);
		return 0;
	}
	for (int core = 0; core < node->tot_cores; core++) {
		bool special = usable && core < bit_size(usable) && !bit_test(usable, core);
		bool held = bit_test(taken->cores, first + core) ||
			    core_is_excluded(arguments->excluded_cores, node->index, core);

		busy += held;
		free[core] = !held && !special && count < most;
		count += free[core];
	}
	return whole_nodes(arguments->job) && busy ? 0 : count;
}

/* Returns the room of a node on which `cores` cores are free and jobs hold `taken` MB of memory. */
static struct node_room room_on_node(const job_record_t *job, const node_record_t *node, uint32_t cores, uint64_t taken)
{
	bool counts_memory = consumable_resources_of(job) & SELECT_MEMORY;

	return (struct node_room) {
		.cpus = (uint64_t) cores * job_cpus_per_core(job, node),
		.memory = counts_memory ? free_memory(node, taken) : UINT64_MAX,
	};
}

/* Returns true if `cores` is more than 0 and these cores are enough for --mincpus. */
static bool has_min_cpus(const job_record_t *job, const node_record_t *node, uint32_t cores)
{
	return cores && cores * job_cpus_per_core(job, node) >= job->details->pn_min_cpus;
}

/* Returns the node's weight. A node that is powered down comes after all that are powered up, as in stock Slurm. */
static uint64_t weight_of(const node_record_t *node)
{
	uint64_t asleep = IS_NODE_POWERED_DOWN(node) || IS_NODE_POWERING_DOWN(node);

	return (asleep << 32) | (node->config_ptr ? node->config_ptr->weight : 0);
}

/* Allocates an offer for up to `most` nodes with `cores` cores in all. It has no node yet. */
static void empty_offer(struct job_view *view, uint32_t most, uint32_t cores)
{
	view->record = xcalloc(most + 1, sizeof(uint32_t));
	view->offer.node = xcalloc(most + 1, sizeof(int32_t));
	view->request.required = xcalloc(most + 1, sizeof(uint32_t));
	view->offer.first_core = xcalloc(most + 2, sizeof(uint32_t));
	view->offer.cpus_per_core = xcalloc(most + 1, sizeof(uint16_t));
	view->offer.max_tasks = xcalloc(most + 1, sizeof(uint32_t));
	view->offer.weight = xcalloc(most + 1, sizeof(uint64_t));
	view->room = xcalloc(most + 1, sizeof(struct node_room));
	view->offer.core_free = xcalloc(cores + 1, sizeof(uint8_t));
}

/* Adds the node record `i` to the offer. Its cores in core_free are set already. */
static void add_node(struct job_view *view, const struct machine_tables *tables, const job_record_t *job, int i)
{
	const node_record_t *node = node_record_table_ptr[i];
	uint32_t at = view->offer.node_count++;

	view->record[at] = i;
	view->offer.node[at] = tables->node_of_record[i];
	view->offer.cpus_per_core[at] = job_cpus_per_core(job, node);
	view->offer.weight[at] = weight_of(node);
	view->offer.first_core[at + 1] = view->offer.first_core[at] + node->tot_cores;
}

/*
 * Returns the number of tasks that CandidateNodes would plan without a matrix. A job without a number of tasks has
 * max(tasks_per_node, 1) tasks for each node that it needs.
 */
static uint32_t tasks_planned(const struct placement_request *request)
{
	return request->tasks ? request->tasks : request->min_nodes * MAX(request->tasks_per_node, 1);
}

/*
 * Adds the node record `i` to the offer if the job, which has `tasks` tasks (0: not known), can have a task there. If
 * it cannot and the job requires the node, no policy can serve the job. `round_up`: see gres_tasks_on_node().
 */
static void offer_node(struct job_view *view, const struct machine_tables *tables,
		       const struct job_test_arguments *arguments, const struct taken *taken, uint32_t tasks, bool round_up, int i)
{
	node_record_t *node = node_record_table_ptr[i];
	bitstr_t *required = arguments->job->details->req_node_bitmap;
	uint32_t at = view->offer.node_count, cores_at = view->offer.first_core[at], cores = 0;
	bool must = required && i < bit_size(required) && bit_test(required, i);
	const char *lack = NULL;

	if (node && tables->node_of_record[i] >= 0 && node_is_usable(arguments, node, taken->shares[i]))
		cores = fill_cores(view->offer.core_free + cores_at, arguments, node, taken);
	if (has_min_cpus(arguments->job, node, cores)) {
		view->room[at] = room_on_node(arguments->job, node, cores, taken->memory[i]);
		view->offer.max_tasks[at] = gres_tasks_on_node(arguments->job, node, &view->room[at], tasks, round_up);
		if (view->offer.max_tasks[at] == 0)
			lack = "a required node has too few generic resources for one task";
	} else {
		lack = "a required node is not free";
	}
	if (lack) {
		if (must)
			no_room(view, lack);
		return;
	}
	if (must)
		view->request.required[view->request.required_count++] = at;
	add_node(view, tables, arguments->job, i);
}

/* Fills the offer with the nodes on which the job can have a task. Nodes that were offered before are dropped. */
static void offer_nodes(struct job_view *view, const struct machine_tables *tables,
			const struct job_test_arguments *arguments, const struct taken *taken, uint32_t tasks, bool round_up)
{
	view->request.stock_because = NULL;
	view->offer.node_count = view->request.required_count = 0;
	for (int i = 0; i < tables->record_count && i < bit_size(arguments->nodes); i++)
		if (bit_test(arguments->nodes, i))
			offer_node(view, tables, arguments, taken, tasks, round_up, i);
	if (!view->offer.node_count && arguments->job->gres_list_req && !view->request.stock_because)
		no_room(view, "no node has free cores and generic resources for one task");
}

/*
 * Returns the least number of offered nodes whose generic resources are enough for `tasks` tasks, by offer.max_tasks.
 * Returns UINT32_MAX if all nodes together have too few.
 */
static uint32_t least_nodes_by_shares(const struct job_view *view, uint32_t tasks)
{
	uint32_t count = view->offer.node_count, least;
	uint64_t *share = xcalloc(count + 1, sizeof(uint64_t));

	for (uint32_t n = 0; n < count; n++)
		share[n] = view->offer.max_tasks[n];
	least = nodes_for_sum(share, count, tasks).least;
	xfree(share);
	return least;
}

/*
 * Returns true if offer.max_tasks, which the generic resources limit, must be rounded up. If it is rounded down, the
 * chosen nodes have enough resources for the job. But the tasks may then need more nodes than max_nodes, or than the
 * resources need. Slurm itself takes any number of resources per node.
 */
static bool shares_are_too_small(const struct job_view *view, const job_record_t *job, uint32_t tasks)
{
	uint32_t nodes = least_nodes_by_shares(view, tasks);

	if (nodes > view->request.max_nodes)
		return true;
	return nodes > view->request.min_nodes &&
	       gres_nodes_needed(job, view->record, view->room, view->offer.node_count).most <= view->request.min_nodes;
}

/*
 * Raises min_nodes to the least number of offered nodes that have the generic resources for the whole job. This can be
 * more nodes than the cores need; the tasks are spread over all of them.
 */
static void need_nodes_for_gres(struct job_view *view, const job_record_t *job)
{
	uint32_t least = gres_nodes_needed(job, view->record, view->room, view->offer.node_count).least;

	if (least == UINT32_MAX || least > view->request.max_nodes)
		no_room(view, "the free nodes have too few generic resources for the job");
	else
		view->request.min_nodes = MAX(view->request.min_nodes, least);
}

void job_view_fill(struct job_view *view, const struct machine_tables *tables,
		   const struct job_test_arguments *arguments)
{
	*view = (struct job_view) { .record = NULL };
	view->request.stock_because = left_to_slurm(&view->request.stock_reason, tables, arguments);
	if (!view->request.stock_because)
		fill_request(view, tables, arguments);
	describe_job(&view->request, arguments->job);
}

void job_view_offer(struct job_view *view, const struct machine_tables *tables, const struct job_test_arguments *arguments)
{
	struct taken taken;

	empty_offer(view, bit_set_count(arguments->nodes), cr_get_coremap_offset(node_record_count));
	taken_fill(&taken, arguments->job);
	view->request.no_wait = why_no_wait(arguments->job, taken.waiting);
	if (arguments->job->gres_list_req) {
		/* A task's share of the generic resources depends on the number of nodes, which comes first. */
		offer_nodes(view, tables, arguments, &taken, 0, false);
		if (!view->request.stock_because)
			need_nodes_for_gres(view, arguments->job);
	}
	if (!view->request.stock_because) {
		uint32_t tasks = tasks_planned(&view->request);

		/* Slurm can divide a whole job's resources (--gpus=N) unequally, so shares may also be rounded up. */
		offer_nodes(view, tables, arguments, &taken, tasks, false);
		if (arguments->job->gres_list_req && shares_are_too_small(view, arguments->job, tasks))
			offer_nodes(view, tables, arguments, &taken, tasks, true);
	}
	taken_free(&taken);
	if (!arguments->job->gres_list_req)
		xfree(view->offer.max_tasks);	/* no node has a limit */
}

void given_view_fill(struct job_view *view, const struct machine_tables *tables, const struct job_test_arguments *arguments)
{
	uint32_t topology;

	*view = (struct job_view) { .record = NULL };
	if (!arguments->job->part_ptr || tables->record_count != node_record_count ||
	    !machine_topology_of(tables, arguments->job->part_ptr, &topology)) {
		view->request.stock_because = "Slurm's nodes or topologies have changed, run scontrol reconfigure";
		return;
	}
	fill_request(view, tables, arguments);
	describe_job(&view->request, arguments->job);
	empty_offer(view, bit_set_count(arguments->nodes), cr_get_coremap_offset(node_record_count));
	view->offer.given = true;
	xfree(view->offer.max_tasks);
	for (int i = 0; i < tables->record_count && i < bit_size(arguments->nodes); i++)
		if (bit_test(arguments->nodes, i) && node_record_table_ptr[i] && tables->node_of_record[i] >= 0)
			add_node(view, tables, arguments->job, i);
	memset(view->offer.core_free, 1, view->offer.first_core[view->offer.node_count]);
}

void job_view_free(struct job_view *view)
{
	xfree(view->record);
	xfree(view->offer.node);
	xfree(view->offer.first_core);
	xfree(view->offer.core_free);
	xfree(view->offer.cpus_per_core);
	xfree(view->offer.max_tasks);
	xfree(view->offer.weight);
	xfree(view->room);
	xfree(view->request.required);
}
