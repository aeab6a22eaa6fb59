/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Replaces Slurm's select/cons_tres, the real plugin. This plugin has the type and the ID of the real one, and its
 * directory comes before that of the real one in PluginDir. It loads the real plugin and passes calls through to it
 * (plugins/compat/slurm_compat.h). It wraps select_p_job_test(), in job_test.c, and the functions of configuration in
 * this file. If this file is missing or was built for another version of Slurm, Slurm loads the real plugin itself.
 */
#include "plugins/compat/slurm_compat.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/select/configuration.h"

/* slurm-placement-rebuild searches the plugin's file for this text, to check the versions of this project and Slurm. */
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

/* Adds this plugin's configuration to the select plugin's list in "scontrol show config". cons_tres adds nothing. */
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

/* Slurm calls this when it rebuilds its node tables. Placement is off until Slurm calls select_p_reconfigure(). */
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

/* Loads the real plugin as plugin_load_from_file() of Slurm does, for programs that do not export that function. */
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
 * Loads the real plugin: the first select_cons_tres.so in PluginDir that loads and is not the file `own`, this plugin.
 * Searches the directories after that of `own`, or all directories if *behind is set. Sets *behind if it finds `own`.
 * Skips plugins for other versions of Slurm, as Slurm does. plugin_context_create() is of no use here, because it would
 * load this plugin again. Two copies of this plugin cannot load each other endlessly, because each searches only after
 * its own directory.
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

/* Loads the real plugin. If PluginDir does not have the directory of this plugin, searches all of PluginDir. */
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
		error("placement: cannot load Slurm's own select_cons_tres.so: PluginDir=%s must name its directory after that of %s",
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

/* slurmctld calls this only in builds that check for memory leaks. Unloading the real plugin runs its fini(). */
EXPORT extern int fini(void)
{
	placement_forget_machine();
	if (real_plugin != PLUGIN_INVALID_HANDLE)
		plugin_unload(real_plugin);
	real_plugin = PLUGIN_INVALID_HANDLE;
	return SLURM_SUCCESS;
}
