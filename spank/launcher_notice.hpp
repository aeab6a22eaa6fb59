// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "spank/mpirun_environment.hpp"
#include "spank/spank_api.hpp"

namespace placement {

// The program name of the daemon by which an mpirun or mpiexec starts its ranks itself, when that is what this step
// runs; else empty. Which daemon runs where is no matter, and what it starts must find all cores of the node.
std::string launcher_daemon(spank_t spank);

// Tells the user of an mpirun in a job with `policy` that its ranks are not placed by it, why, and what would place them.
// Open MPI's mpirun sends what srun says nowhere, so the line goes where its own errors go. Nothing is said where the
// user gave a rankfile, or Open MPI's mpirun has the job's plan and no words of the user's against it.
void tell_launcher(std::string_view daemon, std::string_view policy, const MpirunPlan& plan);

}  // namespace placement
