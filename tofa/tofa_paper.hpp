// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement {

// As published [TOFA §4]: the first window of consecutive nodes that do not fail, mapped by SCOTCH as a part of the
// torus; without such a window, SCOTCH on the whole with raised weights. The paper takes a node with an outage
// probability of 0 for one that does not fail. Where no window has these alone, because most nodes have failed once,
// nodes are taken in it that are not suspect, as place_tofa() has it. A torus and a matrix are needed. Where SCOTCH is not at hand, nodes are chosen in
// the same way and ranks keep their order, unless ranks are what is asked for: then that is an Error.
Placement place_tofa_paper(const ClusterView& view, const Request& request, const Deadline& deadline);

}  // namespace placement
