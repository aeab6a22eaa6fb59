// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement {

// Asks slurmctld for its configuration with libslurm's public functions, as the calling user. Returns the pairs that
// the select plugin (up to Slurm 24.11) and the MPI plugins report, as lines "name = value" for controller_state_of().
// The text is empty when they report none. Throws Error when slurmctld does not answer; this may take as long as
// Slurm's message timeout. libslurm ends the process when it finds no slurm.conf.
std::string ask_controller();

}  // namespace placement
