// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/profile_calls.hpp"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace placement::mpi::profile {

namespace {

// These objects are never destroyed, because other threads may still use them when the process ends.
auto& mutex = *new std::shared_mutex;
auto& planned = *new std::unordered_map<MPI_Request, std::vector<PlannedSend>>;

}  // namespace

void count_one_sided(MPI_Win win, int target, std::uint64_t there, std::uint64_t back) {
  Traffic* into = traffic();
  const WorldRanks* ranks = window_ranks(win);
  if (!into || !ranks) return;
  for (const std::uint64_t bytes : {there, back})
    if (bytes != no_message) count_to(*into, TrafficKind::one_sided, *ranks, target, bytes);
}

void count_topology(MPI_Comm comm) {
  Traffic* into = traffic_in_pauses_too();
  const CommInfo* info = comm_info(comm);
  if (!into || !info) return;
  for (std::size_t k = 0; k < info->destinations.size(); ++k) {
    const int weight = info->weights.empty() ? 1 : info->weights[k];
    count_to(*into, TrafficKind::topology, *info->local, info->destinations[k],
             static_cast<std::uint64_t>(weight > 0 ? weight : 0));
  }
}

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
  for (const PlannedSend& send : found->second) count_to_world(*into, send.kind, send.world, send.bytes, send.messages);
}

}  // namespace placement::mpi::profile
