// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <initializer_list>
#include <string>

namespace placement::spank {

// Runs scontrol with `arguments` as the calling user, and returns what it prints. The text of scontrol has one form
// in all versions of Slurm. The structures of libslurm differ between versions, for example for switches and for the
// cores of a job. Runs the scontrol of the installation that this plugin was built for, else the first one in PATH.
// Throws Error if scontrol cannot be run, fails, or prints more than 256 MiB.
std::string scontrol(std::initializer_list<const char*> arguments);

}  // namespace placement::spank
