// SPDX-License-Identifier: GPL-2.0-or-later
// Random failures of nodes agree with their rates: the counts are those of a Poisson process, within four standard
// deviations.
#include <cmath>
#include <utility>
#include <vector>

#include "common/state/outage_file.hpp"
#include "sim/failures.hpp"
#include "sim/machine.hpp"
#include "tests/check.hpp"
#include "tests/sim/simulate_machines.hpp"

using namespace placement;
using namespace placement::sim;

namespace {

constexpr double hour_us = 3600e6;

void check_count(std::int64_t count, double expected, double variance) {
  ck_assert_msg(std::abs(static_cast<double>(count) - expected) <= 4 * std::sqrt(variance),
                "%lld in place of %.1f +- %.1f", static_cast<long long>(count), expected, std::sqrt(variance));
}

void check_poisson(std::int64_t count, double expected) { check_count(count, expected, expected); }

// Returns the random failures within `hours` hours, in the order of time.
std::vector<NodeFailure> failures_within(const ReplayOptions& options, std::int32_t nodes, double hours) {
  Failures failures(options, nodes);
  std::vector<NodeFailure> result;
  while (static_cast<double>(failures.next_us()) < hours * hour_us) {
    const std::int64_t time_us = failures.next_us();
    result.push_back(failures.take());
    ck_assert_int_eq(result.back().time_us, time_us);
    ck_assert_int_le(result.size() > 1 ? result[result.size() - 2].time_us : 0, time_us);
  }
  return result;
}

std::vector<std::int64_t> per_node(const std::vector<NodeFailure>& failures, std::int32_t nodes) {
  std::vector<std::int64_t> count(static_cast<std::size_t>(nodes), 0);
  for (const NodeFailure& failure : failures) ++count.at(static_cast<std::size_t>(failure.node));
  return count;
}

ReplayOptions with_rates(std::vector<double> rates, std::uint64_t seed) {
  ReplayOptions options;
  options.failures_per_hour_of_node = std::move(rates);
  options.repair_hours = 0;
  options.seed = seed;
  return options;
}

Replay replay_stock(const Machine& machine, const std::vector<LogJob>& jobs, const ReplayOptions& options) {
  return replay(machine, jobs, parse_strategy("SLURM"), PatternSource(parse_pattern("random")), options);
}

}  // namespace

START_TEST(as_many_as_equal_rates_say) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ReplayOptions options;
    options.node_failures_per_hour = 0.01;
    options.repair_hours = 0;
    options.seed = seed;
    const auto failures = failures_within(options, 32, 5000);
    check_poisson(std::ssize(failures), 0.01 * 32 * 5000);
    for (const std::int64_t count : per_node(failures, 32)) check_poisson(count, 0.01 * 5000);
    // The failures are not too evenly spread: the counts of single hours vary like those of a Poisson process. The
    // variance of (count - mean)^2 is mean + 2 mean^2.
    std::vector<double> in_hour(5000, 0);
    for (const NodeFailure& failure : failures)
      ++in_hour[static_cast<std::size_t>(static_cast<double>(failure.time_us) / hour_us)];
    double squares = 0;
    for (const double count : in_hour) squares += (count - 0.32) * (count - 0.32);
    ck_assert_double_le(std::abs(squares - 0.32 * 5000), 4 * std::sqrt((0.32 + 2 * 0.32 * 0.32) * 5000));
  }
}
END_TEST

START_TEST(as_many_as_each_nodes_rate_says) {
  const std::vector<double> rates{0, 0.5, 0.02, 0, 0.1, 0.02};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto failures = failures_within(with_rates(rates, seed), 6, 2000);
    check_poisson(std::ssize(failures), 0.64 * 2000);
    const auto count = per_node(failures, 6);
    for (std::size_t n = 0; n < rates.size(); ++n) check_poisson(count[n], rates[n] * 2000);
  }
}
END_TEST

