/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Slurm asks a select plugin for the functions in a list of its own, which differs from version to version. configure
 * takes that list from Slurm's source: select_symbols.h has OWN(NAME) for each function that this plugin defines
 * itself, and PASS(NAME) for each other one. Calls of these go to the real plugin with whatever arguments they have.
 */
#ifndef PLACEMENT_COMPAT_PASS_THROUGH_H
#define PLACEMENT_COMPAT_PASS_THROUGH_H

#include "plugins/compat/slurm_compat.h"

/* Finds all functions of the list in the real plugin; before that none may be called. SLURM_ERROR with a line in the log
 * for each one that is missing. */
int pass_through_bind(plugin_handle_t real_plugin);

/* Declares real_select_p_NAME, the real plugin's function in place of which Slurm calls ours. */
#define REAL_FUNCTION(name) \
	extern __typeof__(select_g_##name) *real_select_p_##name __attribute__((visibility("hidden")))

#endif
