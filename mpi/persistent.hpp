// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "mpi/traffic.hpp"

namespace placement::profile {

// What one start of a persistent request sends; `world` is WorldRanks::outside for a process that is
// not in MPI_COMM_WORLD.
struct PlannedSend {
  TrafficKind kind;
  std::int32_t world;
  std::uint64_t bytes;
  std::uint64_t messages;
};

// Any thread. A handle that is remembered again replaces what was known of it.
void remember_request(MPI_Request request, std::vector<PlannedSend> sends);
void forget_request(MPI_Request request);
void count_request(MPI_Request request);

}  // namespace placement::profile
