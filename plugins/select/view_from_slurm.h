/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Converts Slurm's records of a job, and of the nodes that the job could have, to the plain arrays of decide.h.
 */
#ifndef PLACEMENT_SELECT_VIEW_FROM_SLURM_H
#define PLACEMENT_SELECT_VIEW_FROM_SLURM_H

#include "plugins/compat/job_test_call.h"
#include "plugins/planning/decide.h"
#include "plugins/select/configuration.h"

/* The CPUs and the memory that a node has left for the job, besides generic resources. */
struct node_room {
	uint64_t cpus;
	uint64_t memory;	/* MB; UINT64_MAX if Slurm does not count memory */
};

/* A job's request and the nodes offered to it. All arrays belong to the view. */
struct job_view {
	struct placement_offer offer;
	struct placement_request request;
	bool force_cores;		/* Slurm can be made to take exactly the planned cores */
	bool force_counts;		/* Slurm can be made to take the planned number of cores on each node */

	uint32_t *record;		/* the index of the node record of each offered node */
	struct node_room *room;		/* the room on each offered node */
};

/* Returns 0 for each of the three values that mean "not given" in Slurm (0, NO_VAL16, INFINITE16), else `value`. */
static inline uint16_t given16(uint16_t value)
{
	return (value == NO_VAL16 || value == INFINITE16) ? 0 : value;
}

/* Fills `view` with the job's request, or its stock_because if no policy can serve it. Free it with job_view_free(). */
void job_view_fill(struct job_view *view, const struct machine_tables *tables,
		   const struct job_test_arguments *arguments);

/*
 * Adds the nodes and cores that the job could have at once to a `view` of job_view_fill() without stock_because. This
 * takes a walk through all jobs of the cluster. If no policy can serve the job, stock_because is set.
 */
void job_view_offer(struct job_view *view, const struct machine_tables *tables,
		    const struct job_test_arguments *arguments);
void job_view_free(struct job_view *view);

/*
 * Does what job_view_fill() and job_view_offer() do, but offers exactly the nodes that the call with `arguments` has
 * allocated, with all their cores. If that is impossible, stock_because has the reason.
 */
void given_view_fill(struct job_view *view, const struct machine_tables *tables,
		     const struct job_test_arguments *arguments);

/* Returns why no policy can serve the job of `arguments`, with the class in *reason; NULL if a policy may serve it. */
const char *left_to_slurm(enum stock_reason *reason, const struct machine_tables *tables,
			  const struct job_test_arguments *arguments);

/* Returns the SelectTypeParameters that apply to the job; those of its partition replace the cluster's. */
uint16_t consumable_resources_of(const job_record_t *job);

/* What other jobs take from one job: the cores and memory that they hold, and how many jobs of its user wait. */
struct taken {
	bitstr_t *cores;	/* one bit per core of the machine */
	uint64_t *memory;	/* MB for each node record */
	uint8_t *shares;	/* for each node record the HAS_.. bits below */
	uint32_t waiting;	/* the other jobs of the user that wait for better nodes */
};

enum {
	HAS_ONE_ROW = 1,	/* a job on the node does not share its cores */
	HAS_SHARING = 2,	/* a job of another partition on the node shares its cores */
	HAS_CORES = 4,		/* a job on the node holds cores */
};

/* Returns whether the job shares its cores with other jobs, which Slurm calls the job's node request. */
enum node_cr_state node_request_of(const job_record_t *job);

/*
 * Fills `taken` with the cores and memory of all running and suspended jobs, in one walk through all jobs. HAS_SHARING
 * is set for jobs of other partitions than that of the job `asking`. Free `taken` with taken_free().
 */
void taken_fill(struct taken *taken, const job_record_t *asking);
void taken_free(struct taken *taken);

/*
 * ---- generic resources
 *
 * They limit the choice of nodes. A node with too few of them left cannot take all tasks that its cores have room for.
 */

/*
 * Returns the number of tasks for which the node has free generic resources; UINT32_MAX means no limit. A resource is
 * not free without the CPUs or the memory that the job requests for it (--cpus-per-gpu, --mem-per-gpu). `tasks` is the
 * number of tasks of the job, 0 if unknown. Resources of the whole job (--gpus=N) are divided equally among its tasks.
 * With `round_up`, a remaining part of a share counts as a task.
 */
uint32_t gres_tasks_on_node(const job_record_t *job, const node_record_t *node, const struct node_room *room,
			    uint32_t tasks, bool round_up);

/* The numbers of nodes whose free generic resources are enough for a job; UINT32_MAX: all nodes have too few. */
struct gres_nodes {
	uint32_t least;	/* if the nodes with the most resources are used */
	uint32_t most;	/* if the nodes with the fewest resources are used */
};

/* Returns the numbers of nodes that have `wanted` together. Node n of `count` has each[n]; the array is sorted. */
struct gres_nodes nodes_for_sum(uint64_t *each, uint32_t count, uint64_t wanted);

/*
 * Returns the numbers of nodes whose free generic resources are enough for the whole job (--gpus=N). The nodes are the
 * `count` node records with the indices `record`, and `room` has an element for each of them. Both numbers are 1 if the
 * job does not ask for resources as a whole.
 */
struct gres_nodes gres_nodes_needed(const job_record_t *job, const uint32_t *record, const struct node_room *room,
				    uint32_t count);

/*
 * Returns true if the job asks for generic resources of each socket (--gpus-per-socket). Without Cores= in gres.conf, a
 * node seems to have its resources at any socket, but Slurm refuses the job's steps there.
 */
bool gres_per_socket_wanted(const job_record_t *job);

#endif
