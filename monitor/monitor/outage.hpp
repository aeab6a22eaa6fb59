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

namespace placement::monitor {

// Estimates how likely each node is to fail, from its history of unplanned outages [TOFA §3]. Time is divided into
// slots of an hour. In each slot a node was observed for a part of the slot and began some outages, usually none.

inline constexpr double outage_slot_s = 3600;

struct OutageSettings {
  double window_s = 30 * 86400.0;     // window: length of the window
  double half_life_s = 30 * 86400.0;  // ewma, beta: an observation of this age counts half
  // beta: weight of the prior, in outages. The prior is a Beta distribution whose mean is the rate of all nodes.
  double prior_outages = 0.5;
  // The rate before anything is known: one outage per node in this time. It has the weight of half an outage.
  double first_guess_s = 365 * 86400.0;
  std::int32_t least_outages = 10;  // estimators are not compared before this many outages are scored
};

// The observation of one node in one slot of time.
struct SlotSeen {
  double share = 0;          // observed part of the slot, 0 to 1; it is 1 if an outage began in the slot
  std::int32_t outages = 0;  // outages that began in the slot

  bool failed() const { return outages > 0; }
};

// An estimator of the probability that a node fails within one slot. `common_rate` is the present rate of outages of
// all nodes together, per node and slot, from OutageForecasts.
class OutageEstimator {
 public:
  virtual ~OutageEstimator() = default;
  virtual std::string_view name() const = 0;
  // Returns the probability, 0 to 1. `open` is what is known of the present slot, for which see() was not called yet.
  virtual double slot_probability(std::int32_t node, double common_rate, const SlotSeen& open = {}) const = 0;
  // Takes one slot. It has to be called for each node and slot in the order of time, also with share 0.
  virtual void see(std::int32_t node, const SlotSeen& slot) = 0;
};

inline constexpr std::string_view outage_estimators[] = {"beta", "ewma", "window"};

// Returns the estimator `name`, one of outage_estimators, for `nodes` nodes. Throws Error when there is no such one.
std::unique_ptr<OutageEstimator> make_outage_estimator(std::string_view name, std::int32_t nodes,
                                                       const OutageSettings& settings);

// Measures the quality of forecasts.
class OutageScore {
 public:
  static constexpr std::size_t bins = calibration_bins;

  // Adds a forecast: `probability` for the observed part of a slot, and whether an outage began in the slot.
  void add(double probability, bool failed);

  double weight() const { return weight_; }      // number of forecasts
  double log_loss() const;                       // mean, in nats; NaN: there are no forecasts
  double foretold() const { return foretold_; }  // number of outages that the forecasts predict
  double seen() const { return seen_; }          // number of slots in which an outage began
  // Returns the bins by the probability of the forecast: below 1e-6, below 1e-5, .. below 0.1, and up to 1.
  using Bin = CalibrationBin;
  const std::array<Bin, bins>& calibration() const { return bins_; }

 private:
  double weight_ = 0, loss_ = 0, foretold_ = 0, seen_ = 0;
  std::array<Bin, bins> bins_{};
};

// Keeps all estimators and the constant rate of all nodes. Before each of them takes a slot, its forecast is scored.
class OutageForecasts {
 public:
  // `wanted` is the estimator that is used as long as it is better than the constant rate. Throws Error when it is none
  // of outage_estimators.
  OutageForecasts(std::int32_t nodes, std::string_view wanted, const OutageSettings& settings);

  // Takes the next slot of all nodes.
  void see(std::span<const SlotSeen> slot);

  // Returns the name of the estimator whose probabilities are used. It is the wanted one if that is better than the
  // constant rate, else the best one that is better, else "constant". An estimator is better if its mean log-loss is
  // less by more than the standard error of the difference, over at least least_outages outages. With fewer outages
  // the result is "beta", which departs from the rate of all nodes only as far as a node's own outages go. Before the
  // first outage it is "constant". `open` is what the present slot has shown so far: one SlotSeen per node, or none.
  std::string_view in_use(std::span<const SlotSeen> open = {}) const;
  // Returns a sentence that says which estimator is used and why.
  std::string explain(std::span<const SlotSeen> open = {}) const;
  // Returns the scores of all for the snapshot, the constant rate first.
  OutageEstimators scores(std::span<const SlotSeen> open = {}) const;

  // Returns the probability that the node fails within `horizon_s` seconds, by the estimator in use.
  double probability(std::int32_t node, double horizon_s) const;
  // Returns this probability for all nodes, with what the present slot has shown so far: one SlotSeen per node.
  std::vector<double> probabilities(std::span<const SlotSeen> open, double horizon_s) const;
  // Returns the probability by the named estimator, which may be "constant".
  double probability(std::string_view estimator, std::int32_t node, double horizon_s) const;
  double all_nodes_rate() const;  // outages of all nodes together, per slot and node

  // These three take the name of an estimator; score() also takes "constant".
  const OutageScore& score(std::string_view estimator) const;
  double advantage(std::string_view estimator) const;        // mean log-loss of the constant rate minus the estimator's
  double advantage_error(std::string_view estimator) const;  // standard error of the advantage

 private:
  struct Entry {
    std::unique_ptr<OutageEstimator> estimator;
    OutageScore score;
    double difference = 0;  // sum over the forecasts of the log-loss of the constant rate minus this one's
    double squares = 0;     // sum of the squares of these differences
  };
  const Entry& find(std::string_view name) const;
  bool better(const Entry& entry) const;
  double rate_of(double outages, double slots) const;
  // The outages of all nodes, and the node-slots in which they were observed, with those of the present slot.
  struct AllNodes {
    double outages = 0, slots = 0;
  };
  AllNodes all_nodes_with(std::span<const SlotSeen> open) const;
  bool judged() const { return constant_.seen() >= settings_.least_outages; }
  double slot_probability(std::string_view estimator, std::int32_t node, double common_rate,
                          const SlotSeen& open) const;

  OutageSettings settings_;
  std::string wanted_;
  std::vector<Entry> entries_;
  OutageScore constant_;
  double all_nodes_outages_ = 0, all_nodes_slots_ = 0;
};

// Calls `call` once for each slot, with what was seen of all nodes. Slots have outage_slot_s, from begin_s to the last
// one that is over at end_s. Only counted outages are used. `names` gives the nodes their order. Times are in seconds.
void for_each_slot(std::span<const std::string> names, std::span<const SpanRecord> spans,
                   std::span<const OutageRecord> outages, double begin_s, double end_s,
                   const std::function<void(std::span<const SlotSeen>)>& call);

}  // namespace placement::monitor
