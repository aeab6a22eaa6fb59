/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Passes the facts about select_cons_tres.so of this directory, such as the mode in force, to slurmctld's clients.
 * Slurm asks select plugins for them up to 24.11, and later only MPI plugins. slurmctld loads all MPI plugins, and
 * "scontrol show config" prints their answers. This one starts no MPI program.
 */
#include "plugins/compat/slurm_compat.h"

#include <dlfcn.h>
#include <libgen.h>

#include "plugins/select/configuration.h"

/* Checks parameters, as SAME_AS_SLURMS does for a select plugin. */
#define SAME_AS_SLURMS_MPI(name)                                                                        \
	_Static_assert(__builtin_types_compatible_p(__typeof__(mpi_p_##name), __typeof__(mpi_g_##name)), \
		       "mpi_p_" #name " has other parameters in this version of Slurm")

EXPORT const char plugin_name[] = "facts about placement by policy";
EXPORT const char plugin_type[] = "mpi/placement";
EXPORT const uint32_t plugin_version = BUILT_FOR_SLURM;
/* srun rejects an MPI type with the ID 0 and lists the types. */
EXPORT const uint32_t plugin_id = 0;

EXPORT extern int init(void)
{
	return SLURM_SUCCESS;
}

EXPORT extern int fini(void)
{
	return SLURM_SUCCESS;
}

typedef __typeof__(placement_add_facts) *add_facts_function;

/* Returns the path of the select plugin next to this file, or NULL. The caller frees it with xfree(). */
static char *select_plugin_path(void)
{
	Dl_info plugin;
	char *own, *path;

	if (!dladdr(plugin_type, &plugin))
		return NULL;
	own = xstrdup(plugin.dli_fname);
	path = xstrdup_printf("%s/select_cons_tres.so", dirname(own));
	xfree(own);
	return path;
}

/*
 * Returns placement_add_facts of the select plugin next to this file, or NULL if this process does not use that plugin.
 * A plugin for another version of Slurm stays in memory after Slurm has refused it. It must not be called, as its
 * records differ.
 */
static add_facts_function of_select_plugin(void)
{
	add_facts_function found = NULL;
	char *path = select_plugin_path();
	void *handle = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;

	if (handle) {
		const uint32_t *version = dlsym(handle, "plugin_version");

		if (version && *version == plugin_version)
			found = (add_facts_function) dlsym(handle, "placement_add_facts");
		dlclose(handle);	/* The select plugin stays, as Slurm holds it. */
	}
	xfree(path);
	return found;
}

/* Slurm calls this for "scontrol show config" with a read lock on its jobs, which placement_add_facts() requires. */
EXPORT extern list_t *mpi_p_conf_get_printable(void)
{
	add_facts_function add_facts = in_slurmctld() ? of_select_plugin() : NULL;
	list_t *pairs = NULL;

	if (add_facts)
		add_facts(&pairs);
	return pairs;
}
SAME_AS_SLURMS_MPI(conf_get_printable);

/* ---- what else Slurm looks up in an MPI plugin */

EXPORT extern s_p_hashtbl_t *mpi_p_conf_get(void)
{
	return NULL;
}

EXPORT extern void mpi_p_conf_options(s_p_options_t **options, int *count)
{
}

EXPORT extern void mpi_p_conf_set(s_p_hashtbl_t *table)
{
}

EXPORT extern mpi_plugin_client_state_t *mpi_p_client_prelaunch(const mpi_step_info_t *step, char ***environment)
{
	return NULL;
}
SAME_AS_SLURMS_MPI(client_prelaunch);

EXPORT extern int mpi_p_client_fini(mpi_plugin_client_state_t *state)
{
	return SLURM_SUCCESS;
}
SAME_AS_SLURMS_MPI(client_fini);

EXPORT extern int mpi_p_slurmstepd_prefork(const stepd_step_rec_t *step, char ***environment)
{
	return SLURM_ERROR;
}
SAME_AS_SLURMS_MPI(slurmstepd_prefork);

EXPORT extern int mpi_p_slurmstepd_task(const mpi_task_info_t *task, char ***environment)
{
	return SLURM_ERROR;
}
SAME_AS_SLURMS_MPI(slurmstepd_task);
