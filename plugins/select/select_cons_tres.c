/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shadows Slurm's select/cons_tres: same type, same id, in a directory before Slurm's own in
 * PluginDir. It loads the real plugin and hands every call through; only select_p_job_test has
 * something of ours around it, in job_test.c. When this file is gone or was built for another
 * Slurm, Slurm takes the real plugin by itself.
 */
#include "plugins/slurm_compat.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/select/configuration.h"
#include "plugins/select/job_test.h"

/* What Slurm looks up; everything else stays hidden. */
#define EXPORT __attribute__((visibility("default")))

EXPORT const char plugin_name[] = "select/cons_tres with placement by policy";
EXPORT const char plugin_type[] = "select/cons_tres";
EXPORT const uint32_t plugin_version = SLURM_VERSION_NUMBER;
EXPORT const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;

static plugin_handle_t real_plugin = PLUGIN_INVALID_HANDLE;

/* Defines real_NAME, filled by bind_real(). */
#define REAL(type, name, parameters) static type(*real_##name) parameters;

/* A call that goes straight through. */
#define PASS(type, name, parameters, arguments)                 \
	REAL(type, name, parameters)                            \
	EXPORT extern type name parameters                      \
	{                                                       \
		return real_##name arguments;                   \
	}

PASS(int, select_p_state_save, (char *dir_name), (dir_name))
PASS(int, select_p_state_restore, (char *dir_name), (dir_name))
PASS(int, select_p_job_init, (List jobs), (jobs))
PASS(int, select_p_job_begin, (job_record_t *job), (job))
PASS(int, select_p_job_ready, (job_record_t *job), (job))
PASS(int, select_p_job_expand, (job_record_t *from, job_record_t *to), (from, to))
PASS(int, select_p_job_resized, (job_record_t *job, node_record_t *node), (job, node))
PASS(int, select_p_job_signal, (job_record_t *job, int signal), (job, signal))
PASS(int, select_p_job_fini, (job_record_t *job), (job))
PASS(int, select_p_job_suspend, (job_record_t *job, bool indefinite), (job, indefinite))
PASS(int, select_p_job_resume, (job_record_t *job, bool indefinite), (job, indefinite))
PASS(bitstr_t *, select_p_step_pick_nodes,
     (job_record_t *job, select_jobinfo_t *info, uint32_t node_count, bitstr_t **avail_nodes),
     (job, info, node_count, avail_nodes))
PASS(int, select_p_step_start, (step_record_t *step), (step))
PASS(int, select_p_step_finish, (step_record_t *step, bool killing), (step, killing))
PASS(int, select_p_select_nodeinfo_pack,
     (select_nodeinfo_t *info, buf_t *buffer, uint16_t protocol), (info, buffer, protocol))
PASS(int, select_p_select_nodeinfo_unpack,
     (select_nodeinfo_t **info, buf_t *buffer, uint16_t protocol), (info, buffer, protocol))
PASS(select_nodeinfo_t *, select_p_select_nodeinfo_alloc, (void), ())
PASS(int, select_p_select_nodeinfo_free, (select_nodeinfo_t *info), (info))
PASS(int, select_p_select_nodeinfo_set_all, (void), ())
PASS(int, select_p_select_nodeinfo_set, (job_record_t *job), (job))
PASS(int, select_p_select_nodeinfo_get,
     (select_nodeinfo_t *info, enum select_nodedata_type type, enum node_states state, void *data),
     (info, type, state, data))
PASS(select_jobinfo_t *, select_p_select_jobinfo_alloc, (void), ())
PASS(int, select_p_select_jobinfo_free, (select_jobinfo_t *info), (info))
PASS(int, select_p_select_jobinfo_set,
     (select_jobinfo_t *info, enum select_jobdata_type type, void *data), (info, type, data))
PASS(int, select_p_select_jobinfo_get,
     (select_jobinfo_t *info, enum select_jobdata_type type, void *data), (info, type, data))
