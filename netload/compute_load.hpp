// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "netload/weights.hpp"

namespace placement {

// Attributes of the candidate nodes. A column is empty when the attribute is absent, else it has one
// value of 0 or more per node, NaN where it is not known.
struct NodeTable {
  std::int32_t nodes = 0;
  std::array<std::vector<double>, node_attribute_count> columns;

  std::vector<double>& operator[](NodeAttribute which) { return columns[static_cast<std::size_t>(which)]; }
  const std::vector<double>& operator[](NodeAttribute which) const {
    return columns[static_cast<std::size_t>(which)];
  }
};

// The compute load of each node by Simple Additive Weighting [NLA §2, eq. 1]: the sum over attributes of
// weight times value, each value divided by the sum over the nodes, and what is to be maximised then
// replaced by its distance from the largest. An attribute that is absent, not known of any node, or whose
// sum is 0 contributes 0. A node of which it is not known counts as the worst of the others, so that silence
// pays for nobody; the sum is then the mean of the known ones times the number of nodes.
std::vector<double> compute_load(const NodeTable& table, const NlaWeights& weights);

enum class ProcessorFormula : std::uint8_t {
  loaded,   // a node as loaded as it has cores has the least number left [NLA §4]
  printed,  // cores - ceil(load) mod cores, as in the paper [NLA §4]
};

// The values with the largest of those that are known where one is not, as compute_load() has it; none is known:
// as they are. Where `bound` is given, what is above it is no measure for others.
std::vector<double> worst_where_unknown(std::vector<double> values,
                                        double bound = std::numeric_limits<double>::infinity());

// How many processes a node can take beside its load. `cores` not known: `least`; `load` not known: as if idle, so
// that a caller that knows the load of some nodes gives worst_where_unknown().
// Never below `least`, and, but for `printed`, which has cores for load == cores, never rising with the load.
std::int32_t effective_processors(double cores, double load, std::int32_t least = 1,
                                  ProcessorFormula formula = ProcessorFormula::loaded);

}  // namespace placement
