// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/assignment.hpp"

#include <limits>

namespace placement::mapping {

namespace {

constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max() / 2;

// The state of the search. Job 0 is a place for the worker that is being added; the jobs of the caller are 1 to count.
struct Assignment {
  Assignment(std::span<const std::int64_t> cost, std::size_t workers, std::size_t jobs)
      : cost(cost),
        count(jobs),
        worker_price(workers + 1, 0),
        job_price(jobs + 1, 0),
        worker_of(jobs + 1, 0) {}

  void add(std::size_t worker);

  std::span<const std::int64_t> cost;
  std::size_t count;  // number of jobs
  // cost - worker_price - job_price is at least 0, and 0 for each worker and its job.
  std::vector<std::int64_t> worker_price, job_price;
  std::vector<std::size_t> worker_of;  // the worker of each job, from 1; 0: none
};

// Assigns a job to the worker (from 1). Reassigns others along the cheapest path of exchanges that ends at a free job.
void Assignment::add(std::size_t worker) {
  std::vector<std::int64_t> distance(count + 1, endless);
  std::vector<std::size_t> before(count + 1, 0);
  std::vector<bool> reached(count + 1, false);
  std::size_t at = 0;
  worker_of[0] = worker;
  while (worker_of[at] != 0) {
    reached[at] = true;
    const std::size_t from = worker_of[at];
    std::size_t next = 0;
    for (std::size_t job = 1; job <= count; ++job) {
      if (reached[job]) continue;
      const std::int64_t reduced = cost[(from - 1) * count + job - 1] - worker_price[from] - job_price[job];
      if (reduced < distance[job]) {
        distance[job] = reduced;
        before[job] = at;
      }
      if (next == 0 || distance[job] < distance[next]) next = job;
    }
    const std::int64_t step = distance[next];
    for (std::size_t job = 0; job <= count; ++job) {
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

}  // namespace

std::vector<std::int32_t> least_cost_assignment(std::span<const std::int64_t> cost, std::size_t workers,
                                                std::size_t jobs) {
  Assignment assignment(cost, workers, jobs);
  for (std::size_t worker = 1; worker <= workers; ++worker) assignment.add(worker);
  std::vector<std::int32_t> job_of(workers, 0);
  for (std::size_t job = 1; job <= jobs; ++job)
    if (assignment.worker_of[job] != 0) job_of[assignment.worker_of[job] - 1] = static_cast<std::int32_t>(job - 1);
  return job_of;
}

}  // namespace placement::mapping
