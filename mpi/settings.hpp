// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "mpi/traffic.hpp"

namespace placement::mpi {

// How the profiler decomposes collectives into messages.
enum class CollectiveModel {
  generic,  // one textbook algorithm for each operation
  direct,   // the data flow of the definition: root to all, all to all
};

// The settings of the profiler from the environment; placement-profile(1) lists the variables.
struct ProfileSettings {
  std::string file;         // name of the matrix file
  std::uint32_t kinds = 0;  // traffic in the matrix; bit k: kind k
  CollectiveModel collectives = CollectiveModel::generic;
  // Whether counters are kept in files, so that they remain when the program ends without MPI_Finalize.
  enum class Salvage { automatic, yes, no } salvage = Salvage::automatic;
  bool summary = true;   // whether the summary is written
  bool children = true;  // whether programs that a rank starts also load the library, with its settings
  bool sample = false;   // whether ranks with very many messages count in slices of time (slice_sampling.hpp)

  // Returns the name of the file with the counters of a rank.
  std::string table(std::int32_t rank) const { return file + ".rank" + std::to_string(rank); }
};

// The environment variables that profile_settings() reads.
inline constexpr const char* profile_variables[] = {
    "PLACEMENT_PROFILE",         "PLACEMENT_PROFILE_COUNT",   "PLACEMENT_PROFILE_COLLECTIVES",
    "PLACEMENT_PROFILE_SALVAGE", "PLACEMENT_PROFILE_SUMMARY", "PLACEMENT_PROFILE_SAMPLE",
    "PLACEMENT_PROFILE_CHILDREN"};

// The option of placement-profile, such as "--count", by the variable that it set. Errors then name the option.
using SettingOptions = std::map<std::string_view, std::string>;

// Returns the settings from `profile_variables`. Throws Error when a value is not one of the allowed ones.
ProfileSettings profile_settings(const SettingOptions& options = {});

// Returns the end of the name of the matrix of a program that MPI_Comm_spawn started: ".spawned" for the first one,
// ".spawned2" for the second. Open MPI numbers the program itself and those that it spawns from 1 on.
//   pmix_namespace  PMIX_NAMESPACE of the environment, with the number in its lowest 16 bits (Open MPI 4) or after "@"
//                   (Open MPI 5). If it is null or has no number, the program counts as the first one.
std::string spawned_suffix(const char* pmix_namespace);

// Throws Error if this user cannot create the file `path`, because it is a directory, or because its directory is
// missing or not writable.
void check_output(const std::string& path);

}  // namespace placement::mpi
