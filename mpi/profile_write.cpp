// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/profile_write.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "mpi/profile_file.hpp"
#include "mpi/srun_environment.hpp"

namespace placement::mpi::profile {
namespace {

enum Tag { tag_halves = 1, tag_go, tag_row };

int length(const std::vector<std::uint64_t>& words) { return static_cast<int>(words.size()); }

// The number of words of an entry of a row in a message: peer, bytes, messages.
constexpr std::size_t entry_words = 3;

void append(std::vector<std::uint64_t>& words, std::int32_t peer, const PeerTraffic& traffic) {
  words.insert(words.end(), {static_cast<std::uint64_t>(peer), traffic.bytes, traffic.messages});
}

// Returns the traffic between this rank and each higher rank, both directions added, ascending.
std::vector<PeerTraffic> summed_row(const Traffic& traffic, std::uint32_t kinds, MPI_Comm comm) {
  const std::vector<PeerTraffic> sent = traffic.peers(kinds);
  std::vector<int> has_half(static_cast<std::size_t>(traffic.ranks()), 0);
  for (const PeerTraffic& to : sent)
    if (to.peer < traffic.rank()) has_half[to.peer] = 1;
  int incoming = 0;
  PMPI_Reduce_scatter_block(has_half.data(), &incoming, 1, MPI_INT, MPI_SUM, comm);

  std::vector<std::uint64_t> halves;
  std::map<std::int32_t, PeerTraffic> row;
  for (const PeerTraffic& to : sent) {
    if (to.peer < traffic.rank()) append(halves, to.peer, to);
    if (to.peer > traffic.rank()) row[to.peer] = to;
  }
  std::vector<MPI_Request> requests(halves.size() / entry_words);
  for (std::size_t k = 0; k < requests.size(); ++k)
    PMPI_Isend(&halves[k * entry_words + 1], 2, MPI_UINT64_T, static_cast<int>(halves[k * entry_words]), tag_halves,
               comm, &requests[k]);
  for (; incoming > 0; --incoming) {
    std::uint64_t half[2];
    MPI_Status status;
    PMPI_Recv(half, 2, MPI_UINT64_T, MPI_ANY_SOURCE, tag_halves, comm, &status);
    PeerTraffic& pair = row[status.MPI_SOURCE];
    pair.peer = status.MPI_SOURCE;
    pair.bytes += half[0];
    pair.messages += half[1];
  }
  PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  std::vector<PeerTraffic> sorted;
  sorted.reserve(row.size());
  for (const auto& [peer, pair] : row) sorted.push_back(pair);
  return sorted;
}

std::vector<std::uint64_t> words_of(const std::vector<PeerTraffic>& row) {
  std::vector<std::uint64_t> words;
  words.reserve(row.size() * entry_words);
  for (const PeerTraffic& pair : row) append(words, pair.peer, pair);
  return words;
}

// Rows come to rank 0 along a binomial tree of the ranks, because an MPI library keeps buffers for each rank that a
// rank has a message from: 40 KiB with Open MPI, which at rank 0 would be 40 MiB of 1,000 ranks. The subtree of a rank
// is a range of ranks that begins with it, so that rows stay in the order of ranks.
int parent_of(int rank) { return rank & (rank - 1); }
int end_of_subtree(int rank, int ranks) { return rank == 0 ? ranks : std::min(ranks, rank + (rank & -rank)); }

// The rows of the ranks below this one, in the order of ranks. It asks for a few of them ahead of the one that is
// wanted, so that no more than these are on their way.
class RowsBelow {
 public:
  RowsBelow(MPI_Comm comm, int rank, int ranks)
      : comm_(comm),
        rank_(rank),
        next_(rank + 1),
        asked_(rank + 1),
        end_(end_of_subtree(rank, ranks)) {}
  bool empty() const { return next_ == end_; }

  // Returns the row of the next rank, in the words of its message.
  std::vector<std::uint64_t> next() {
    for (; asked_ < end_ && asked_ < next_ + window; ++asked_)
      PMPI_Send(nullptr, 0, MPI_BYTE, child_above(asked_), tag_go, comm_);
    const int child = child_above(next_++);
    MPI_Status status;
    int count = 0;
    PMPI_Probe(child, tag_row, comm_, &status);
    PMPI_Get_count(&status, MPI_UINT64_T, &count);
    std::vector<std::uint64_t> words(static_cast<std::size_t>(count));
    PMPI_Recv(words.data(), count, MPI_UINT64_T, child, tag_row, comm_, MPI_STATUS_IGNORE);
    return words;
  }

 private:
  static constexpr int window = 8;

