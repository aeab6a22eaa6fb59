// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/persistent.hpp"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "mpi/profile.hpp"

namespace placement::mpi::profile {
namespace {

// These objects are never destroyed, because other threads may still use them when the process ends.
auto& mutex = *new std::shared_mutex;
auto& planned = *new std::unordered_map<MPI_Request, std::vector<PlannedSend>>;

}  // namespace

void remember_request(MPI_Request request, std::vector<PlannedSend> sends) {
  const std::unique_lock lock(mutex);
  planned[request] = std::move(sends);
}

void forget_request(MPI_Request request) {
  const std::unique_lock lock(mutex);
  planned.erase(request);
}

void count_request(MPI_Request request) {
  Traffic* into = traffic();
  if (!into) return;
  const std::shared_lock lock(mutex);
  const auto found = planned.find(request);
  if (found == planned.end()) return;
  for (const PlannedSend& send : found->second)
    if (send.world == WorldRanks::outside)
      into->add_outside(send.bytes, send.messages);
    else
      into->add(send.kind, send.world, send.bytes, send.messages);
}

}  // namespace placement::mpi::profile
