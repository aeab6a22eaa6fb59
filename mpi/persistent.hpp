// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "mpi/traffic.hpp"

namespace placement::mpi::profile {

// The messages of each start of a persistent request to one process.
struct PlannedSend {
  TrafficKind kind;
  std::int32_t world;      // rank in MPI_COMM_WORLD, or WorldRanks::outside for a process that is not in it
  std::uint64_t bytes;     // in all messages
  std::uint64_t messages;  // their number
};

// Stores the messages of a persistent request. They replace messages stored for this handle before. Any thread may
// call it.
void remember_request(MPI_Request request, std::vector<PlannedSend> sends);
// Removes the messages stored for a request. Any thread may call it.
void forget_request(MPI_Request request);
// Counts the messages stored for a request, at one start of it. Any thread may call it.
void count_request(MPI_Request request);

}  // namespace placement::mpi::profile
