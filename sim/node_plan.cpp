// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/node_plan.hpp"

#include <algorithm>
#include <optional>

namespace placement::sim {

namespace {

constexpr std::int64_t first_group_us = 30'000'000;  // ends of running jobs that are looked at together first
constexpr int most_attempts = 100;                   // times that are tried for one job

// The nodes that are promised to nobody from a time on, until the time of the next entry in the plan.
struct OpenNodes {
  std::int64_t from_us;
  std::vector<char> open;
};

// Cores that are free again when a job has ended by its requested time.
struct End {
  std::int64_t time_us;
  std::vector<NodeShare> shares;
};

struct Place {
  std::int64_t at_us;
  std::vector<NodeShare> shares;
};

std::int64_t slot_of(std::int64_t time_us) { return time_us - time_us % plan_slot_us; }

class NodePlan {
 public:
  NodePlan(const Machine& machine, const RunningJobs& running, std::int64_t now_us, StockRequest request)
      : machine_(machine),
        now_us_(now_us),
        request_(request),
        free_(machine.free().begin(), machine.free().end()),
        plan_{{slot_of(now_us), std::vector<char>(free_.size(), 1)}} {
    for (const ExpectedEnd& end : running.expected_ends())
      ends_.push_back({std::max(end.time_us, now_us + 1), shares_of(running.at(end.slot).cores)});
  }

  // Returns when and where a job can start by this plan, if it can within plan_window_us.
  std::optional<Place> earliest(std::int64_t cores, std::int64_t long_us) const {
    std::int64_t from_us = now_us_;
    for (int attempt = 0; attempt < most_attempts && from_us <= now_us_ + plan_window_us; ++attempt) {
      std::int64_t later_us = never_us;  // when nodes are open that are not now
      const std::vector<char> open = open_nodes(from_us, from_us + long_us, later_us);
      std::optional<Place> place = place_on(open, cores);
      if (place) place->at_us = std::max(place->at_us, from_us);
      if (later_us < never_us && (!place || place->at_us > later_us)) {
        from_us = later_us;
        continue;
      }
      if (!place || place->at_us > now_us_ + plan_window_us) return {};
      if (place->at_us == now_us_ || !is_promised(*place, long_us)) return place;
      from_us = place->at_us;
    }
    return {};
  }

  // Promises the nodes of a place to a job that starts later.
  void promise(const Place& place, std::int64_t long_us) {
    const std::int64_t begin_us = slot_of(place.at_us);
    const std::int64_t end_us = std::max(slot_of(place.at_us + long_us), begin_us + plan_slot_us);
    split(begin_us);
    split(end_us);
    for (OpenNodes& entry : plan_)
      if (entry.from_us >= begin_us && entry.from_us < end_us)
        for (const NodeShare& share : place.shares) entry.open[share.node] = 0;
  }

  // Lets a job start now.
  void start(const Place& place, std::int64_t long_us) {
    for (const NodeShare& share : place.shares) free_[share.node] -= share.cores;
    End end{now_us_ + long_us, place.shares};
    const auto before = [](const End& a, const End& b) { return a.time_us < b.time_us; };
    ends_.insert(std::upper_bound(ends_.begin(), ends_.end(), end, before), std::move(end));
  }

  // Returns the nodes that a job of this length may not use when it starts now.
  std::vector<std::int32_t> closed(std::int64_t long_us) const {
    std::int64_t later_us = never_us;
    const std::vector<char> open = open_nodes(now_us_, now_us_ + long_us, later_us);
    std::vector<std::int32_t> nodes;
    for (std::int32_t n = 0; n < std::ssize(open); ++n)
      if (!open[n]) nodes.push_back(n);
    return nodes;
  }

 private:
  std::vector<NodeShare> shares_of(const std::vector<std::int32_t>& leaves) const {
    std::vector<NodeShare> shares;
    for (const std::int32_t leaf : leaves) {
      const std::int32_t node = machine_.node_of(leaf);
      if (shares.empty() || shares.back().node != node) shares.push_back({node, 0});
      ++shares.back().cores;
    }
    return shares;
  }

  std::int64_t end_of(std::size_t entry) const {
    return entry + 1 < plan_.size() ? plan_[entry + 1].from_us : never_us;
  }

