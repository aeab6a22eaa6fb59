// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/util/deadline.hpp"
#include "netload/compute_load.hpp"
#include "netload/group_search.hpp"
#include "netload/network_load.hpp"

namespace placement {

// How a group of nodes is chosen [NLA §5, §6, §9].
enum class SelectionRule : std::uint8_t {
  nla,         // Algorithms 1 and 2, then a local search
  nla_paper,   // Algorithms 1 and 2
  load_aware,  // the least compute load
  random,
  sequential,  // the first nodes
};

// The rule of a policy's name, in upper case; none for other policies.
std::optional<SelectionRule> selection_rule(std::string_view policy);

// The paper's own rule counts each difference between pairs as it was measured.
WithinError within_error(SelectionRule rule);

// The parameter processors: loaded (default) or printed. Throws Error on another word.
ProcessorFormula processor_formula(const Parameters& parameters);

// Whether a cluster is overloaded: its nodes together have fewer processors idle than are wanted.
struct Overload {
  double idle = 0;    // processors: the sum of cores minus load, none below 0, over the nodes where both are known
  double wanted = 0;  // processors
  bool known = false;

  bool overloaded() const { return known && idle < wanted; }
};

Overload overload_of(std::span<const double> cores, std::span<const double> load, double wanted);

// "the cluster is overloaded: 2.4 of 96 processors are idle, 8 are wanted"
std::string to_string(const Overload& overload, std::span<const double> cores);

// The group by any of the rules, measured on the scale that Algorithms 1 and 2 give: compute_sum, network_sum and
// runners_up are theirs. Throws Error as choose_group() does.
GroupChoice select_group(const GroupInput& input, const GroupRequest& request, SelectionRule rule,
                         std::uint64_t seed = 1, const Deadline& deadline = Deadline::never());

}  // namespace placement
