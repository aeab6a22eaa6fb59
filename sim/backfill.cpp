// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/backfill.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace placement::sim {

std::vector<std::size_t> easy_backfill(std::int64_t now_us, std::int64_t free_cores, const ExpectedEnds& running,
                                       std::span<const Claim> queue) {
  std::vector<std::size_t> passed;
  if (queue.empty()) return passed;
  const std::int64_t head = queue.front().cores;
  std::int64_t then_free = free_cores;
  std::int64_t shadow_us = never_us;  // the time of the first job's reservation
  // All jobs that end at this time count, even if the first job needs no cores of theirs: others may use them.
  for (const ExpectedEnd& end : running) {
    const std::int64_t at_us = std::max(end.time_us, now_us);
    if (at_us > shadow_us) break;
    then_free += end.cores;
    if (then_free >= head) shadow_us = at_us;
  }
  // While nodes are down, the first job may never fit. It then holds no other job back.
  std::int64_t spare = shadow_us == never_us ? never_us : then_free - head;
  for (std::size_t k = 1; k < queue.size() && free_cores > 0; ++k) {
    if (queue[k].cores > free_cores) continue;
    const bool before_shadow = now_us + queue[k].long_us <= shadow_us;
    if (!before_shadow && queue[k].cores > spare) continue;
    if (!before_shadow) spare -= queue[k].cores;
    free_cores -= queue[k].cores;
    passed.push_back(k);
  }
  return passed;
}

namespace {

constexpr std::int64_t first_group_us = 30'000'000;   // length of the first group of ends of running jobs
constexpr int most_attempts = 100;                    // times that are tried for one job
constexpr std::int64_t release_guess_us = 1'000'000;  // the time after which Slurm plans jobs on nodes in release

// A set of nodes of a machine, in words of 64 bits. Sets that are compared or joined are of one machine.
class NodeBits {
 public:
  static NodeBits none(std::size_t nodes) { return NodeBits(nodes, 0); }
  static NodeBits all(std::size_t nodes) {
    NodeBits bits(nodes, ~std::uint64_t{0});
    if (nodes % 64 != 0) bits.words_.back() >>= 64 - nodes % 64;
    return bits;
  }

  bool has(std::int32_t node) const { return (words_[word_of(node)] & bit_of(node)) != 0; }
  void add(std::int32_t node) { words_[word_of(node)] |= bit_of(node); }
  void remove(std::int32_t node) { words_[word_of(node)] &= ~bit_of(node); }
  // Removes the nodes that `other` does not have.
  void keep(const NodeBits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
  }
  // Returns whether this set has a node that is missing from at least one of the other sets.
  bool exceeds(const NodeBits& first, const NodeBits& second) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      if ((words_[w] & ~(first.words_[w] & second.words_[w])) != 0) return true;
    return false;
  }

 private:
  NodeBits(std::size_t nodes, std::uint64_t word) : words_((nodes + 63) / 64, word) {}
  static std::size_t word_of(std::int32_t node) { return static_cast<std::size_t>(node) / 64; }
  static std::uint64_t bit_of(std::int32_t node) { return std::uint64_t{1} << (node % 64); }

  std::vector<std::uint64_t> words_;
};

// The nodes on which no job is planned from a time until the time of the next entry in the plan.
struct OpenNodes {
  std::int64_t from_us;
  NodeBits open;
};

// The free cores of each node at a time.
struct Room {
  std::int64_t at_us;
  std::vector<std::int32_t> free;
};

