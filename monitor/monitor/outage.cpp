// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/outage.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace placement::monitor {

namespace {

constexpr double hour_s = 3600;
// For beta and the weighted moving average: an observation of age half_life_s counts half, one beyond look_back_s zero.
constexpr double half_life_s = 30 * 86400.0, look_back_s = 90 * 86400.0;
constexpr double window_of_average_s = 30 * 86400.0;  // for the moving average: older observations do not count
// For beta: the weight of the prior, in outages. The prior is a Beta distribution whose mean is the rate of all nodes.
constexpr double prior_outages = 0.5;
// The rate before anything is known: one outage per node in this time, with the weight of half an outage.
constexpr double first_guess_s = 365 * 86400.0, guess_weight = 0.5;

struct Sums {
  double outages = 0, hours = 0;
};

// Returns sums over the last `window_s` seconds. An observation of age `half_s` counts half; infinite: all count fully.
Sums sums_of(const NodeObservation& node, double now_s, double window_s, double half_s) {
  const auto weight = [&](double at_s) { return std::exp2(std::min(0.0, at_s - now_s) / half_s); };
  Sums sums;
  for (const double at_s : node.outages)
    if (at_s > now_s - window_s) sums.outages += weight(at_s);
  for (const NodeObservation::Period& period : node.observed) {
    const double from_s = std::max(period.began_s, now_s - window_s), to_s = std::min(period.ended_s, now_s);
    if (to_s <= from_s) continue;
    sums.hours += std::isinf(half_s) ? (to_s - from_s) / hour_s
                                     : (weight(to_s) - weight(from_s)) * half_s / std::numbers::ln2 / hour_s;
  }
  return sums;
}

// Returns the probability of an outage within this number of slots.
double over_slots(double slot_probability, double slots) {
  return -std::expm1(slots * std::log1p(-std::clamp(slot_probability, 0.0, 1.0 - 1e-12)));
}

}  // namespace

std::vector<double> outage_probabilities(std::span<const NodeObservation> nodes, OutageEstimator estimator,
                                         double now_s, double horizon_s) {
  const bool ages = estimator != OutageEstimator::moving_average;
  const double window_s = ages ? look_back_s : window_of_average_s;
  Sums all;
  for (const NodeObservation& node : nodes) {
    const Sums sums = sums_of(node, now_s, window_s, INFINITY);
    all.outages += sums.outages;
    all.hours += sums.hours;
  }
  const double rate = (guess_weight + all.outages) / (guess_weight * first_guess_s / hour_s + all.hours);
  std::vector<double> result;
  for (const NodeObservation& node : nodes) {
    const Sums sums = sums_of(node, now_s, window_s, ages ? half_life_s : INFINITY);
    double slot_probability = rate;
    if (estimator != OutageEstimator::beta)
      slot_probability = sums.outages / std::max(sums.hours, 1.0);
    else if (all.outages > 0)
      slot_probability = (prior_outages + sums.outages) / (prior_outages / rate + sums.hours);
    result.push_back(over_slots(slot_probability, horizon_s / hour_s));
  }
  return result;
}

}  // namespace placement::monitor
