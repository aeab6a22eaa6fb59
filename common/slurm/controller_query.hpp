// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement {

// Asks slurmctld for its configuration by libslurm's public calls, as the calling user, and returns the pairs of its
// select plugin, one "name = value" line each, for controller_state_of(). Empty when that plugin has none. Throws Error
// when slurmctld does not answer; that may take as long as Slurm's message timeout. libslurm ends the process where
// there is no slurm.conf to be had.
std::string ask_controller();

// Whether this Slurm asks a select plugin what it has to tell: until 24.11. Where it does not, ask_controller() throws Error.
bool controller_tells_facts();

}  // namespace placement
