// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/monitor/history.hpp"

namespace placement::monitor {

// Estimates how likely each node is to fail, from its history of unplanned outages [TOFA §3]. Time is divided into
// slots of an hour. In each slot a node was observed for a part of the slot and began some outages, usually none.

inline constexpr double outage_slot_s = 3600;

struct OutageSettings {
  double half_life_s = 30 * 86400.0;  // beta, weighted moving average: an observation of this age counts half
  std::size_t window_days = 30;       // moving average: length of the window
  // beta: weight of the prior, in outages. The prior is a Beta distribution whose mean is the rate of all nodes.
  double prior_outages = 0.5;
  // The rate before anything is known: one outage per node in this time. It has the weight of half an outage.
  double first_guess_s = 365 * 86400.0;
};

// The observation of one node in one slot of time.
struct SlotSeen {
  double share = 0;          // observed part of the slot, 0 to 1; it is 1 if an outage began in the slot
  std::int32_t outages = 0;  // outages that began in the slot
};

// The estimator of all nodes. Its names:
//   beta                     Beta-Bernoulli: the node's own slots, old ones counting less, and the rate of all nodes as
//                            prior. Each outage counts. Before the first outage of any node all have the prior's mean.
//   moving-average           outages per observed slot in the last 30 days
//   weighted-moving-average  outages per observed slot, old slots counting less
// Both averages are those of [TOFA §3]: a node without an outage has probability 0.
class OutageEstimator {
 public:
  // Throws Error when there is no estimator of this name.
  OutageEstimator(std::int32_t nodes, std::string_view name, const OutageSettings& settings);

  // Takes the next slot of all nodes, in the order of time.
  void see(std::span<const SlotSeen> slot);

  // Returns the probability that a node fails within `horizon_s` seconds, for all nodes. `open` is what the present
  // slot has shown so far, for which see() was not called yet: one SlotSeen per node.
  std::vector<double> probabilities(std::span<const SlotSeen> open, double horizon_s) const;

 private:
  enum class Kind : std::uint8_t { beta, moving_average, weighted_moving_average };
  struct Sums {
    double outages = 0, slots = 0;
    void add(const SlotSeen& seen) {
      outages += seen.outages;
      slots += seen.share;
    }
  };
  Sums of_node(std::size_t node) const;
  double all_nodes_rate(const Sums& all) const;

  Kind kind_;
  OutageSettings settings_;
  std::vector<Sums> aged_;              // per node; an observation counts half after each half-life
  std::deque<std::vector<Sums>> days_;  // moving average: per day of the window and node
  std::int64_t slots_seen_ = 0;
  Sums all_nodes_;  // of all nodes together, without ageing
};

// Calls `call` once for each slot, with what was seen of all nodes. Slots have outage_slot_s, from begin_s to the last
// one that is over at end_s. Only counted outages are used. `names` gives the nodes their order. Times are in seconds.
void for_each_slot(std::span<const std::string> names, std::span<const SpanRecord> spans,
                   std::span<const OutageRecord> outages, double begin_s, double end_s,
                   const std::function<void(std::span<const SlotSeen>)>& call);

}  // namespace placement::monitor