// An outage probability is the probability of at least one failure within the hours of --outage-hours.
START_TEST(within_its_hours_a_node_fails_with_its_probability) {
  const std::vector<double> probability{0.02, 0.3, 0, 0.9};
  constexpr double hours = 3;
  constexpr std::int64_t windows = 3000;
  ClusterView view = machine_of({4}, 1, 1).view();
  NodeOutages outages;
  for (std::size_t n = 0; n < probability.size(); ++n) outages.set("n" + std::to_string(n), probability[n]);
  attach_outages(view, outages, hours * 3600, "outages");
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<std::int64_t> last(4, -1), struck(4, 0);
    for (const NodeFailure& failure : failures_within(with_rates(failure_rates(view), seed), 4, hours * windows)) {
      const auto n = static_cast<std::size_t>(failure.node);
      const auto window = static_cast<std::int64_t>(static_cast<double>(failure.time_us) / (hours * hour_us));
      if (std::exchange(last[n], window) != window) ++struck[n];
    }
    for (std::size_t n = 0; n < 4; ++n)
      check_count(struck[n], probability[n] * windows, probability[n] * (1 - probability[n]) * windows);
  }
}
END_TEST

// Only a node that is up can fail. The hours in which it was down do not count.
START_TEST(a_replay_has_the_failures_of_the_hours_up) {
  constexpr double rate = 0.05, repair_hours = 2, hours = 4000;
  const Machine machine = machine_of({4, 4}, 1, 1);
  // One job on node 0, which does not fail, keeps the replay running.
  std::vector<double> rates(8, rate);
  rates[0] = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ReplayOptions options = with_rates(rates, seed);
    options.repair_hours = repair_hours;
    const auto seconds = static_cast<std::int64_t>(hours * 3600);
    const Replay replay = replay_stock(machine, {job_of(0, seconds, seconds, 1)}, options);
    ck_assert_int_eq(replay.outcomes[0].restarts, 0);
    ck_assert_int_eq(replay.makespan_us, seconds * 1000000);
    const double up = 7 * hours - repair_hours * static_cast<double>(replay.node_failures);
    check_poisson(replay.node_failures, rate * up);
  }
}
END_TEST

// The jobs run for an hour on nodes that fail with probability p within an hour. Each try fails with this probability,
// independently of earlier tries.
START_TEST(tries_fail_with_the_probability_of_their_nodes) {
  constexpr double p = 0.2;
  constexpr std::int32_t jobs = 2000;
  const Machine machine = machine_of({10, 10}, 1, 1);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    ReplayOptions options;
    options.node_failures_per_hour = -std::log1p(-p);
    options.repair_hours = 0;
    options.seed = seed;
    const Replay replay = replay_stock(machine, std::vector<LogJob>(jobs, job_of(0, 3600, 3600, 1)), options);
    ck_assert_int_eq(replay.ended, jobs);
    std::int64_t restarts = 0;
    for (const JobOutcome& outcome : replay.outcomes) restarts += outcome.restarts;
    ck_assert_int_le(restarts, replay.node_failures);
    check_count(restarts, jobs * p / (1 - p), jobs * p / (1 - p) / (1 - p));
  }
}
END_TEST

// placectl-simulate(1): a job that failures have started again 100 times is given up at the next one.
START_TEST(a_job_is_given_up_after_a_hundred_restarts) {
  const Machine machine = machine_of({1}, 1, 4);
  constexpr std::int64_t second = 1'000'000, hour = 3600 * second;
  for (const std::int64_t failures : {100, 101}) {
    ReplayOptions options;
    for (std::int64_t k = 1; k <= failures; ++k) options.planned_failures.push_back({k * hour, 0, second});
    const Replay replay = replay_stock(machine, {job_of(0, 7200, 7200, 4)}, options);
    ck_assert_int_eq(replay.outcomes[0].restarts, 100);
    ck_assert_int_eq(replay.outcomes[0].given_up, failures == 101);
    ck_assert_int_eq(replay.given_up, failures == 101);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("simulate_failures");
  TCase* all = tcase_create("all");
  tcase_add_test(all, as_many_as_equal_rates_say);
  tcase_add_test(all, as_many_as_each_nodes_rate_says);
  tcase_add_test(all, within_its_hours_a_node_fails_with_its_probability);
  tcase_add_test(all, a_replay_has_the_failures_of_the_hours_up);
  tcase_add_test(all, tries_fail_with_the_probability_of_their_nodes);
  tcase_add_test(all, a_job_is_given_up_after_a_hundred_restarts);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
