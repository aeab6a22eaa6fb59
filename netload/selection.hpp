// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/util/deadline.hpp"
#include "netload/compute_load.hpp"
#include "netload/group_search.hpp"
#include "netload/network_load.hpp"

namespace placement::netload {

// The rules for choosing a group of nodes [NLA §5, §6, §9].
enum class SelectionRule : std::uint8_t {
  nla,         // Algorithms 1 and 2, then a local search
  nla_paper,   // Algorithms 1 and 2
  load_aware,  // the least loaded nodes
  random,
  sequential,  // the first nodes
};

// Returns whether differences within the error of measurement count. They count only for NLA-PAPER.
WithinError within_error(SelectionRule rule);
// Returns the measure of NL: the time of messages for NLA without weights of the user, otherwise the difference.
PairMeasure pair_measure(SelectionRule rule, const Parameters& parameters);

// Returns the value of the parameter `processors`: loaded (default) or printed. Throws Error on any other value.
ProcessorFormula processor_formula(const Parameters& parameters);

// Whether a cluster is overloaded: its nodes have fewer idle processors than a job needs.
struct Overload {
  double idle = 0;     // idle processors: the sum of max(0, cores - load) over the nodes where both are known
  double wanted = 0;   // processors that the job needs
  bool known = false;  // false: no node has known cores and load

  bool overloaded() const { return known && idle < wanted; }
};

// Returns the overload for `wanted` processors. `cores` and `load` have one entry for each node; NaN: not known.
Overload overload_of(std::span<const double> cores, std::span<const double> load, double wanted);

// Returns a text such as "the cluster is overloaded: 2.4 of 96 processors are idle, 8 are needed".
std::string to_string(const Overload& overload, std::span<const double> cores);

// Chooses a group by any of the rules. compute_sum, network_sum and runners_up are those of Algorithms 1 and 2, and the
// loads are relative to them. With slowdowns in the input, the rule `nla` takes the group with the least regret
// (choose_by_regret()). Throws Error when no group is within the limits or the deadline passes before one is found.
//   seed  for the rule `random`; for `sequential`, 0 starts at the first node, any other seed at a random one
GroupChoice select_group(const GroupInput& input, const GroupRequest& request, SelectionRule rule,
                         std::uint64_t seed = 0, const Deadline& deadline = Deadline::never());

}  // namespace placement::netload