  // Returns the nodes that are open throughout. later_us becomes the end of the first part of this time after which
  // others are.
  std::vector<char> open_nodes(std::int64_t from_us, std::int64_t until_us, std::int64_t& later_us) const {
    std::vector<char> open(free_.size(), 1);
    for (std::size_t k = 0; k < plan_.size() && plan_[k].from_us <= until_us; ++k) {
      if (end_of(k) <= from_us) continue;
      bool more = false;
      for (std::size_t n = 0; n < open.size(); ++n) {
        if (k + 1 < plan_.size()) more |= plan_[k + 1].open[n] && !(open[n] && plan_[k].open[n]);
        open[n] = open[n] && plan_[k].open[n];
      }
      if (more && later_us == never_us) later_us = end_of(k);
    }
    return open;
  }

  // Returns the place on open nodes once enough running jobs have ended.
  std::optional<Place> place_on(const std::vector<char>& open, std::int64_t cores) const {
    std::vector<std::int32_t> free(free_);
    std::int64_t room = 0;
    for (std::size_t n = 0; n < free.size(); ++n) room += free[n] = open[n] ? free[n] : 0;
    std::int64_t at_us = now_us_;
    std::int64_t first_us = never_us;
    std::int64_t group_us = first_group_us;
    for (std::size_t k = 0; room < cores;) {
      std::int64_t last_us = never_us;
      for (; k < ends_.size() && (last_us == never_us || ends_[k].time_us <= first_us + group_us); ++k) {
        bool here = false;
        for (const NodeShare& share : ends_[k].shares) {
          if (!open[share.node]) continue;
          here = true;
          free[share.node] += share.cores;
          room += share.cores;
        }
        if (!here) continue;
        last_us = ends_[k].time_us;
        if (first_us == never_us) first_us = last_us + first_group_us - last_us % first_group_us;
      }
      if (last_us == never_us) return {};
      at_us = last_us;
      do group_us *= 2;
      while (k < ends_.size() && ends_[k].time_us > first_us + group_us);
    }
    std::vector<NodeShare> shares = stock_nodes(machine_, free, static_cast<std::int32_t>(cores), request_);
    if (shares.empty()) return {};
    return Place{at_us, std::move(shares)};
  }

  bool is_promised(const Place& place, std::int64_t long_us) const {
    for (std::size_t k = 0; k < plan_.size() && plan_[k].from_us < slot_of(place.at_us + long_us); ++k) {
      if (end_of(k) <= slot_of(place.at_us)) continue;
      for (const NodeShare& share : place.shares)
        if (!plan_[k].open[share.node]) return true;
    }
    return false;
  }

  // Lets an entry of the plan begin at a time.
  void split(std::int64_t at_us) {
    const auto after =
        std::upper_bound(plan_.begin(), plan_.end(), at_us,
                         [](std::int64_t time_us, const OpenNodes& entry) { return time_us < entry.from_us; });
    if (after == plan_.begin() || (after - 1)->from_us == at_us) return;
    plan_.insert(after, OpenNodes{at_us, (after - 1)->open});
  }

  const Machine& machine_;
  const std::int64_t now_us_;
  const StockRequest request_;
  std::vector<std::int32_t> free_;  // cores of each node that are free now
  std::vector<OpenNodes> plan_;     // by time
  std::vector<End> ends_;           // by time
};

}  // namespace

std::vector<Passing> planned_backfill(const Machine& machine, const RunningJobs& running, std::int64_t now_us,
                                      std::span<const Claim> queue, const PlanRules& rules) {
  std::vector<std::int64_t> least(queue.size() + 1, never_us);  // the fewest cores that a job from here on wants
  for (std::size_t k = queue.size(); k-- > 0;) least[k] = std::min(least[k + 1], queue[k].cores);
  std::vector<Passing> passed;
  NodePlan plan(machine, running, now_us, rules.request);
  std::int64_t free_cores = machine.free_cores();
  std::int32_t reserved = 0;
  for (std::size_t k = 0; k < queue.size() && least[k] <= free_cores; ++k) {
    if (reserved >= rules.reservations && queue[k].cores > free_cores) continue;
    const std::int64_t long_us = std::min(std::max<std::int64_t>(queue[k].long_us + rules.margin_us, 1), never_us / 2);
    const std::optional<Place> place = plan.earliest(queue[k].cores, long_us);
    if (!place) continue;
    if (place->at_us > now_us) {
      if (reserved >= rules.reservations) continue;
      ++reserved;
      plan.promise(*place, long_us);
      continue;
    }
    passed.push_back({k, plan.closed(long_us)});
    plan.start(*place, long_us);
    free_cores -= queue[k].cores;
  }
  return passed;
}

}  // namespace placement::sim
