// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "mpi/traffic.hpp"

namespace placement {

// How the library decomposes collectives into messages.
enum class CollectiveModel {
  open_mpi,  // the algorithms that Open MPI 4.1 chooses
  generic,   // one textbook algorithm per operation
  direct,    // as the operation is defined: root to all, all to all
};

// What the environment asks of the profiler; profile.7 lists the variables.
struct ProfileSettings {
  std::string file;             // the matrix
  std::uint32_t kinds = 0;      // which traffic the matrix has, bit k: kind k
  CollectiveModel collectives = CollectiveModel::generic;
  enum class Salvage { automatic, yes, no } salvage = Salvage::automatic;
  bool summary = true;

  // The table of a rank, while the program runs and when it died.
  std::string table(std::int32_t rank) const { return table(file, rank); }
  static std::string table(const std::string& file, std::int32_t rank);
};

// Reads PLACEMENT_PROFILE, _COUNT, _COLLECTIVES, _SALVAGE and _SUMMARY. `library` is the model that
// "auto" means. Throws Error on a value that is not one of those allowed.
ProfileSettings profile_settings(CollectiveModel library);

}  // namespace placement
