// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/failures.hpp"

#include <algorithm>
#include <cmath>

#include "sim/backfill.hpp"
#include "sim/engine.hpp"
#include "sim/rng_streams.hpp"

namespace placement::sim {

namespace {

constexpr double hour_us = 3600e6;

}  // namespace

Failures::Failures(const ReplayOptions& options, std::int32_t nodes)
    : options_(options),
      nodes_(nodes),
      random_(number_of(options.seed, Stream::failure, 0)) {
  double sum = 0;
  for (const double rate : options.failures_per_hour_of_node) rates_.push_back(sum += rate);
  draw();
}

// Draws the time of the next random failure. Nodes fail independently of each other, so that the failures of all nodes
// together are a Poisson process.
void Failures::draw() {
  const std::int64_t last_us = drawn_.time_us;
  drawn_.time_us = never_us;
  const double rate = rates_.empty() ? options_.node_failures_per_hour * nodes_ : rates_.back();
  if (rate <= 0) return;
  const double gap_hours = -std::log1p(-fraction(random_.next())) / rate;
  drawn_.time_us = last_us + 1 + static_cast<std::int64_t>(std::min(gap_hours, 1e6) * hour_us);
}

bool Failures::strikes(std::int32_t node) const {
  if (rates_.empty()) return options_.node_failures_per_hour > 0;
  return options_.failures_per_hour_of_node[static_cast<std::size_t>(node)] > 0;
}

// The next failure can be drawn anew, because the time to it does not depend on the time since the last one.
void Failures::rest_until(std::int64_t time_us) {
  drawn_.time_us = time_us;
  draw();
}

std::int64_t Failures::next_us() const {
  const auto& planned = options_.planned_failures;
  return planned_ < planned.size() ? std::min(planned[planned_].time_us, drawn_.time_us) : drawn_.time_us;
}

NodeFailure Failures::take() {
  const auto& planned = options_.planned_failures;
  if (planned_ < planned.size() && planned[planned_].time_us <= drawn_.time_us) return planned[planned_++];
  drawn_.repair_us = std::llround(options_.repair_hours * hour_us);
  if (rates_.empty()) {
    drawn_.node = random_.below(nodes_);
  } else {
    const double place = fraction(random_.next()) * rates_.back();
    drawn_.node = static_cast<std::int32_t>(std::upper_bound(rates_.begin(), rates_.end(), place) - rates_.begin());
  }
  const NodeFailure failure = drawn_;
  draw();
  return failure;
}

}  // namespace placement::sim
