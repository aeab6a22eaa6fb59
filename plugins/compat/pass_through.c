/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/compat/slurm_compat.h"

#include <dlfcn.h>

/* The pointers through which pass_through_jumps.S jumps; that file defines them. */
#define PASS(name) extern void *real_##name __attribute__((visibility("hidden")));
#define OWN(name) PASS(name)
#include "select_symbols.h"
#undef PASS
#undef OWN

static const struct {
	const char *name;
	void **target;
} functions[] = {
#define PASS(name) { #name, &real_##name },
#define OWN(name) PASS(name)
#include "select_symbols.h"
#undef PASS
#undef OWN
};

int pass_through_bind(plugin_handle_t real_plugin)
{
	int rc = SLURM_SUCCESS;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if ((*functions[i].target = dlsym(real_plugin, functions[i].name)))
			continue;
		error("placement: the real select/cons_tres has no %s", functions[i].name);
		rc = SLURM_ERROR;
	}
	return rc;
}
