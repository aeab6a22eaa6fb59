/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The only door to Slurm's internals: no other file includes a header of Slurm's source tree.
 * What differs between Slurm versions is to be bridged here.
 */
#ifndef PLACEMENT_SLURM_COMPAT_H
#define PLACEMENT_SLURM_COMPAT_H

#include "config.h"

#include <string.h>

/* First: it gives Slurm's functions the names that libslurm exports too, where it has them at all. */
#ifndef USE_ALIAS
#define USE_ALIAS 1
#endif
#include "src/common/slurm_xlator.h"

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/common/bitstring.h"
#include "src/common/gres.h"
#include "src/common/job_resources.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/plugin.h"
#include "src/common/read_config.h"
#include "src/common/select.h"
#include "src/common/slurm_topology.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/slurmctld.h"

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(22, 5, 0) || \
	SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#error "this door knows Slurm 22.05 only"
#endif

/*
 * Slurm's data. Whatever uses libslurm scans PluginDir and may load the plugin: functions bind when
 * they are called, data at once, and a client that lacks one would print an error and go on without.
 * plugin_load_from_file is weak to tell programs that have only libslurm, which does not export it.
 */
#pragma weak cr_node_num_cores
#pragma weak job_list
#pragma weak node_record_count
#pragma weak node_record_table_ptr
#pragma weak plugin_load_from_file
#pragma weak resv_list
#pragma weak slurm_conf
#pragma weak slurmctld_config
#pragma weak switch_record_cnt
#pragma weak switch_record_table

/* Whether some TaskPlugin keeps tasks to the cores of their job, without which no rank is bound to one. */
static inline bool tasks_are_bound(void)
{
	const char *plugins = slurm_conf.task_plugin;

	return plugins && (strstr(plugins, "affinity") || strstr(plugins, "cgroup"));
}

static inline bool in_slurmctld(void)
{
	return &slurmctld_config != NULL;	/* job_list is in slurmstepd too since 24.05 */
}

#endif