PASS(select_jobinfo_t *, select_p_select_jobinfo_copy, (select_jobinfo_t *info), (info))
PASS(int, select_p_select_jobinfo_pack,
     (select_jobinfo_t *info, buf_t *buffer, uint16_t protocol), (info, buffer, protocol))
PASS(int, select_p_select_jobinfo_unpack,
     (select_jobinfo_t **info, buf_t *buffer, uint16_t protocol), (info, buffer, protocol))
PASS(char *, select_p_select_jobinfo_sprint,
     (select_jobinfo_t *info, char *text, size_t size, int mode), (info, text, size, mode))
PASS(char *, select_p_select_jobinfo_xstrdup, (select_jobinfo_t *info, int mode), (info, mode))
PASS(int, select_p_update_node_config, (int index), (index))
PASS(bitstr_t *, select_p_resv_test,
     (resv_desc_msg_t *reservation, uint32_t node_count, bitstr_t *avail, bitstr_t **cores),
     (reservation, node_count, avail, cores))

REAL(int, select_p_get_info_from_plugin,
     (enum select_plugindata_info type, job_record_t *job, void *data))
REAL(int, select_p_node_init, (void))
REAL(int, select_p_reconfigure, (void))
static job_test_call *real_select_p_job_test;

/* Slurm's configuration has a list of pairs from the select plugin, which cons_tres leaves empty. */
EXPORT extern int select_p_get_info_from_plugin(enum select_plugindata_info type, job_record_t *job,
						void *data)
{
	int rc = real_select_p_get_info_from_plugin(type, job, data);

	if (type == SELECT_CONFIG_INFO && data && in_slurmctld())
		placement_add_facts((List *) data);
	return rc;
}

/* Slurm builds its node tables anew: what we know of the machine is void until the reconfigure. */
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

EXPORT extern int select_p_job_test(job_record_t *job, bitstr_t *nodes, uint32_t min_nodes,
				    uint32_t max_nodes, uint32_t req_nodes, uint16_t mode,
				    List preemptee_candidates, List *preemptee_jobs,
				    bitstr_t *excluded_cores)
{
	struct job_test_arguments arguments = {
		.job = job,
		.nodes = nodes,
		.min_nodes = min_nodes,
		.max_nodes = max_nodes,
		.req_nodes = req_nodes,
		.mode = mode,
		.preemptee_candidates = preemptee_candidates,
		.preemptee_jobs = preemptee_jobs,
		.excluded_cores = excluded_cores,
	};

	return placement_job_test(real_select_p_job_test, &arguments);
}

static int bind_one(void **slot, const char *name)
{
	if ((*slot = dlsym(real_plugin, name)))
		return SLURM_SUCCESS;
	error("placement: the real select/cons_tres has no %s", name);
	return SLURM_ERROR;
}

static int bind_real(void)
{
	int rc = SLURM_SUCCESS;

#define BIND(name) rc |= bind_one((void **) &real_##name, #name)
	BIND(select_p_state_save);
	BIND(select_p_state_restore);
	BIND(select_p_job_init);
	BIND(select_p_node_init);
	BIND(select_p_job_test);
	BIND(select_p_job_begin);
	BIND(select_p_job_ready);
	BIND(select_p_job_expand);
	BIND(select_p_job_resized);
	BIND(select_p_job_signal);
	BIND(select_p_job_fini);
	BIND(select_p_job_suspend);
	BIND(select_p_job_resume);
	BIND(select_p_step_pick_nodes);
	BIND(select_p_step_start);
	BIND(select_p_step_finish);
	BIND(select_p_select_nodeinfo_pack);
	BIND(select_p_select_nodeinfo_unpack);
	BIND(select_p_select_nodeinfo_alloc);
	BIND(select_p_select_nodeinfo_free);
	BIND(select_p_select_nodeinfo_set_all);
	BIND(select_p_select_nodeinfo_set);
	BIND(select_p_select_nodeinfo_get);
	BIND(select_p_select_jobinfo_alloc);
	BIND(select_p_select_jobinfo_free);
	BIND(select_p_select_jobinfo_set);
	BIND(select_p_select_jobinfo_get);
	BIND(select_p_select_jobinfo_copy);
	BIND(select_p_select_jobinfo_pack);
	BIND(select_p_select_jobinfo_unpack);
	BIND(select_p_select_jobinfo_sprint);
	BIND(select_p_select_jobinfo_xstrdup);
	BIND(select_p_get_info_from_plugin);
	BIND(select_p_update_node_config);
	BIND(select_p_reconfigure);
	BIND(select_p_resv_test);
#undef BIND
	return rc;
}

