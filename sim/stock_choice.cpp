// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/stock_choice.hpp"

#include <algorithm>

#include "common/util/error.hpp"

namespace placement::sim {

namespace {

constexpr std::int32_t none = -1;

// Makes one choice among the offered nodes, which are the nodes with at least `share` free cores. `nodes` is the number
// of nodes that the job asks for.
class StockChooser {
 public:
  StockChooser(const Machine& machine, std::span<const std::int32_t> free, std::int32_t tasks, std::int32_t nodes,
               std::int32_t share)
      : machine_(machine),
        free_(free),
        tree_(*machine.view().tree),
        cores_left_(tasks),
        nodes_left_(nodes),
        nodes_of_(static_cast<std::size_t>(machine.switches())),
        offered_(static_cast<std::size_t>(tree_.vertices()), 0),
        distance_(static_cast<std::size_t>(machine.switches()), 0) {
    for (std::int32_t n = 0; n < machine.nodes(); ++n) {
      if (free[n] < share) continue;
      nodes_of_[machine.switch_of(n)].push_back(n);
      room_ += free[n];
    }
    for (std::int32_t s = 0; s < machine.switches(); ++s)
      for (std::int32_t v = machine.switch_vertex(s); v >= 0; v = tree_.parent(v))
        offered_[v] += static_cast<std::int32_t>(nodes_of_[s].size());
  }

  bool enough() const { return room_ >= cores_left_; }

  std::vector<NodeShare> choose() {
    while (cores_left_ > 0) {
      const std::int32_t best = best_switch();
      if (best == none) return {};
      take(best);
      offered_[machine_.switch_vertex(best)] = 0;
      for (std::int32_t s = 0; s < machine_.switches(); ++s) distance_[s] += machine_.switch_distance(s, best);
    }
    // An allocation is a set of nodes. The ranks are in the order of the node numbers, not in the order of the choice.
    std::ranges::sort(shares_, {}, &NodeShare::node);
    return std::move(shares_);
  }

 private:
  std::int32_t best_switch() const {
    std::int32_t best = none;
    for (std::int32_t s = 0; s < machine_.switches(); ++s) {
      if (offered_[machine_.switch_vertex(s)] == 0) continue;
      if (best == none) {
        best = s;
        continue;
      }
      if (distance_[s] > distance_[best]) continue;
      const int tighter = compare(machine_.switch_vertex(s), machine_.switch_vertex(best));
      if (tighter > 0 || (tighter == 0 && distance_[s] < distance_[best])) best = s;
    }
    return best;
  }

  // Returns a value above 0 if switch a is better than b for the remaining nodes of the job; below 0 if b is better.
  // If neither has enough nodes, the switches above the two are compared.
  int compare(std::int32_t a, std::int32_t b) const {
    const auto sign = [](std::int32_t x, std::int32_t y) { return (x > y) - (x < y); };
    for (;;) {
      const bool a_fits = offered_[a] >= nodes_left_;
      const bool b_fits = offered_[b] >= nodes_left_;
      if (a_fits && b_fits && offered_[a] != offered_[b]) return sign(offered_[b], offered_[a]);
      if (a_fits != b_fits) return a_fits ? 1 : -1;
      if (a_fits || tree_.parent(a) == tree_.parent(b) || a == 0 || b == 0) return sign(offered_[a], offered_[b]);
      a = tree_.parent(a);
      b = tree_.parent(b);
    }
  }

  // Takes nodes of the leaf switch in their order. Each node gives all its free cores, but one task is kept for each
  // node that is still required.
  void take(std::int32_t leaf_switch) {
    for (const std::int32_t n : nodes_of_[leaf_switch]) {
      if (cores_left_ <= 0) return;
      const std::int32_t kept_back = std::max(nodes_left_ - 1, 0);
      const std::int32_t wanted = std::min(free_[n], std::max(cores_left_ - kept_back, 1));
      cores_left_ -= wanted;
      --nodes_left_;
      shares_.push_back({n, wanted});
    }
  }

