// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "mpi/traffic.hpp"

namespace placement::profile {

// A message of each start of a persistent request. `world` is the rank in MPI_COMM_WORLD, or WorldRanks::outside for a
// process that is not in it.
struct PlannedSend {
  TrafficKind kind;
  std::int32_t world;
  std::uint64_t bytes;
  std::uint64_t messages;
};

// The functions may be called by any thread. remember_request() stores the messages of a request and replaces those
// stored for this handle before. forget_request() removes them. count_request() counts them for one start.
void remember_request(MPI_Request request, std::vector<PlannedSend> sends);
void forget_request(MPI_Request request);
void count_request(MPI_Request request);

}  // namespace placement::profile
