// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "mpi/traffic.hpp"

namespace placement::mpi {

// Writes the matrix file of a profile pair by pair: "np RANKS", then lines "source target bytes messages". The file
// gets its name only when it is complete.
class ProfileFile {
 public:
  // Opens a temporary file next to `path`. An error is reported by finish().
  ProfileFile(std::string path, std::int32_t ranks);
  ~ProfileFile();
  ProfileFile(const ProfileFile&) = delete;
  ProfileFile& operator=(const ProfileFile&) = delete;

  // Writes one pair: `rank` and pair.peer.
  void add(std::int32_t rank, const PeerTraffic& pair);
  // Gives the file its name. Throws Error when anything could not be written; an existing file `path` then remains.
  void finish();

 private:
  std::string path_;
  std::string temporary_;
  std::FILE* out_;
  int failure_ = 0;  // the errno of the first failure; 0: none
};

// Sums over all ranks of a run.
struct ProfileSummary {
  std::int32_t ranks = 0;
  std::int32_t ranks_missing = 0;    // ranks that left no table, if the program ended without MPI_Finalize
  std::int32_t ranks_finalized = 0;  // ranks that left a table and ended with MPI_Finalize
  double seconds = 0;                // sum over ranks of the time from MPI_Init to MPI_Finalize; 0: not known
  double mpi_seconds = 0;            // sum over ranks of the time in calls that can wait
  double mpi_seconds_least = 0;      // the least time of a rank in calls that can wait
  double mpi_seconds_most = 0;       // the largest time of a rank in calls that can wait
  std::vector<std::string> nodes;    // nodes on which ranks ran, at most `most_nodes` of them; empty: not known
  static constexpr std::size_t most_nodes = 32;
  std::uint64_t calls = 0;                                   // number of calls that can wait
  std::array<PeerTraffic, traffic_kinds> totals{};           // by kind
  PeerTraffic outside;                                       // to processes that are not in MPI_COMM_WORLD
  std::array<std::uint64_t, Traffic::size_classes> sizes{};  // messages of each size class
};

// Returns the summary file: an object of JSON in ASCII, with a line for each member. Times are absent if they are not
// known.
std::string to_string(const ProfileSummary& summary);
// Writes the summary to the file `path`. Throws Error when it cannot be written.
void write_summary(const std::string& path, const ProfileSummary& summary);

}  // namespace placement::mpi
