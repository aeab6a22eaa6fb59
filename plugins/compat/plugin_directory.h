/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the other plugins of this project are.
 */
#ifndef PLACEMENT_COMPAT_PLUGIN_DIRECTORY_H
#define PLACEMENT_COMPAT_PLUGIN_DIRECTORY_H

#include "plugins/compat/slurm_compat.h"

#include <dlfcn.h>
#include <libgen.h>

/*
 * Returns the path of the file `name` in the directory of the plugin that calls this, or NULL if that directory is not
 * known. The file need not exist. The caller frees the path with xfree().
 */
static inline char *beside_this_plugin(const char *name)
{
	static const char in_this_plugin;
	Dl_info plugin;
	char *own, *path;

	if (!dladdr(&in_this_plugin, &plugin))
		return NULL;
	own = xstrdup(plugin.dli_fname);
	path = xstrdup_printf("%s/%s", dirname(own), name);
	xfree(own);
	return path;
}

#endif
