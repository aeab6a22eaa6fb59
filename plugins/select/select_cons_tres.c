/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Takes the place of Slurm's select/cons_tres: this plugin has its type and its ID, and lies in a directory before
 * Slurm's own in PluginDir. It loads the real plugin and passes every call through to it
 * (plugins/compat/slurm_compat.h). It wraps select_p_job_test, in job_test.c, and a few functions of configuration,
 * below. If this file is missing or was built for another version of Slurm, Slurm loads the real plugin itself.
 */
#include "plugins/compat/slurm_compat.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/select/configuration.h"

/* slurm-placement-rebuild finds both versions in the file by these words. */
EXPORT const char plugin_name[] =
	"select/cons_tres with placement by policy, slurm-placement " PACKAGE_VERSION ", built for Slurm " SLURM_RELEASE ".";
EXPORT const char plugin_type[] = "select/cons_tres";
EXPORT const uint32_t plugin_version = BUILT_FOR_SLURM;
EXPORT const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;

static plugin_handle_t real_plugin = PLUGIN_INVALID_HANDLE;

REAL_FUNCTION(node_init);
REAL_FUNCTION(reconfigure);

#ifdef HAVE_SLURM_SELECT_FACTS
REAL_FUNCTION(get_info_from_plugin);

/* Adds our facts to the select plugin's list in "scontrol show config", which cons_tres leaves empty. */
EXPORT extern int select_p_get_info_from_plugin(enum select_plugindata_info type, job_record_t *job,
						void *data)
{
	int rc = real_select_p_get_info_from_plugin(type, job, data);

	if (type == SELECT_CONFIG_INFO && data && in_slurmctld())
		placement_add_facts(data);
	return rc;
}
SAME_AS_SLURMS(get_info_from_plugin);
#endif

/* Slurm calls this when it builds its node tables again. Until the reconfigure the machine is not known. */
EXPORT extern int select_p_node_init(void)
{
	placement_forget_machine();
	return real_select_p_node_init();
}

EXPORT extern int select_p_reconfigure(void)
{
	int rc = real_select_p_reconfigure();

	placement_reconfigure();
	return rc;
}

SAME_AS_SLURMS(node_init);
SAME_AS_SLURMS(reconfigure);

/* Loads the real plugin as Slurm's own loader does, for programs in which that loader is not exported. */
static int load_in_client(const char *path)
{
	void *handle = dlopen(path, RTLD_LAZY);
	const uint32_t *version = handle ? dlsym(handle, "plugin_version") : NULL;
	int (*real_init)(void) = handle ? (int (*)(void)) dlsym(handle, "init") : NULL;

	if (!version || *version != BUILT_FOR_SLURM || (real_init && real_init())) {
		if (handle)
			dlclose(handle);
		return SLURM_ERROR;
	}
	real_plugin = handle;
	return SLURM_SUCCESS;
}

/* Loads the real plugin at `path`. Where Slurm's loader is available, it checks the version and runs the real init(). */
static int load_file(const char *path)
{
	int rc = &plugin_load_from_file ? load_plugin(&real_plugin, path) : load_in_client(path);

	if (rc == SLURM_SUCCESS && in_slurmctld())
		info("placement: wrapping %s", path);
	return rc;
}

/*
 * Loads the first select_cons_tres.so that can be loaded, of the directories of PluginDir behind that of this file, whose
 * path is `own`; if *behind is set, of all directories but that one. As Slurm does, passes over other versions. Sets
 * *behind if PluginDir has the directory of this file. plugin_context_create would find this file again. Searching only
 * behind this file prevents two copies of it from loading each other endlessly.
 */
static int load_behind(const char *own, bool *behind)
{
	char *directories = xstrdup(slurm_conf.plugindir), *rest = NULL, other[PATH_MAX];
	int rc = SLURM_ERROR;

	for (char *directory = strtok_r(directories, ":", &rest); directory && rc != SLURM_SUCCESS;
	     directory = strtok_r(NULL, ":", &rest)) {
		char *path = xstrdup_printf("%s/select_cons_tres.so", directory);
		bool exists = realpath(path, other), is_own = exists && !strcmp(other, own);

		*behind |= is_own;
		if (exists && !is_own && *behind)
			rc = load_file(path);
		xfree(path);
	}
	xfree(directories);
	return rc;
}

/* Loads the real plugin. If PluginDir does not have the directory of this file, searches all of PluginDir. */
static int load_real(void)
{
	Dl_info self;
	char own[PATH_MAX];
	bool behind = false;
	int rc;

	if (!dladdr((const void *) plugin_type, &self) || !realpath(self.dli_fname, own))
		return SLURM_ERROR;
	rc = load_behind(own, &behind);
	if (!behind) {
		behind = true;
		rc = load_behind(own, &behind);
	}
	if (rc != SLURM_SUCCESS)
		error("placement: Slurm's own select_cons_tres.so is in no directory that PluginDir=%s has after that of %s, or does not load",
		      slurm_conf.plugindir, own);
	return rc;
}

EXPORT extern int init(void)
{
	if (real_plugin != PLUGIN_INVALID_HANDLE)
		return SLURM_SUCCESS;
	if (load_real() != SLURM_SUCCESS)
		return SLURM_ERROR;
	return pass_through_bind(real_plugin);
}

/* Slurm calls this only in tests of memory leaks. Unloading the real plugin runs its fini(). */
EXPORT extern int fini(void)
{
	placement_forget_machine();
	if (real_plugin != PLUGIN_INVALID_HANDLE)
		plugin_unload(real_plugin);
	real_plugin = PLUGIN_INVALID_HANDLE;
	return SLURM_SUCCESS;
}