// Cores, and the time at which a job can start on them, or at which they are free by the requested time of their job.
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
        in_release_(NodeBits::none(free_.size())),
        plan_{{slot_of(now_us), NodeBits::all(free_.size())}} {
    for (const ExpectedEnd& expected : running.expected_ends()) {
      const RunningJob& job = running.at(expected.slot);
      Place end{std::max(expected.time_us, now_us + 1), shares_of(job.cores)};
      if (job.end_us > now_us) {
        ends_.push_back(std::move(end));
        continue;
      }
      for (const NodeShare& share : end.shares) {  // in release: the cores count as free now
        free_[share.node] += share.cores;
        in_release_.add(share.node);
      }
    }
  }

  // Returns when and where a job can start by this plan, if it can within plan_window_us.
  std::optional<Place> earliest(std::int64_t cores, std::int64_t long_us) const {
    std::int64_t from_us = now_us_;
    for (int attempt = 0; attempt < most_attempts && from_us <= now_us_ + plan_window_us; ++attempt) {
      std::int64_t later_us = never_us;  // the time at which nodes open that were closed until then
      const NodeBits open = open_nodes(from_us, from_us + long_us, later_us);
      const std::optional<Room> room = room_on(open, cores);
      const std::int64_t at_us = room ? std::max(room->at_us, from_us) : never_us;
      if (later_us < at_us) {
        from_us = later_us;
        continue;
      }
      if (at_us > now_us_ + plan_window_us) return {};
      Place place{at_us, stock_nodes(machine_, room->free, static_cast<std::int32_t>(cores), request_)};
      if (at_us == now_us_ && waits_for_release(place)) place.at_us += release_guess_us;
      if (place.at_us == now_us_ || !is_promised(place, long_us)) return place;
      from_us = place.at_us;
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
        for (const NodeShare& share : place.shares) entry.open.remove(share.node);
  }

  // Lets a job start now.
  void start(const Place& place, std::int64_t long_us) {
    for (const NodeShare& share : place.shares) free_[share.node] -= share.cores;
    const std::int64_t end_us = now_us_ + long_us;
    ends_.insert(std::ranges::upper_bound(ends_, end_us, {}, &Place::at_us), {end_us, place.shares});
  }

  // Returns the nodes that a job of this length may not use when it starts now: promised ones, and those in release.
  std::vector<std::int32_t> closed(std::int64_t long_us) const {
    std::int64_t later_us = never_us;
    const NodeBits open = open_nodes(now_us_, now_us_ + long_us, later_us);
    std::vector<std::int32_t> nodes;
    for (std::int32_t n = 0; n < machine_.nodes(); ++n)
      if (!open.has(n) || in_release_.has(n)) nodes.push_back(n);
    return nodes;
  }

 private:
  bool waits_for_release(const Place& place) const {
    return std::ranges::any_of(place.shares, [&](const NodeShare& share) { return in_release_.has(share.node); });
  }

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

  // Returns the nodes that are open throughout. later_us, if unset, becomes the end of the first entry whose successor
  // has a node that was closed until then. As in Slurm, the last entry examined is the first one after until_us.
  NodeBits open_nodes(std::int64_t from_us, std::int64_t until_us, std::int64_t& later_us) const {
    NodeBits open = NodeBits::all(free_.size());
    for (std::size_t k = 0; k < plan_.size(); ++k) {
      if (end_of(k) <= from_us) continue;
      if (later_us == never_us && k + 1 < plan_.size() && plan_[k + 1].open.exceeds(open, plan_[k].open))
        later_us = end_of(k);
      if (plan_[k].from_us > until_us) break;
      open.keep(plan_[k].open);
    }
    return open;
  }

  // Returns the cores that are free on open nodes once enough running jobs have ended.
  std::optional<Room> room_on(const NodeBits& open, std::int64_t cores) const {
    Room room{now_us_, std::vector<std::int32_t>(free_.size(), 0)};
    std::int64_t sum = 0, most = 0;
    for (std::int32_t n = 0; n < machine_.nodes(); ++n) {
      if (!open.has(n)) continue;
      sum += room.free[n] = free_[n];
      most += machine_.usable_on(n);
    }
    if (most < cores) return {};
    std::int64_t first_us = never_us;
    std::int64_t group_us = first_group_us;
    for (std::size_t k = 0; sum < cores;) {
      std::int64_t last_us = never_us;
      // As in Slurm, a job without an open node does not end a group: the job after it belongs to the group too.
      while (k < ends_.size()) {
        const Place& end = ends_[k++];
        const std::int64_t before = sum;
        for (const NodeShare& share : end.shares) {
          if (!open.has(share.node)) continue;
          room.free[share.node] += share.cores;
          sum += share.cores;
        }
        if (sum == before) continue;
        last_us = end.at_us;
        if (first_us == never_us) first_us = last_us + first_group_us - last_us % first_group_us;
        if (k < ends_.size() && ends_[k].at_us > first_us + group_us) break;
      }
      if (last_us == never_us) return {};
      room.at_us = last_us;
      do group_us *= 2;
      while (k < ends_.size() && ends_[k].at_us > first_us + group_us);
    }
    return room;
  }

  bool is_promised(const Place& place, std::int64_t long_us) const {
    for (std::size_t k = 0; k < plan_.size() && plan_[k].from_us < slot_of(place.at_us + long_us); ++k) {
      if (end_of(k) <= slot_of(place.at_us)) continue;
      for (const NodeShare& share : place.shares)
        if (!plan_[k].open.has(share.node)) return true;
    }
    return false;
  }

  // Splits the entry of the plan that holds this time, so that an entry begins there.
  void split(std::int64_t at_us) {
    const auto after = std::ranges::upper_bound(plan_, at_us, {}, &OpenNodes::from_us);
    if (after == plan_.begin() || (after - 1)->from_us == at_us) return;
    plan_.insert(after, OpenNodes{at_us, (after - 1)->open});
  }

  const Machine& machine_;
  const std::int64_t now_us_;
  const StockRequest request_;
  std::vector<std::int32_t> free_;  // cores of each node that are free now, or in release
  NodeBits in_release_;             // nodes of jobs that have ended and whose cores are not yet free
  std::vector<OpenNodes> plan_;     // by time
  std::vector<Place> ends_;         // by time
};

}  // namespace

std::vector<Passing> planned_backfill(const Machine& machine, const RunningJobs& running, std::int64_t now_us,
                                      std::span<const Claim> queue, StockRequest request) {
  std::vector<std::int64_t> least(queue.size() + 1, never_us);  // the fewest cores that a job from here on needs
  for (std::size_t k = queue.size(); k-- > 0;) least[k] = std::min(least[k + 1], queue[k].cores);
  std::vector<Passing> passed;
  NodePlan plan(machine, running, now_us, request);
  std::int64_t free_cores = machine.free_cores();
  std::unordered_map<std::int64_t, std::int32_t> planned_tasks;  // by job array
  for (std::size_t k = 0; k < queue.size() && least[k] <= free_cores; ++k) {
    const std::int64_t long_us = std::clamp<std::int64_t>(queue[k].long_us, 1, never_us / 2);
    std::int32_t single = 0;
    std::int32_t& planned = queue[k].array < 0 ? single : planned_tasks[queue[k].array];
    if (planned >= most_planned_tasks) continue;
    const std::optional<Place> place = plan.earliest(queue[k].cores, long_us);
    if (!place) continue;
    if (place->at_us > now_us) {
      plan.promise(*place, long_us);
      ++planned;
      continue;
    }
    passed.push_back({k, plan.closed(long_us)});
    plan.start(*place, long_us);
    free_cores -= queue[k].cores;
  }
  return passed;
}

}  // namespace placement::sim