  // The child of this rank in whose subtree `rank` is.
  int child_above(int rank) const {
    return rank_ + static_cast<int>(std::bit_floor(static_cast<unsigned>(rank - rank_)));
  }

  MPI_Comm comm_;
  int rank_;
  int next_, asked_, end_;
};

// Sends the rows of this rank and of those below it to the rank above it, each when it is asked for.
void send_rows(const std::vector<PeerTraffic>& own, MPI_Comm comm, int rank, int ranks) {
  RowsBelow below(comm, rank, ranks);
  const auto send = [&](const std::vector<std::uint64_t>& words) {
    PMPI_Recv(nullptr, 0, MPI_BYTE, parent_of(rank), tag_go, comm, MPI_STATUS_IGNORE);
    PMPI_Send(words.data(), length(words), MPI_UINT64_T, parent_of(rank), tag_row, comm);
  };
  send(words_of(own));
  while (!below.empty()) send(below.next());
}

// Writes all rows, at rank 0. Returns an empty string, or the reason of a failure. When the file cannot be written it
// still asks for all rows, because the other ranks wait for this.
std::string write_rows(const std::string& path, int ranks, const std::vector<PeerTraffic>& own, MPI_Comm comm) {
  ProfileFile file(path, ranks);
  for (const PeerTraffic& pair : own) file.add(0, pair);
  RowsBelow rows(comm, 0, ranks);
  for (int rank = 1; !rows.empty(); ++rank) {
    const std::vector<std::uint64_t> words = rows.next();
    for (std::size_t k = 0; k + entry_words <= words.size(); k += entry_words)
      file.add(rank, {static_cast<std::int32_t>(words[k]), words[k + 1], words[k + 2]});
  }
  try {
    file.finish();
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

// A node's name as Slurm has it, where Slurm started the rank, else as the host has it.
using NodeName = std::array<char, 64>;

NodeName node_name(int ranks) {
  NodeName name{};
  const std::string given = started_by_srun(ranks) ? environment_value("SLURMD_NODENAME") : "";
  if (!given.empty())
    given.copy(name.data(), name.size() - 1);
  else if (gethostname(name.data(), name.size() - 1) == 0)
    if (char* const dot = std::strchr(name.data(), '.')) *dot = '\0';
  return name;
}

// Returns the names of nodes on which ranks run, in the order of ranks, at rank 0. Of more than the summary takes it
// returns some at even distances.
std::vector<std::string> nodes_of_ranks(int rank, int ranks, MPI_Comm comm) {
  const NodeName own = node_name(ranks);
  std::vector<NodeName> all(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  PMPI_Gather(own.data(), static_cast<int>(own.size()), MPI_CHAR, all.data(), static_cast<int>(own.size()), MPI_CHAR, 0,
              comm);
  std::vector<std::string> nodes, some;
  std::set<std::string> seen;
  for (const NodeName& name : all)
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
  std::vector<std::uint64_t> sums(words.size());
  PMPI_Reduce(words.data(), sums.data(), length(words), MPI_UINT64_T, MPI_SUM, 0, comm);
  const std::uint64_t* at = sums.data();
  for (auto& total : summary.totals) {
    total.bytes = *at++;
    total.messages = *at++;
  }
  summary.outside.bytes = *at++;
  summary.outside.messages = *at++;
  summary.calls = *at++;
  std::copy_n(at, summary.sizes.size(), summary.sizes.begin());

  // Of several threads the times are added up, and a wait in a slice of the sampling counts several times.
  const double in_mpi = std::min(static_cast<double>(traffic.ticks()) / time.ticks_per_second, time.seconds);
  PMPI_Reduce(&in_mpi, &summary.mpi_seconds_least, 1, MPI_DOUBLE, MPI_MIN, 0, comm);
  PMPI_Reduce(&in_mpi, &summary.mpi_seconds_most, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
  PMPI_Reduce(&in_mpi, &summary.mpi_seconds, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
  PMPI_Reduce(&time.seconds, &summary.seconds, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
  summary.ranks = traffic.ranks();
  summary.nodes = nodes_of_ranks(traffic.rank(), traffic.ranks(), comm);
  return summary;
}

}  // namespace

bool write_profile(const Traffic& traffic, const ProfileSettings& settings, MPI_Comm comm, const RunTime& time) {
  const std::vector<PeerTraffic> row = summed_row(traffic, settings.kinds, comm);
  int written = 1;
  if (traffic.rank() == 0) {
    const std::string failure = write_rows(settings.file, traffic.ranks(), row, comm);
    if (!failure.empty()) std::fprintf(stderr, "placement: %s\n", failure.c_str());
    written = failure.empty();
  } else {
    send_rows(row, comm, traffic.rank(), traffic.ranks());
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
