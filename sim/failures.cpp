// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/failures.hpp"

#include <algorithm>
#include <cmath>

#include "sim/running_jobs.hpp"
#include "sim/engine.hpp"

namespace placement::sim {

constexpr double us_per_hour = 3600e6;

Failures::Failures(const ReplayOptions& options, std::int32_t nodes)
    : options_(options),
      random_(number_of(options.seed, Stream::failure, 0)) {
  for (std::int32_t node = 0; node < nodes; ++node) draw(node, 0);
}

// Draws the next random failure of a node that is up from `from_us` on. The time until the failure has an exponential
// distribution.
void Failures::draw(std::int32_t node, std::int64_t from_us) {
  const auto& rates = options_.failures_per_hour_of_node;
  const double rate = rates.empty() ? options_.node_failures_per_hour : rates[static_cast<std::size_t>(node)];
  if (rate <= 0) return;
  const double gap_hours = -std::log1p(-fraction(random_.next())) / rate;
  drawn_.emplace(from_us + 1 + static_cast<std::int64_t>(std::min(gap_hours, 1e6) * us_per_hour), node);
}

std::int64_t Failures::next_us() const {
  const auto& planned = options_.planned_failures;
  return std::min(planned_ < planned.size() ? planned[planned_].time_us : never_us,
                  drawn_.empty() ? never_us : drawn_.begin()->first);
}

NodeFailure Failures::take() {
  const auto& planned = options_.planned_failures;
  if (planned_ < planned.size() && planned[planned_].time_us == next_us()) return planned[planned_++];
  const auto [time_us, node] = *drawn_.begin();
  const std::int64_t repair_us = std::llround(options_.repair_hours * us_per_hour);
  drawn_.erase(drawn_.begin());
  draw(node, time_us + repair_us);
  return {time_us, node, repair_us};
}

}  // namespace placement::sim
