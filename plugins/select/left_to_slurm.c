/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/view_from_slurm.h"

uint16_t consumable_resources_of(const job_record_t *job)
{
	uint16_t type = slurm_conf.select_type_param;

	if (job->part_ptr->cr_type && (type & (SELECT_SOCKET | SELECT_CORE)))
		type = (type & ~(SELECT_SOCKET | SELECT_CORE | SELECT_MEMORY)) | job->part_ptr->cr_type;
	return type;
}

/* Returns the option of the job that no policy can serve, as a reason; NULL if there is none. */
static const char *option_of_slurm(const job_record_t *job)
{
	const job_details_t *details = job->details;

	if (details->contiguous)
		return "--contiguous is left to Slurm";
#ifdef HAVE_SLURM_SEGMENT
	if (details->segment_size)
		return "--segment is left to Slurm";
#endif
#ifdef IS_JOB_WHOLE_TOPO
	if (IS_JOB_WHOLE_TOPO(job))
		return "--exclusive=topo is left to Slurm";
#endif
	if (job->req_switch)
		return "--switches is left to Slurm";
	if (job->bit_flags & SPREAD_JOB)
		return "--spread-job is left to Slurm";
	if (job->bit_flags & USE_MIN_NODES)
		return "--use-min-nodes is left to Slurm";
	if ((slurm_conf.conf_flags & CONF_FLAG_ASRU) && details->core_spec != NO_VAL16)
		return "--core-spec and --thread-spec are left to Slurm";
	if ((details->task_dist & SLURM_DIST_STATE_BASE) == SLURM_DIST_ARBITRARY)
		return "an arbitrary distribution already sets the node of each rank";
	if (gres_per_socket_wanted(job))
		return "--gpus-per-socket is left to Slurm";
	if (details->expanding_jobid)
		return "a job that expands another is left to Slurm";
	if (details->features && strchr(details->features, '*'))
		return "node counts in --constraint are left to Slurm";
	return NULL;
}

const char *left_to_slurm(enum stock_reason *reason, const struct machine_tables *tables,
			  const struct job_test_arguments *arguments)
{
	const job_record_t *job = arguments->job;
	const char *option;
	uint32_t topology;

	*reason = STOCK_REQUEST;
	if (!job->part_ptr || arguments->min_nodes == 0)
		return "the job has no nodes to choose";
	*reason = STOCK_MACHINE;
	if (!machine_topology_of(tables, job->part_ptr, &topology))
		return "the topology of its partition has changed, run scontrol reconfigure";
	*reason = STOCK_OPTION;
	if ((option = option_of_slurm(job)))
		return option;
	*reason = STOCK_MACHINE;
	if (!wants_whole_nodes(job) &&
	    !(consumable_resources_of(job) & (SELECT_CPU | SELECT_CORE | SELECT_SOCKET)))
		return "SelectTypeParameters does not count cores";
	if (tables->record_count != node_record_count)
		return "Slurm's nodes have changed, run scontrol reconfigure";
	*reason = STOCK_OTHER;
	return NULL;
}
