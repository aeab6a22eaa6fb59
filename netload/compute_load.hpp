// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "netload/weights.hpp"

namespace placement::netload {

// Attributes of the candidate nodes. The column of an absent attribute is empty. Each other column has one value per
// node, 0 or more, or NaN for an unknown value.
struct NodeTable {
  std::int32_t nodes = 0;
  std::array<std::vector<double>, node_attribute_count> columns;

  std::vector<double>& operator[](NodeAttribute which) { return columns[static_cast<std::size_t>(which)]; }
  const std::vector<double>& operator[](NodeAttribute which) const { return columns[static_cast<std::size_t>(which)]; }
};

// Returns the compute load CL of each node by Simple Additive Weighting [NLA §2, eq. 1]: the weighted sum of the node's
// attributes. Each value is divided by its sum over the nodes. A value to maximise is first replaced by its distance
// from the largest one. An absent or unknown attribute, or one with the sum 0, contributes 0. An unknown value counts
// as the worst known value, so a node that reports nothing gains nothing.
std::vector<double> compute_load(const NodeTable& table, const NlaWeights& weights);

// Formula for the number of processes that a node can take.
enum class ProcessorFormula : std::uint8_t {
  loaded,   // cores - load; a node whose load reaches its cores has the least number [NLA §4]
  printed,  // cores - ceil(load) mod cores, as in the paper [NLA §4]
};

// Replaces each NaN by the largest known value, at most `bound`. If no value is known, all remain NaN.
std::vector<double> worst_where_unknown(std::vector<double> values,
                                        double bound = std::numeric_limits<double>::infinity());

// Returns the number of processes that a node can take in addition to its load [NLA §4], at least `least`.
//   cores    logical cores; NaN: the result is `least`
//   load     mean number of running processes; NaN counts as idle. Pass values of worst_where_unknown().
//   formula  `loaded` never rises with the load; `printed` gives all cores at load == cores
std::int32_t effective_processors(double cores, double load, std::int32_t least = 1,
                                  ProcessorFormula formula = ProcessorFormula::loaded);

// Returns the time of a fixed computation on each node, in any unit: processes per core (at least 1) / frequency. An
// unknown value counts as the worst known one. If none is known, nodes count as equally fast.
//   cores       cores of each node; empty, or NaN for a node: not known
//   load        processes of other programs on each node; empty, or NaN for a node: not known
//   processors  processes that each node takes
std::vector<double> slowdown_of_nodes(const NodeTable& table, std::span<const double> cores,
                                      std::span<const double> load, std::span<const std::int32_t> processors);

}  // namespace placement::netload
