// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/assignment.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "common/util/random.hpp"
#include "common/util/sequence.hpp"
#include "mapping/tuning.hpp"

namespace placement::mapping {

using namespace tuning;

namespace {

constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max() / 2;

// Returns the fall of the cost when two ranks exchange their places.
std::int64_t gain(std::span<const std::int64_t> traffic, std::span<const std::int64_t> distance,
                  const std::vector<std::int32_t>& place, std::size_t a, std::size_t b) {
  const std::size_t count = place.size();
  std::int64_t sum = 0;
  for (std::size_t other = 0; other < count; ++other) {
    if (other == a || other == b) continue;
    const auto at = [&](std::size_t rank) { return distance[place[rank] * count + place[other]]; };
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

// Returns the first order with the least cost, out of all orders. Skips orders whose first ranks alone cost too much.
// The bound is the cost of the first ranks plus the traffic of all other pairs times the least distance.
//   most  the cost of any order, as the first upper limit
std::vector<std::int32_t> best_order(std::span<const std::int64_t> traffic, std::span<const std::int64_t> distance,
                                     std::size_t count, std::int64_t most) {
  std::int64_t least_distance = endless;
  for (std::size_t i = 0; i < count * count; ++i)
    if (i / count != i % count) least_distance = std::min(least_distance, distance[i]);
  std::vector<std::int64_t> rest(count + 1, 0);  // least cost of all pairs with a rank from this one on
  for (std::size_t rank = count; rank-- > 0;) {
    rest[rank] = rest[rank + 1];
    for (std::size_t other = 0; other < rank; ++other) rest[rank] += traffic[rank * count + other] * least_distance;
  }
  std::vector<std::int32_t> place = numbers(count), best;
  std::int64_t best_cost = most + 1;
  do {
    std::int64_t cost = 0;
    std::size_t rank = 0;
    for (; rank < count && cost + rest[rank] < best_cost; ++rank)
      for (std::size_t other = 0; other < rank; ++other)
        cost += traffic[rank * count + other] * distance[place[rank] * count + place[other]];
    if (rank == count && cost < best_cost) {
      best_cost = cost;
      best = place;
    }
    std::sort(place.begin() + rank, place.end(), std::greater<>());  // the next order has other first ranks
  } while (std::next_permutation(place.begin(), place.end()));
  return best;
}

}  // namespace

// In the code, job 0 holds the worker that is being added; the jobs of the caller are 1 to `jobs`.
std::vector<std::int32_t> least_cost_assignment(std::span<const std::int64_t> cost, std::size_t workers,
                                                std::size_t jobs) {
  // cost - worker_price - job_price is at least 0, and 0 for each worker and its job.
  std::vector<std::int64_t> worker_price(workers + 1, 0), job_price(jobs + 1, 0);
  std::vector<std::size_t> worker_of(jobs + 1, 0);  // the worker of each job, from 1; 0: none
  for (std::size_t worker = 1; worker <= workers; ++worker) {
    // Assigns a job to the worker. Reassigns other workers along the cheapest path of exchanges to a free job.
    std::vector<std::int64_t> distance(jobs + 1, endless);
    std::vector<std::size_t> before(jobs + 1, 0);
    std::vector<bool> reached(jobs + 1, false);
    std::size_t at = 0;
    worker_of[0] = worker;
    while (worker_of[at] != 0) {
      reached[at] = true;
      const std::size_t from = worker_of[at];
      std::size_t next = 0;
      for (std::size_t job = 1; job <= jobs; ++job) {
        if (reached[job]) continue;
        const std::int64_t reduced = cost[(from - 1) * jobs + job - 1] - worker_price[from] - job_price[job];
        if (reduced < distance[job]) {
          distance[job] = reduced;
          before[job] = at;
        }
        if (next == 0 || distance[job] < distance[next]) next = job;
      }
      const std::int64_t step = distance[next];
      for (std::size_t job = 0; job <= jobs; ++job) {
        if (reached[job]) {
          worker_price[worker_of[job]] += step;
          job_price[job] -= step;
        } else {
          distance[job] -= step;
        }
      }
      at = next;
    }
    for (; at != 0; at = before[at]) worker_of[at] = worker_of[before[at]];
  }
  std::vector<std::int32_t> job_of(workers, 0);
  for (std::size_t job = 1; job <= jobs; ++job)
    if (worker_of[job] != 0) job_of[worker_of[job] - 1] = static_cast<std::int32_t>(job - 1);
  return job_of;
}

std::int64_t assignment_cost(std::span<const std::int64_t> traffic, std::span<const std::int64_t> distance,
                             std::span<const std::int32_t> place_of_rank) {
  const std::size_t count = place_of_rank.size();
  std::int64_t sum = 0;
  for (std::size_t rank = 0; rank < count; ++rank)
    for (std::size_t other = 0; other < rank; ++other)
      sum += traffic[rank * count + other] * distance[place_of_rank[rank] * count + place_of_rank[other]];
  return sum;
}

std::vector<std::int32_t> quadratic_assignment(std::span<const std::int64_t> traffic,
                                               std::span<const std::int64_t> distance, std::size_t count) {
  const bool exact = count <= most_ranks_assigned_exactly;
  Random random(1);
  std::vector<std::int32_t> best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int start = 0; start < (exact ? starts_of_exact_assignment : starts_of_assignment); ++start) {
    std::vector<std::int32_t> place = numbers(count);
    if (start > 0) random.shuffle(place);
    exchange(traffic, distance, place);
    if (const std::int64_t cost = assignment_cost(traffic, distance, place); cost < least) {
      least = cost;
      best = place;
    }
  }
  return exact ? best_order(traffic, distance, count, least) : best;
}

}  // namespace placement::mapping
