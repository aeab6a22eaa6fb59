/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Passes calls of Slurm on to the real select plugin. Slurm looks up a list of functions, which differs between
 * versions. configure reads this list from Slurm's source and writes select_symbols.h. That file has
 * OWN(NAME) for each function that this plugin defines itself, and PASS(NAME) for each other one. A call of a
 * function with PASS goes to the real plugin with all its arguments.
 */
#ifndef PLACEMENT_COMPAT_PASS_THROUGH_H
#define PLACEMENT_COMPAT_PASS_THROUGH_H

#include "plugins/compat/slurm_compat.h"

/*
 * Looks up all functions of the list in the real plugin. No function with PASS may be called before. Returns
 * SLURM_SUCCESS; or SLURM_ERROR if a function is missing, with a line in the log for each missing one.
 */
int pass_through_bind(plugin_handle_t real_plugin);

/* Declares real_select_p_NAME, a pointer to the real plugin's function select_p_NAME. pass_through_bind() sets it. */
#define REAL_FUNCTION(name) \
	extern __typeof__(select_g_##name) *real_select_p_##name __attribute__((visibility("hidden")))

#endif
