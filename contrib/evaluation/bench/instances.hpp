// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"

namespace placement::bench {

struct Instance {
  std::string name;
  std::string kind;  // tree-full, tree-cons, ..: instances that are summed up together
  CommMatrix matrix;
  std::vector<std::int32_t> arities;
  TreeTopology tree;
  std::vector<std::int32_t> usable;
};

// The names of all instances, in the order of the tables.
std::vector<std::string> instance_names();

// Returns the instance with this name. The salt and the name seed every random choice, so another salt gives other
// matrices and other busy nodes for one name. Throws Error if the name is unknown.
Instance make_instance(const std::string& name, const std::string& salt);

// Makes a job for one state of Curie. Its traffic is a halo exchange in three dimensions, random pairs, copies of a
// pipeline, or an exchange along the rows of a grid. A job with an exchange along rows has a power of two of ranks.
//   state   number of the state, which decides the traffic and its random choices
//   ranks   number of ranks, at least 4; the job has at most this number
//   usable  free leaves, ascending; their numbers are nodes if `nodes` is true, and else cores
// Returns an instance with at least as many leaves as ranks.
Instance make_choice(std::int32_t state, std::int32_t ranks, std::vector<std::int32_t> usable, bool nodes);

}  // namespace placement::bench
