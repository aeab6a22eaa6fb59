// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/policy/config.hpp"
#include "common/state/measured_pairs.hpp"

namespace placement::monitor {

// Pairs of nodes that an MPI program has measured (placectl measure). The process that answers queries takes them and
// writes them into a file of StateDirectory. The monitor reads this file, also after a restart.
std::string mpi_pairs_file(const Config& config);

// Returns the time in seconds for which a pair is used: MpiPairHours.
double mpi_keep_s(const Config& config);

// Returns the pairs in the file `path`, the latest ones first. Throws Error if it cannot be read.
std::vector<MeasuredPair> stored_mpi_pairs(const std::string& path);

// The conditions under which pairs are taken.
struct MpiPairRules {
  std::vector<uid_t> senders;        // users who may send pairs
  std::set<std::string_view> nodes;  // names of the cluster's nodes
  double keep_s = 0;                 // pairs that are older are dropped; 0: none is taken
};

// Returns whether the pair was measured in the last keep_s seconds. Clocks may differ by a minute.
bool is_present(const MeasuredPair& pair, double now_s, double keep_s);

// Adds the pairs of the table `text`, which the user `sender` sends, to the file `path`. They replace older
// measurements of their nodes. If the file would exceed the limits of a table, the oldest pairs are dropped. A file
// that cannot be read is replaced. Throws Error, and leaves the file unchanged, if the user may not send pairs, if the
// table is not valid, or if it has an unknown node or a pair that is not present.
void store_mpi_pairs(const std::string& path, std::string_view text, uid_t sender, double now_s,
                     const MpiPairRules& rules);

}  // namespace placement::monitor
