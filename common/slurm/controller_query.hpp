// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement {

// Asks slurmctld for its configuration, as the calling user and by libslurm's public calls. Returns the pairs that the
// select plugin reports in it, each as a line "name = value", for controller_state_of(). The text is empty when the
// plugin reports none. Throws Error when slurmctld does not answer, which may take as long as Slurm's message timeout,
// and when controller_tells_facts() is false. libslurm ends the process when it finds no slurm.conf.
std::string ask_controller();

// Returns whether a select plugin of this version of Slurm can report pairs with the configuration. Slurm lets it do so
// up to version 24.11. If not, ask_controller() throws Error.
bool controller_tells_facts();

}  // namespace placement
