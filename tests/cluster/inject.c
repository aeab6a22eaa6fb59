/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A SPANK plugin for tests: each INJECT_NAME=VALUE in a client's environment becomes NAME=VALUE in
 * the environment that a job carries for plugins, without any check.
 */
#include <slurm/spank.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

SPANK_PLUGIN(inject, 1)

static void inject(spank_t spank, const char *entry)
{
	char *name = strdup(entry), *value = name ? strchr(name, '=') : NULL;

	if (value) {
		*value++ = '\0';
		spank_job_control_setenv(spank, name, value, 1);
	}
	free(name);
}

int slurm_spank_init_post_opt(spank_t spank, int argument_count, char **arguments)
{
	(void) argument_count;
	(void) arguments;
	if (spank_context() != S_CTX_LOCAL && spank_context() != S_CTX_ALLOCATOR)
		return 0;
	for (char **entry = environ; *entry; entry++)
		if (strncmp(*entry, "INJECT_", 7) == 0)
			inject(spank, *entry + 7);
	return 0;
}
