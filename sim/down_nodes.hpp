// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/topology/cluster_view.hpp"
#include "sim/backfill.hpp"
#include "sim/failures.hpp"

namespace placement::sim {

// The nodes of a replay that are down: the time of their repair, and the leaves that jobs cannot use until then. Times
// are simulated microseconds.
class DownNodes {
 public:
  // `failures` reports which nodes can have random failures; it outlives this object.
  DownNodes(std::int32_t nodes, const Failures& failures);

  // Returns true if the node `n` is down at `now_us`.
  bool is_down(std::int32_t n, std::int64_t now_us) const { return down_until_[n] > now_us; }
  // Sets the node `n`, which is up, down until `up_us`. Returns its free leaves, which jobs cannot use until then.
  const std::vector<std::int32_t>& take_down(std::int32_t n, const NodeView& node, std::int64_t up_us);
  // Sets the nodes up whose repair is done by `now_us`. Returns their leaves.
  std::vector<std::int32_t> repair(std::int64_t now_us);

  std::int64_t next_repair_us() const { return next_repair_us_; }  // never_us when no node is down
  std::int64_t cores() const { return cores_; }                    // of all nodes that are down

  // Returns when the first node that can have random failures comes up, if all of the nodes are down; else -1.
  std::int64_t all_in_danger_down_until() const;

 private:
  const Failures& failures_;
  std::int32_t up_in_danger_ = 0;  // nodes that are up and can have random failures
  std::int64_t next_repair_us_ = never_us;
  std::int64_t cores_ = 0;
  std::vector<std::int64_t> down_until_;
  std::vector<std::vector<std::int32_t>> leaves_;  // for each node; empty for a node that is up
};

}  // namespace placement::sim
