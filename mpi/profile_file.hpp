// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include "mpi/traffic.hpp"

namespace placement {

// The matrix file of a profile, written pair by pair: "np RANKS", then "source target bytes messages".
// It takes its name only when it is complete.
class ProfileFile {
 public:
  ProfileFile(std::string path, std::int32_t ranks);
  ~ProfileFile();
  ProfileFile(const ProfileFile&) = delete;
  ProfileFile& operator=(const ProfileFile&) = delete;

  void add(std::int32_t rank, const PeerTraffic& pair);
  // Throws Error when anything could not be written; the file of that name is then as before.
  void finish();

 private:
  std::string path_;
  std::string temporary_;
  std::FILE* out_;
  int failure_ = 0;  // the first errno
};

// Sums over all ranks.
struct ProfileSummary {
  std::int32_t ranks = 0;
  std::int32_t ranks_missing = 0;  // of a program that died: ranks that left nothing
  double seconds = 0;              // of all ranks, between MPI_Init and MPI_Finalize; 0: not known
  double mpi_seconds = 0;          // of all ranks
  double mpi_seconds_least = 0;    // of one rank
  double mpi_seconds_most = 0;
  std::uint64_t calls = 0;
  std::array<PeerTraffic, traffic_kinds> totals{};
  PeerTraffic outside;
  std::array<std::uint64_t, Traffic::size_classes> sizes{};
};

std::string to_string(const ProfileSummary& summary);
void write_summary(const std::string& path, const ProfileSummary& summary);

}  // namespace placement