/*
 * The path of the next select_cons_tres.so after this very file along PluginDir, or the first one
 * when this file is in none of its directories; xfree() it. plugin_context_create would find this
 * file again; and looking only behind it, two copies of it cannot find each other for ever.
 */
static char *find_real(void)
{
	Dl_info self;
	char own[PATH_MAX], other[PATH_MAX], *rest = NULL, *found = NULL;
	bool behind = false;
	char *directories = xstrdup(slurm_conf.plugindir);

	if (!dladdr((const void *) plugin_type, &self) || !realpath(self.dli_fname, own))
		own[0] = '\0';
	for (char *directory = strtok_r(directories, ":", &rest); directory && own[0];
	     directory = strtok_r(NULL, ":", &rest)) {
		char *path = xstrdup_printf("%s/select_cons_tres.so", directory);
		bool exists = realpath(path, other);

		if (exists && !strcmp(other, own)) {
			behind = true;
			xfree(found);
		} else if (exists && !found) {
			found = path;
			path = NULL;
		}
		xfree(path);
		if (behind && found)
			break;
	}
	xfree(directories);
	return found;
}

/* As Slurm's own loader does it, for programs in which that cannot be reached. */
static int load_in_client(const char *path)
{
	void *handle = dlopen(path, RTLD_LAZY);
	const uint32_t *version = handle ? dlsym(handle, "plugin_version") : NULL;
	int (*real_init)(void) = handle ? (int (*)(void)) dlsym(handle, "init") : NULL;

	if (!version || *version != SLURM_VERSION_NUMBER || (real_init && real_init())) {
		if (handle)
			dlclose(handle);
		return SLURM_ERROR;
	}
	real_plugin = handle;
	return SLURM_SUCCESS;
}

/* Slurm's loader checks the version and runs the real init(). */
static int load_real(void)
{
	char *path = find_real();
	int rc;

	if (!path) {
		error("placement: no other select_cons_tres.so in PluginDir=%s",
		      slurm_conf.plugindir);
		return SLURM_ERROR;
	}
	if (&plugin_load_from_file)
		rc = plugin_load_from_file(&real_plugin, path);
	else
		rc = load_in_client(path);
	if (rc != SLURM_SUCCESS)
		error("placement: %s does not load", path);
	else if (in_slurmctld())
		info("placement: wrapping %s", path);
	xfree(path);
	return rc == SLURM_SUCCESS ? SLURM_SUCCESS : SLURM_ERROR;
}

EXPORT extern int init(void)
{
	if (real_plugin != PLUGIN_INVALID_HANDLE)
		return SLURM_SUCCESS;
	if (load_real() != SLURM_SUCCESS)
		return SLURM_ERROR;
	return bind_real();
}

/* Unloading the real plugin runs its fini(). Slurm calls this in tests of memory leaks only. */
EXPORT extern int fini(void)
{
	placement_forget_machine();
	if (real_plugin != PLUGIN_INVALID_HANDLE)
		plugin_unload(real_plugin);
	real_plugin = PLUGIN_INVALID_HANDLE;
	return SLURM_SUCCESS;
}
