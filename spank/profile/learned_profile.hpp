// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_format.hpp"
#include "spank/profile/profile_store.hpp"

namespace placement::spank {

// Profiles that srun makes of each run of an MPI program where the site has ProfileJobs=yes. They are used only when
// the last learned_runs runs agree, because a single run may be unusual.

// Returns the part (0 to 1) of the traffic by which two matrices differ after each was divided by its total. It is 0 if
// they differ by a factor only, or neither has traffic. It is 1 if no pair has traffic in both, if only one has
// traffic, or if their numbers of ranks differ.
double traffic_difference(const CommMatrix& one, const CommMatrix& other);

// The learned profiles of one program and number of ranks, combined.
struct LearnedProfile {
  std::size_t runs = 0;                      // profiles that can be read, at most learned_runs
  double difference = 0;                     // the largest traffic_difference() between two of them
  std::string file;                          // the file of the latest profile
  std::shared_ptr<const CommMatrix> matrix;  // the latest profile; null unless learned_runs profiles agree
};

// Returns the result of the learned profiles `files` of `ranks` ranks, the latest first. Files that cannot be read, or
// have another number of ranks, do not count.
LearnedProfile learned_profile(std::span<const StoredProfile> files, std::int32_t ranks,
                               TrafficWeight weight = TrafficWeight::bytes);

// The next run to be learned.
struct NextLearned {
  std::string file;    // the file for its profile
  bool first = false;  // no earlier learned run is known
};

// Returns the file for the profile of `run`. Returns nothing if its last runs agree and the latest profile is at most
// 30 days old. `number` is passed to ProfileStore::learned_file_for(). Throws Error as the functions of ProfileStore
// do.
std::optional<NextLearned> next_to_learn(const ProfileStore& store, const ProgramRun& run, std::uint64_t number);

// A matrix for a run, from a stored profile, and the message about it for the user.
struct UsableProfile {
  std::shared_ptr<const CommMatrix> matrix;  // null if no profile can be used
  std::string file;
  std::string told;          // names the profile, or the reason why none is used
  bool none_stored = false;  // no profile has this number of ranks
};

// Returns the program and the number of ranks of a run for a message, as "halo with 8 ranks".
std::string described(const ProgramRun& run);

// Returns a matrix for `run` from stored profiles. First choice: the profile that the user made. Second: learned
// profiles with the number of ranks of `run`, if they agree. Third: a profile, made by the user or learned, with the
// nearest other number of ranks whose traffic is a regular structure (pattern/scaling.hpp). Throws Error if the store
// or the profile cannot be used.
UsableProfile usable_profile(const ProfileStore& store, const ProgramRun& run,
                             TrafficWeight weight = TrafficWeight::bytes);

}  // namespace placement::spank
