// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/util/error.hpp"
#include "mpi/environment.hpp"
#include "mpi/profile.hpp"
#include "mpi/profile_file.hpp"

namespace placement::mpi::profile {
namespace {

enum Tag { tag_halves = 1, tag_more, tag_pairs };

constexpr double nanoseconds = 1e9;  // of a second

// The traffic between two ranks, as it is sent: four words of 64 bits.
struct Pair {
  std::uint64_t rank, peer, bytes, messages;
};
constexpr int pair_words = sizeof(Pair) / sizeof(std::uint64_t);

// Returns the traffic between this rank and each higher rank, both directions added, ascending.
std::vector<Pair> summed_row(const Traffic& traffic, std::uint32_t kinds, MPI_Comm comm) {
  const auto own = static_cast<std::uint64_t>(traffic.rank());
  std::vector<int> has_half(traffic.ranks(), 0);
  std::vector<Pair> halves;
  std::map<std::uint64_t, Pair> row;
  for (const PeerTraffic& to : traffic.peers(kinds)) {
    const Pair pair{own, static_cast<std::uint64_t>(to.peer), to.bytes, to.messages};
    if (pair.peer > own) row[pair.peer] = pair;
    if (pair.peer >= own) continue;
    has_half[pair.peer] = 1;
    halves.push_back(pair);
  }
  int incoming = 0;
  PMPI_Reduce_scatter_block(has_half.data(), &incoming, 1, MPI_INT, MPI_SUM, comm);
  std::vector<MPI_Request> requests(halves.size());
  for (std::size_t k = 0; k < requests.size(); ++k)
    PMPI_Isend(&halves[k], pair_words, MPI_UINT64_T, static_cast<int>(halves[k].peer), tag_halves, comm, &requests[k]);
  for (; incoming > 0; --incoming) {
    Pair half;
    PMPI_Recv(&half, pair_words, MPI_UINT64_T, MPI_ANY_SOURCE, tag_halves, comm, MPI_STATUS_IGNORE);
    Pair& pair = row.try_emplace(half.rank, Pair{own, half.rank, 0, 0}).first->second;
    pair.bytes += half.bytes;
    pair.messages += half.messages;
  }
  PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  std::vector<Pair> sorted;
  for (const auto& [peer, pair] : row) sorted.push_back(pair);
  return sorted;
}

// The pairs of this rank and of the ranks below it in a binomial tree, in the order of ranks. The pairs travel to rank
// 0 along the tree, because an MPI library keeps buffers for each sender. With Open MPI these are 40 KiB, so 1,000
// senders would cost rank 0 40 MiB.
//
// Pairs are sent in large batches, because a message can take milliseconds: if several ranks share a core, the receiver
// waits while the others run.
class PairsBelow {
 public:
  PairsBelow(std::vector<Pair> own, MPI_Comm comm, int rank, int ranks)
      : waiting_(std::move(own)),
        comm_(comm),
        rank_(rank),
        ranks_(ranks) {}

  // Returns the next pairs; fewer than batch_pairs at the end.
  std::vector<Pair> next() {
    std::vector<Pair> batch;
    do {
      const auto count = std::min(batch_pairs - batch.size(), waiting_.size());
      batch.insert(batch.end(), waiting_.begin(), waiting_.begin() + count);
      waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    } while (batch.size() < batch_pairs && receive());
    return batch;
  }

  // Sends all pairs to the rank above: the first batch at once, each further batch when that rank asks for it.
  void send_up() {
    const int above = rank_ & (rank_ - 1);
    for (std::size_t sent = batch_pairs; sent == batch_pairs;) {
      const std::vector<Pair> batch = next();
      if (batches_++ > 0) PMPI_Recv(nullptr, 0, MPI_BYTE, above, tag_more, comm_, MPI_STATUS_IGNORE);
      sent = batch.size();
      PMPI_Send(batch.data(), static_cast<int>(sent) * pair_words, MPI_UINT64_T, above, tag_pairs, comm_);
    }
  }

  static constexpr std::size_t batch_pairs = std::size_t{1} << 15;  // 1 MiB

 private:
  // Receives the next batch of this child, or the first batch of the next child. Returns false after the last batch.
  bool receive() {
    const bool more = received_ == batch_pairs;
    if (!more) distance_ = distance_ == 0 ? 1 : 2 * distance_;
    const int child = rank_ + distance_;
    if (child >= ranks_ || (rank_ & distance_) != 0) return false;
    if (more) PMPI_Send(nullptr, 0, MPI_BYTE, child, tag_more, comm_);
    waiting_.resize(batch_pairs);
    MPI_Status status;
    int words = 0;
    PMPI_Recv(waiting_.data(), static_cast<int>(batch_pairs) * pair_words, MPI_UINT64_T, child, tag_pairs, comm_,
              &status);
    PMPI_Get_count(&status, MPI_UINT64_T, &words);
    received_ = static_cast<std::size_t>(words / pair_words);
    waiting_.resize(received_);
    return true;
  }

