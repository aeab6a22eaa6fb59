/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The only door to Slurm's internals: no other file includes a header of Slurm's source tree.
 * What differs between Slurm versions is to be bridged here.
 */
#ifndef PLACEMENT_SLURM_COMPAT_H
#define PLACEMENT_SLURM_COMPAT_H

#include "config.h"

#include <string.h>

#include "plugins/compat/slurm_headers.h"

/*
 * Slurm's data. Whatever uses libslurm scans PluginDir and may load the plugin: functions bind when
 * they are called, data at once, and a client that lacks one would print an error and go on without.
 * plugin_load_from_file is weak to tell programs that have only libslurm, which does not export it.
 */
#pragma weak job_list
#pragma weak node_record_count
#pragma weak node_record_table_ptr
#pragma weak part_list
#pragma weak plugin_load_from_file
#pragma weak resv_list
#pragma weak slurm_conf
#pragma weak slurmctld_config
#ifdef HAVE_SLURM_SWITCH_RECORDS
#pragma weak cr_node_num_cores
#pragma weak switch_record_cnt
#pragma weak switch_record_table
#endif

/* ---- one spelling for all versions, which is the newest one; configure has found out what this Slurm has */

typedef struct xlist list_t;
typedef struct listIterator list_itr_t;
typedef __typeof__(*((job_record_t *) 0)->details) job_details_t;

#ifndef CONF_FLAG_ASRU
enum { CONF_FLAG_ASRU = CTL_CONF_ASRU };
#undef CTL_CONF_ASRU
#endif
#ifndef HAVE_SLURM_SELECT_CORE
enum {
	SELECT_CPU = CR_CPU,
	SELECT_SOCKET = CR_SOCKET,
	SELECT_CORE = CR_CORE,
	SELECT_MEMORY = CR_MEMORY,
	SELECT_PACK_NODES = CR_PACK_NODES,
};
#undef CR_CPU
#undef CR_SOCKET
#undef CR_CORE
#undef CR_MEMORY
#undef CR_PACK_NODES
#endif

/* Marks the job's cores in a bitmap of the machine, which is made if it is NULL. */
static inline void mark_cores_of_job(job_resources_t *resources, bitstr_t **cores)
{
#ifdef HAVE_SLURM_ADD_JOB_WITH_CORES
	add_job_to_cores(resources, cores, cr_node_num_cores);
#else
	add_job_to_cores(resources, cores);
#endif
}

/* Whether the node has generic resources for the job. */
static inline bool gres_are_on_node(const job_record_t *job, const node_record_t *node)
{
#ifdef HAVE_SLURM_GRES_TEST_WITH_BITMAP
	return gres_job_test(job->gres_list_req, node->gres_list, false, NULL, 0, 0, job->job_id, node->name, false) != 0;
#else
	return gres_job_test(job->gres_list_req, node->gres_list, false, 0, 0, job->job_id, node->name) != 0;
#endif
}

/* Loads a plugin of this Slurm version and runs its init(). */
static inline int load_plugin(plugin_handle_t *plugin, const char *path)
{
#ifdef HAVE_SLURM_PLUGIN_LOAD_REQUIRED
	return plugin_load_from_file(plugin, path, true);
#else
	return plugin_load_from_file(plugin, path);
#endif
}

/* Spellings that some versions do not have. */
#pragma GCC poison List ListIterator job_details add_job_to_cores gres_job_test

/* ---- what a plugin of ours declares */

/* What Slurm looks up; everything else stays hidden. */
#define EXPORT __attribute__((visibility("default")))

/* For plugin_version. */
#define BUILT_FOR_SLURM SLURM_VERSION_NUMBER

/* Slurm declares no prototype of what it looks up in a select plugin, but of its own function that calls it. */
#define SAME_AS_SLURMS(name)                                                                                  \
	_Static_assert(__builtin_types_compatible_p(__typeof__(select_p_##name), __typeof__(select_g_##name)), \
		       "select_p_" #name " has other parameters in this version of Slurm")

/* ---- where we are */

/* Whether some TaskPlugin keeps tasks to the cores of their job, without which no rank is bound to one. */
static inline bool tasks_are_bound(void)
{
	const char *plugins = slurm_conf.task_plugin;

	return plugins && (strstr(plugins, "affinity") || strstr(plugins, "cgroup"));
}

static inline bool in_slurmctld(void)
{
	return &slurmctld_config != NULL;	/* job_list is slurmstepd's too since 24.05 */
}

#endif
