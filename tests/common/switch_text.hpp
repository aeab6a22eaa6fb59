// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string>

#include "common/topology/switch_tree.hpp"

namespace placement {

// Returns switches as text, "name<parent:node,node name:..", where nodes count from 1.
inline std::string text_of(std::span<const SwitchShape> switches) {
  std::string result;
  for (const SwitchShape& one : switches) {
    result += (result.empty() ? "" : " ") + one.name;
    if (one.parent >= 0) result += "<" + switches[static_cast<std::size_t>(one.parent)].name;
    for (std::size_t n = 0; n < one.nodes.size(); ++n)
      result += (n == 0 ? ":" : ",") + std::to_string(one.nodes[n] + 1);
  }
  return result;
}

}  // namespace placement
