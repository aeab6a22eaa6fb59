// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/profile_collectives.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace placement::mpi::profile {
namespace {

// Appends the messages of a call on an inter-communicator. No algorithm is known for these calls, so only the data
// flow of the definition is counted.
void between_groups(const CommInfo& info, const CollectiveCall& call, Sends& out) {
  const std::int32_t remote = info.remote->size();
  const auto to_all = [&](std::uint64_t bytes) {
    for (std::int32_t peer = 0; peer < remote; ++peer) out.push_back({peer, bytes});
  };
  // Only the other group knows the sizes of its blocks. They are taken to be equal.
  const auto scatter_reduced = [&](std::uint64_t bytes) {
    const auto peers = static_cast<std::uint64_t>(remote);
    for (std::uint64_t peer = 0; bytes > 0 && peer < peers; ++peer)
      out.push_back({static_cast<std::int32_t>(peer), bytes * (peer + 1) / peers - bytes * peer / peers});
  };
  switch (call.operation) {
    case Collective::bcast:
    case Collective::scatter:
      if (call.root == MPI_ROOT) to_all(call.bytes());
      return;
    case Collective::gather:
    case Collective::gatherv:
    case Collective::reduce:
      if (call.root >= 0) out.push_back({call.root, call.bytes()});
      return;
    case Collective::alltoallv:
    case Collective::scatterv:
      for (std::size_t peer = 0; peer < call.blocks.size(); ++peer)
        if (call.blocks[peer] > 0) out.push_back({static_cast<std::int32_t>(peer), call.blocks[peer]});
      return;
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::allreduce:
    case Collective::alltoall: return to_all(call.bytes());
    case Collective::reduce_scatter:
      return scatter_reduced(std::accumulate(call.blocks.begin(), call.blocks.end(), std::uint64_t{0}));
    case Collective::reduce_scatter_block: return scatter_reduced(call.bytes() * static_cast<std::uint64_t>(info.size));
    default: return;
  }
}

// Returns the messages that this rank sends for the call.
const Sends& sends_of(const CommInfo& info, CollectiveCall& call) {
  static thread_local Sends sends;
  sends.clear();
  call.rank = info.rank;
  call.size = info.size;
  if (info.inter) {
    between_groups(info, call, sends);
  } else if (call.root >= 0 && call.root < call.size) {
    append_sends(collective_model(), call, sends);
  }
  return sends;
}

// Counts the messages, or stores them for each start of the request `persistent`.
void count_sends(const CommInfo& info, const Sends& sends, MPI_Request* persistent) {
  Traffic* const into = traffic();
  std::vector<PlannedSend> planned;
  for (const Send& send : sends)
    if (persistent)
      planned.push_back({TrafficKind::collective, info.peers().world(send.peer), send.bytes, 1});
    else if (into)
      count_to(*into, TrafficKind::collective, info.peers(), send.peer, send.bytes);
  if (persistent) remember_request(*persistent, std::move(planned));
}

}  // namespace

int peers_of(MPI_Comm comm) {
  const CommInfo* info = comm_info(comm);
  return info ? info->peers().size() : 0;
}

std::size_t neighbour_count(MPI_Comm comm) {
  const CommInfo* info = comm_info(comm);
  return info ? info->destinations.size() : 0;
}

void count_collective(MPI_Comm comm, CollectiveCall& call, MPI_Request* persistent) {
  if (const CommInfo* info = comm_info(comm)) count_sends(*info, sends_of(*info, call), persistent);
}

void count_neighbours(MPI_Comm comm, const std::vector<std::uint64_t>& bytes, MPI_Request* persistent) {
  const CommInfo* info = comm_info(comm);
  if (!info) return;
  Sends sends;
  for (std::size_t k = 0; k < std::min(bytes.size(), info->destinations.size()); ++k)
    if (info->destinations[k] >= 0) sends.push_back({info->destinations[k], bytes[k]});
  count_sends(*info, sends, persistent);
}

}  // namespace placement::mpi::profile
