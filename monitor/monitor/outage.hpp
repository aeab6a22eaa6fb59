// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/monitor/history.hpp"

namespace placement {

// How likely each node is to fail, from its history of unplanned outages [TOFA §3]. Time is cut into
// slots of an hour; in each, a node was observed for a share of it and began some outages, mostly none.

inline constexpr double outage_slot_s = 3600;

struct OutageSettings {
  double window_s = 30 * 86400.0;     // window: looks back so far
  double half_life_s = 30 * 86400.0;  // ewma, beta: after so long what was seen counts half
  // beta: the prior, a Beta distribution whose mean is the fleet's rate, weighs as much as so many outages.
  double prior_outages = 0.5;
  // Before anything is known: one outage of a node in so long, weighing as much as half an outage.
  double first_guess_s = 365 * 86400.0;
  std::int32_t least_outages = 10;    // before so many are scored, estimators are not judged
};

// One node in one slot.
struct SlotSeen {
  double share = 0;          // observed, 0 .. 1; a slot in which an outage began counts whole
  std::int32_t outages = 0;  // that began in it

  bool failed() const { return outages > 0; }
};

// An estimator of the probability that a node fails within one slot. `fleet` is the rate of all nodes
// together, as OutageBook knows it at that moment.
class OutageEstimator {
 public:
  virtual ~OutageEstimator() = default;
  virtual std::string_view name() const = 0;
  // `open`: what is known of the slot that lasts, which nobody has called see() for yet.
  virtual double slot_probability(std::int32_t node, double fleet, const SlotSeen& open = {}) const = 0;
  // To be called for each node in each slot, also with share 0, in the order of time.
  virtual void see(std::int32_t node, const SlotSeen& slot) = 0;
};

inline constexpr std::string_view outage_estimators[] = {"beta", "ewma", "window"};

// Throws Error when there is no such estimator.
std::unique_ptr<OutageEstimator> make_outage_estimator(std::string_view name, std::int32_t nodes,
                                                       const OutageSettings& settings);

// How good foretold probabilities were.
class OutageScore {
 public:
  static constexpr std::size_t bins = calibration_bins;

  // `probability` was foretold for this share of a slot.
  void add(double probability, bool failed);

  double weight() const { return weight_; }      // forecasts
  double log_loss() const;                       // mean, in nats; NaN: nothing scored
  double foretold() const { return foretold_; }  // outages expected by the forecasts
  double seen() const { return seen_; }          // outages
  // By size of the forecast: below 1e-6, 1e-5, .. 0.1, and up to 1.
  using Bin = CalibrationBin;
  const std::array<Bin, bins>& calibration() const { return bins_; }

 private:
  double weight_ = 0, loss_ = 0, foretold_ = 0, seen_ = 0;
  std::array<Bin, bins> bins_{};
};

// Keeps all estimators and the constant fleet rate, and scores each on every slot before it sees it.
class OutageBook {
 public:
  // wanted: the estimator to be used as long as it is better than the constant. Throws Error when it
  // is none of outage_estimators.
  OutageBook(std::int32_t nodes, std::string_view wanted, const OutageSettings& settings);

  // All nodes in the next slot.
  void see(std::span<const SlotSeen> slot);

  // Whose probabilities are given: the wanted one; when it is no better than the constant, the best
  // that is; else "constant". Better: the mean log-loss is less by more than its standard error, over
  // at least least_outages outages. With fewer it is "beta", which departs from the rate of all nodes only as far
  // as a node's own outages go, and "constant" before the first.
  std::string_view in_use() const;
  std::string explain() const;  // a sentence: which, why
  OutageEstimators scores() const;  // of all, the constant first, for the snapshot

  // That the node fails within the horizon, by the estimator in use.
  double probability(std::int32_t node, double horizon_s) const;
  // The same for all nodes, knowing what the slot that lasts has brought so far; one SlotSeen per node.
  std::vector<double> probabilities(std::span<const SlotSeen> open, double horizon_s) const;
  double probability(std::string_view estimator, std::int32_t node, double horizon_s) const;  // "constant" too
  double fleet_rate() const;  // per slot and node

  const OutageScore& score(std::string_view estimator) const;  // "constant" too
  double advantage(std::string_view estimator) const;          // mean log-loss of the constant less its own
  double advantage_error(std::string_view estimator) const;    // standard error of that mean

 private:
  struct Entry {
    std::unique_ptr<OutageEstimator> estimator;
    OutageScore score;
    double difference = 0;  // sums over forecasts
    double squares = 0;
  };
  const Entry& find(std::string_view name) const;
  bool better(const Entry& entry) const;
  double rate_of(double outages, double slots) const;
  bool judged() const { return constant_.seen() >= settings_.least_outages; }
  double slot_probability(std::string_view estimator, std::int32_t node, double fleet, const SlotSeen& open) const;

  OutageSettings settings_;
  std::string wanted_;
  std::vector<Entry> entries_;
  OutageScore constant_;
  double fleet_outages_ = 0, fleet_slots_ = 0;
};

// The slots of all nodes from begin_s on, in slots of outage_slot_s, up to the last that is over at
// end_s; one call per slot. Only counted outages matter. `names` gives the nodes their numbers.
void for_each_slot(std::span<const std::string> names, std::span<const SpanRecord> spans,
                   std::span<const OutageRecord> outages, double begin_s, double end_s,
                   const std::function<void(std::span<const SlotSeen>)>& call);

}  // namespace placement
