// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/profile_calls.hpp"

namespace placement::mpi::profile {

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

}  // namespace placement::mpi::profile
