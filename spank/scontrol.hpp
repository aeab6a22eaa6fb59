// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <initializer_list>
#include <string>

namespace placement {

// What scontrol prints with these arguments, as the calling user. Its text says in every version of Slurm what
// libslurm's functions say in other structures in each version: switches, the cores of a job. scontrol is the one of
// the Slurm that this was built for, or else the first one in PATH. Throws Error when it cannot be run, fails, or
// prints more than 256 MiB.
std::string scontrol(std::initializer_list<const char*> arguments);

}  // namespace placement
