// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/quadratic_assignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "common/util/random.hpp"
#include "mapping/tuning.hpp"

namespace placement::mapping {

using namespace tuning;

namespace {

// Returns the fall of the cost when two ranks exchange their places.
std::int64_t gain(std::span<const std::int64_t> traffic, std::span<const std::int64_t> distance,
                  const std::vector<std::int32_t>& place, std::size_t a, std::size_t b) {
  const std::size_t count = place.size();
  std::int64_t sum = 0;
  for (std::size_t other = 0; other < count; ++other) {
    if (other == a || other == b) continue;
    const auto at = [&](std::size_t rank) {
      return distance[static_cast<std::size_t>(place[rank]) * count + static_cast<std::size_t>(place[other])];
    };
    sum += (traffic[a * count + other] - traffic[b * count + other]) * (at(a) - at(b));
  }
  return sum;
}

void exchange(std::span<const std::int64_t> traffic, std::span<const std::int64_t> distance,
              std::vector<std::int32_t>& place) {
  for (bool better = true; better;) {
    better = false;
    for (std::size_t a = 0; a < place.size(); ++a)
      for (std::size_t b = a + 1; b < place.size(); ++b)
        if (gain(traffic, distance, place, a, b) > 0) {
          std::swap(place[a], place[b]);
          better = true;
        }
  }
}

// Tries all orders, rank by rank, and skips those whose lower bound is too high. The bound is the cost of the placed
// ranks plus the traffic of all other pairs times the least distance.
class ExactSearch {
 public:
  // `most`: the cost of some order.
  ExactSearch(std::span<const std::int64_t> traffic, std::span<const std::int64_t> distance, std::size_t count,
              std::int64_t most)
      : traffic_(traffic),
        distance_(distance),
        count_(count),
        taken_(count, false),
        rest_(count + 1, 0),
        best_cost_(most + 1) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < count * count; ++i)
      if (i / count != i % count) least = std::min(least, distance[i]);
    for (std::size_t rank = count; rank-- > 0;) {
      rest_[rank] = rest_[rank + 1];
      for (std::size_t other = 0; other < rank; ++other) rest_[rank] += traffic[rank * count + other] * least;
    }
  }

  std::vector<std::int32_t> run() {
    place(0, 0);
    return best_;
  }

 private:
  void place(std::size_t rank, std::int64_t cost) {
    if (cost + rest_[rank] >= best_cost_) return;
    if (rank == count_) {
      best_cost_ = cost;
      best_ = place_of_;
      return;
    }
    for (std::size_t place_here = 0; place_here < count_; ++place_here) {
      if (taken_[place_here]) continue;
      std::int64_t added = 0;
      for (std::size_t other = 0; other < rank; ++other)
        added += traffic_[rank * count_ + other] *
                 distance_[place_here * count_ + static_cast<std::size_t>(place_of_[other])];
      taken_[place_here] = true;
      place_of_.push_back(static_cast<std::int32_t>(place_here));
      place(rank + 1, cost + added);
      place_of_.pop_back();
      taken_[place_here] = false;
    }
  }

  std::span<const std::int64_t> traffic_, distance_;
  std::size_t count_;
  std::vector<bool> taken_;
  std::vector<std::int64_t> rest_;  // least cost of all pairs with a rank from this one on
  std::int64_t best_cost_;
  std::vector<std::int32_t> place_of_, best_;
};

}  // namespace

std::int64_t assignment_cost(std::span<const std::int64_t> traffic, std::span<const std::int64_t> distance,
                             std::span<const std::int32_t> place_of_rank) {
  const std::size_t count = place_of_rank.size();
  std::int64_t sum = 0;
  for (std::size_t rank = 0; rank < count; ++rank)
    for (std::size_t other = 0; other < rank; ++other)
      sum += traffic[rank * count + other] * distance[static_cast<std::size_t>(place_of_rank[rank]) * count +
                                                      static_cast<std::size_t>(place_of_rank[other])];
  return sum;
}

std::vector<std::int32_t> quadratic_assignment(std::span<const std::int64_t> traffic,
                                               std::span<const std::int64_t> distance, std::size_t count) {
  const bool exact = count <= most_ranks_assigned_exactly;
  Random random(1);
  std::vector<std::int32_t> best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int start = 0; start < (exact ? starts_of_exact_assignment : starts_of_assignment); ++start) {
    std::vector<std::int32_t> place(count);
    std::iota(place.begin(), place.end(), 0);
    if (start > 0) random.shuffle(place);
    exchange(traffic, distance, place);
    if (const std::int64_t cost = assignment_cost(traffic, distance, place); cost < least) {
      least = cost;
      best = place;
    }
  }
  return exact ? ExactSearch(traffic, distance, count, least).run() : best;
}

}  // namespace placement::mapping
