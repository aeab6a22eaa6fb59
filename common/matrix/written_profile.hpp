// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <ctime>
#include <string>
#include <vector>

#include "common/util/file_descriptor.hpp"

namespace placement {

// Returns a local time such as "2026-11-28 08:30".
std::string day_and_time(std::time_t when);

// Returns the paths of the counter files FILE.rank*, ascending. They are left by ranks that end without MPI_Finalize.
std::vector<std::string> rank_tables_of(const std::string& file);

// A profile file that a program under the profiler may write; reports on it after the program has ended.
class AwaitedProfile {
 public:
  // Records which file exists now, before the program runs.
  explicit AwaitedProfile(std::string file);

  // Returns whether the file was written after the constructor ran.
  bool is_written() const;

  // Returns "wrote FILE: 4 ranks, 3 pairs, 120 bytes in 6 messages" if the file was written. Otherwise returns "nothing
  // was written to FILE" with the possible reasons and the time of an older FILE.
  std::string report() const;

 private:
  std::string file_;
  FileIdentity before_;
};

}  // namespace placement
