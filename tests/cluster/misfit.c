/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Preloaded into slurmctld by a test: its table of nodes looks to our select plugin as if it had another layout. The
 * plugin finds no node by its name; slurmctld itself and Slurm's own plugins find all.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

static int is_ours(void *caller)
{
	Dl_info from;

	return dladdr(caller, &from) && from.dli_fname && strstr(from.dli_fname, "/placement-cluster/plugins/select_cons_tres.so");
}

/* libslurm has this name up to Slurm 22.05, and the second one later. */
#define HIDE_NODES(function)                                                             \
	void *function(char *name)                                                       \
	{                                                                                \
		static void *(*slurms)(char *name);                                      \
                                                                                         \
		if (is_ours(__builtin_return_address(0)))                                \
			return NULL;                                                     \
		if (!slurms)                                                             \
			slurms = (void *(*)(char *)) dlsym(RTLD_NEXT, #function);        \
		return slurms ? slurms(name) : NULL;                                     \
	}

HIDE_NODES(find_node_record)
HIDE_NODES(slurm_find_node_record)