  const Machine& machine_;
  const std::span<const std::int32_t> free_;  // free cores of each node
  const TreeTopology& tree_;
  std::int32_t cores_left_;
  std::int32_t nodes_left_;
  std::int64_t room_ = 0;
  std::vector<std::vector<std::int32_t>> nodes_of_;  // the offered nodes of each leaf switch
  std::vector<std::int32_t> offered_;                // number of offered nodes below each vertex
  std::vector<std::int32_t> distance_;               // for each leaf switch: sum of its distances to the switches taken
  std::vector<NodeShare> shares_;
};

// Returns the choice of Slurm without topology/tree, by runs of consecutive numbers of the offered nodes. A node with
// at least `share` free cores is offered. Until all tasks have cores, takes the smallest run that holds the remaining
// tasks, or else the run with the most free cores. Returns nothing when the offered nodes do not suffice.
std::vector<NodeShare> choose_in_runs(std::span<const std::int32_t> free, std::int32_t tasks, std::int32_t share) {
  struct Run {
    std::int32_t first, last;
    std::int64_t room;
  };
  std::vector<Run> runs;
  for (std::int32_t n = 0; n < std::ssize(free); ++n) {
    if (free[n] < share) continue;
    if (runs.empty() || runs.back().last != n - 1) runs.push_back({n, n, 0});
    runs.back().last = n;
    runs.back().room += free[n];
  }
  std::vector<std::int32_t> nodes;
  std::int32_t left = tasks;
  while (left > 0) {
    const auto better = [&](const Run& a, const Run& b) {
      if ((a.room >= left) != (b.room >= left)) return a.room >= left;
      return a.room >= left ? a.room < b.room : a.room > b.room;
    };
    const auto best = std::min_element(runs.begin(), runs.end(), better);
    if (best == runs.end() || best->room == 0) return {};
    for (std::int32_t n = best->first; n <= best->last && left > 0; ++n) {
      nodes.push_back(n);
      left -= std::min(left, free[n]);
    }
    best->room = 0;
  }
  std::sort(nodes.begin(), nodes.end());
  std::vector<NodeShare> shares;
  left = tasks;
  auto nodes_left = static_cast<std::int32_t>(nodes.size());
  for (const std::int32_t n : nodes) {
    --nodes_left;  // one task is kept for each node that follows
    shares.push_back({n, std::min(free[n], left - nodes_left)});
    left -= shares.back().cores;
  }
  return shares;
}

}  // namespace

std::vector<NodeShare> stock_nodes(const Machine& machine, std::span<const std::int32_t> free, std::int32_t tasks,
                                   StockRequest request) {
  const std::int32_t nodes = machine.least_nodes(tasks);
  const std::int32_t share = (tasks + nodes - 1) / nodes;
  if (machine.view().torus) {
    std::vector<NodeShare> shares;
    if (request == StockRequest::nodes) shares = choose_in_runs(free, tasks, share);
    return shares.empty() ? choose_in_runs(free, tasks, 1) : shares;
  }
  if (request == StockRequest::nodes) {
    StockChooser with_share(machine, free, tasks, nodes, share);
    if (with_share.enough()) return with_share.choose();
  }
  // A job that requests only tasks requires at least one node, so each switch with an offered node suffices for Slurm.
  return StockChooser(machine, free, tasks, request == StockRequest::nodes ? nodes : 1, 1).choose();
}

std::vector<std::int32_t> stock_choice(const Machine& machine, std::int32_t tasks, StockRequest request) {
  if (tasks < 1 || tasks > machine.free_cores())
    throw Error(std::to_string(tasks) + " tasks on " + std::to_string(machine.free_cores()) + " free cores");
  std::vector<std::int32_t> leaves;
  for (const NodeShare& share : stock_nodes(machine, machine.free(), tasks, request)) {
    const std::vector<std::int32_t> free = free_leaves(machine, {&share.node, 1});
    leaves.insert(leaves.end(), free.begin(), free.begin() + share.cores);
  }
  return leaves;
}

}  // namespace placement::sim