  std::vector<Pair> waiting_;  // received and not yet returned
  MPI_Comm comm_;
  int rank_, ranks_;
  int distance_ = 0;          // from this rank to the present child
  std::size_t received_ = 0;  // pairs in the last message of the child
  int batches_ = 0;
};

// Writes all pairs, at rank 0. Returns an empty string, or the reason of a failure. When the file cannot be written it
// still asks for all pairs, because the other ranks wait for this.
std::string write_pairs(const std::string& path, int ranks, PairsBelow pairs) {
  ProfileFile file(path, ranks);
  for (std::size_t count = PairsBelow::batch_pairs; count == PairsBelow::batch_pairs;) {
    const std::vector<Pair> batch = pairs.next();
    for (const Pair& pair : batch)
      file.add(static_cast<std::int32_t>(pair.rank), {static_cast<std::int32_t>(pair.peer), pair.bytes, pair.messages});
    count = batch.size();
  }
  try {
    file.finish();
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

// Returns at rank 0 the names of nodes on which ranks run, in the order of ranks. If there are more nodes than the
// summary can list, returns some at even distances.
std::vector<std::string> nodes_of_ranks(int rank, int ranks, MPI_Comm comm) {
  std::array<char, 64> own{};
  node_name(ranks).copy(own.data(), own.size() - 1);
  std::vector<decltype(own)> all(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  PMPI_Gather(own.data(), static_cast<int>(own.size()), MPI_CHAR, all.data(), static_cast<int>(own.size()), MPI_CHAR, 0,
              comm);
  std::vector<std::string> nodes, some;
  std::set<std::string> seen;
  for (const auto& name : all)
    if (seen.insert(name.data()).second) nodes.emplace_back(name.data());
  const std::size_t count = std::min(nodes.size(), ProfileSummary::most_nodes);
  for (std::size_t k = 0; k < count; ++k) some.push_back(nodes[k * nodes.size() / count]);
  return some;
}

// Returns the sums over all ranks. They are valid at rank 0.
ProfileSummary summed(const Traffic& traffic, MPI_Comm comm, const RunTime& time) {
  ProfileSummary summary;
  std::vector<std::uint64_t> words;
  for (std::uint32_t kind = 0; kind < traffic_kinds; ++kind) {
    const PeerTraffic total = traffic.total(static_cast<TrafficKind>(kind));
    words.insert(words.end(), {total.bytes, total.messages});
  }
  words.insert(words.end(), {traffic.outside().bytes, traffic.outside().messages, traffic.calls()});
  const auto sizes = traffic.sizes();
  words.insert(words.end(), sizes.begin(), sizes.end());
  // The sum is limited to the run time. It can be larger because it adds the times of all threads, and because sampling
  // scales up the waits that it sees.
  const double in_mpi = std::min(static_cast<double>(traffic.ticks()) / time.ticks_per_second, time.seconds);
  for (const double seconds : {in_mpi, time.seconds})
    words.push_back(static_cast<std::uint64_t>(seconds * nanoseconds));
  std::vector<std::uint64_t> sums(words.size());
  PMPI_Reduce(words.data(), sums.data(), static_cast<int>(words.size()), MPI_UINT64_T, MPI_SUM, 0, comm);
  const std::uint64_t* at = sums.data();
  for (auto& total : summary.totals) {
    total.bytes = *at++;
    total.messages = *at++;
  }
  summary.outside.bytes = *at++;
  summary.outside.messages = *at++;
  summary.calls = *at++;
  std::copy_n(at, summary.sizes.size(), summary.sizes.begin());
  at += summary.sizes.size();
  summary.mpi_seconds = static_cast<double>(*at++) / nanoseconds;
  summary.seconds = static_cast<double>(*at++) / nanoseconds;
  const double extremes[] = {in_mpi, -in_mpi};
  double most[2] = {};
  PMPI_Reduce(extremes, most, 2, MPI_DOUBLE, MPI_MAX, 0, comm);
  summary.mpi_seconds_most = most[0];
  summary.mpi_seconds_least = -most[1];
  summary.ranks = traffic.ranks();
  summary.nodes = nodes_of_ranks(traffic.rank(), traffic.ranks(), comm);
  return summary;
}

}  // namespace

bool write_profile(const Traffic& traffic, const ProfileSettings& settings, MPI_Comm comm, const RunTime& time) {
  PairsBelow pairs(summed_row(traffic, settings.kinds, comm), comm, traffic.rank(), traffic.ranks());
  int written = 1;
  if (traffic.rank() == 0) {
    const std::string failure = write_pairs(settings.file, traffic.ranks(), std::move(pairs));
    if (!failure.empty()) std::fprintf(stderr, "placement: %s\n", failure.c_str());
    written = failure.empty();
  } else {
    pairs.send_up();
  }
  const ProfileSummary summary = summed(traffic, comm, time);
  if (traffic.rank() == 0 && settings.summary && written) {
    try {
      write_summary(settings.file + ".summary", summary);
    } catch (const Error& error) {
      std::fprintf(stderr, "placement: %s\n", error.what());
    }
  }
  PMPI_Bcast(&written, 1, MPI_INT, 0, comm);
  return written != 0;
}

}  // namespace placement::mpi::profile
