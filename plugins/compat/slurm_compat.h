/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Gives access to Slurm's internals. Other files include this one and no header of Slurm's source tree. The files of
 * this folder bridge the differences between versions of Slurm.
 */
#ifndef PLACEMENT_SLURM_COMPAT_H
#define PLACEMENT_SLURM_COMPAT_H

#include "config.h"

#include <string.h>

#include "plugins/compat/slurm_headers.h"

/*
 * Slurm's data is declared weak, because any program that uses libslurm scans PluginDir and may load this plugin.
 * Functions are bound at their first call, but data is bound when the plugin is loaded. A client without one of the
 * symbols would print an error and continue without the plugin. plugin_load_from_file is weak because programs that
 * only have libslurm do not export it. The plugin recognizes these programs by this missing symbol.
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

/* ---- one spelling for all versions, the newest one; configure finds out what this version of Slurm has */

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

/* Sets the bits of the job's cores in *cores, a bitmap of all cores of the machine. It is created if *cores is NULL. */
static inline void mark_cores_of_job(job_resources_t *resources, bitstr_t **cores)
{
#ifdef HAVE_SLURM_ADD_JOB_WITH_CORES
	add_job_to_cores(resources, cores, cr_node_num_cores);
#else
	add_job_to_cores(resources, cores);
#endif
}

/* Returns true if the node has the generic resources that the job asks for. */
static inline bool gres_are_on_node(const job_record_t *job, const node_record_t *node)
{
#ifdef HAVE_SLURM_GRES_TEST_WITH_BITMAP
	return gres_job_test(job->gres_list_req, node->gres_list, false, NULL, 0, 0, job->job_id, node->name, false) != 0;
#else
	return gres_job_test(job->gres_list_req, node->gres_list, false, 0, 0, job->job_id, node->name) != 0;
#endif
}

/*
 * Returns slurmctld's index of the topology of the partition's jobs, and sets *name to its name. A partition that names
 * no topology has the topology of the cluster, with index 0 and *name NULL.
 */
static inline int topology_of_partition(const part_record_t *partition, char **name)
{
#ifdef HAVE_SLURM_PARTITION_TOPOLOGY
	*name = partition->topology_idx ? partition->topology_name : NULL;
	return partition->topology_idx;
#else
	*name = NULL;
	return 0;
#endif
}

/* Loads the plugin at `path`, built for this Slurm, and runs its init(). Returns SLURM_SUCCESS or an error. */
static inline int load_plugin(plugin_handle_t *plugin, const char *path)
{
#ifdef HAVE_SLURM_PLUGIN_LOAD_REQUIRED
	return plugin_load_from_file(plugin, path, true);
#else
	return plugin_load_from_file(plugin, path);
#endif
}

/* These spellings do not exist in some versions, so code must not use them. */
#pragma GCC poison List ListIterator job_details add_job_to_cores gres_job_test

/* ---- macros for the declarations of a plugin */

/* Makes a symbol visible that Slurm looks up; all other symbols stay hidden. */
#define EXPORT __attribute__((visibility("default")))

/* The value of plugin_version. */
#define BUILT_FOR_SLURM SLURM_VERSION_NUMBER

/*
 * True if slurmctld requires whole cores for each task of a step, unless the step uses all CPUs of the job
 * (_pick_step_cores() of 22.05). Later versions count the cores of all tasks on a node together.
 */
#define STEP_TASKS_NEED_WHOLE_CORES (SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0))

/*
 * Checks at compile time that select_p_NAME has the parameters that Slurm expects. Slurm declares no prototypes of a
 * select plugin's functions, only of its own functions select_g_NAME that call them.
 */
#define SAME_AS_SLURMS(name)                                                                                  \
	_Static_assert(__builtin_types_compatible_p(__typeof__(select_p_##name), __typeof__(select_g_##name)), \
		       "select_p_" #name " has other parameters in this version of Slurm")

/*
 * ---- calls of Slurm that the real select plugin answers
 *
 * Slurm looks up a list of functions in each select plugin. The list differs between versions. configure reads this
 * list from Slurm's source and writes select_symbols.h. That file has OWN(NAME) for each function that this plugin
 * defines itself, and PASS(NAME) for each other one. A call of a function with PASS goes to the real plugin with all
 * its arguments.
 */

/*
 * Looks up all functions of the list in the real plugin. No function with PASS may be called before. Returns
 * SLURM_SUCCESS; or SLURM_ERROR if a function is missing, with a line in the log for each missing one.
 */
int pass_through_bind(plugin_handle_t real_plugin);

/* Declares real_select_p_NAME, a pointer to the real plugin's function select_p_NAME. pass_through_bind() sets it. */
#define REAL_FUNCTION(name) \
	extern __typeof__(select_g_##name) *real_select_p_##name __attribute__((visibility("hidden")))

/* ---- the process and its configuration */

/* Returns the value of TaskPlugin, which never is NULL. */
static inline const char *task_plugin_setting(void)
{
	return slurm_conf.task_plugin ? slurm_conf.task_plugin : "task/none";
}

/*
 * Returns true if a TaskPlugin gives each task a CPU mask; srun's plan then permutes these masks. Without masks no rank
 * is bound to a core. task/cgroup gives none, because it only keeps tasks on the cores of their job.
 */
static inline bool tasks_are_bound(void)
{
	return strstr(task_plugin_setting(), "affinity") != NULL;
}

/* Returns true if the job has all cores of its nodes (--exclusive). Later versions have a set of bits in whole_node. */
static inline bool wants_whole_nodes(const job_record_t *job)
{
	const int value = job->details->whole_node;

	return WHOLE_NODE_MCS == 3 ? value == WHOLE_NODE_REQUIRED : (value & WHOLE_NODE_REQUIRED) != 0;
}

/* Returns true if this process is slurmctld and not slurmd, slurmstepd or a client. */
static inline bool in_slurmctld(void)
{
	return &slurmctld_config != NULL;	/* job_list is no test, because slurmstepd has it too since 24.05 */
}

/*
 * Tests whether slurmctld's records of nodes, partitions and jobs have the layout of the headers that this plugin was
 * compiled with. It checks the magic number that Slurm keeps in each record, and looks up records by their own names
 * and IDs. Returns NULL if the layout is right, otherwise a text that describes the difference; the caller frees it
 * with xfree(). Call this before any other access to these records. The caller holds slurmctld's locks for reading.
 */
char *records_do_not_fit(void);

/*
 * Returns the switches or blocks of one of slurmctld's topologies as lines of "scontrol show topology NAME". Returns
 * NULL if it has none. `name` is a topology of topology.yaml (Slurm 25.05 and later), or NULL for the topology of the
 * cluster. The caller frees the text with xfree().
 */
char *topology_text(char *name);

#endif
