// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string_view>

#include "monitor/monitor/liveness.hpp"

namespace placement {

// What a monitor knows of a silence when it judges it.
struct SilenceFacts {
  bool over = false;             // the node is heard again; then the next three mean something
  bool rebooted = false;         // with another boot id than before
  bool agent_restarted = false;  // same boot, another agent
  bool planned = false;          // Slurm had it drained, in maintenance or powered down when it began
  bool slurm_missed = false;     // Slurm found it not responding or down meanwhile
  // Slurm has seen slurmd answer since the silence began: at least two of its pings are past.
  bool slurm_sees_it = false;
};

struct Judgement {
  bool counted = true;      // an unplanned outage of the node, which estimates go by
  std::string_view cause;   // "silent", "reboot", "link", "agent" or "planned"
};

// Why a node was not heard [TOFA §3]: the node itself (silent, as long as it lasts; reboot), what lies
// between (link: its agent has run all the time), the agent alone (not counted: jobs run on), or an
// order (not counted).
Judgement objective(const SilenceFacts& facts);

}  // namespace placement
