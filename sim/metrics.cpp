// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "common/util/random.hpp"

namespace placement::sim {

double student_t95(std::int64_t degrees) {
  constexpr double table[] = {6.3138, 2.9200, 2.3534, 2.1318};
  if (degrees <= 4) return table[degrees < 1 ? 0 : degrees - 1];
  // Cornish-Fisher expansion around the normal quantile z (Abramowitz and Stegun, 26.7.5).
  constexpr double z = 1.6448536269514722;
  constexpr double z2 = z * z;
  const double n = static_cast<double>(degrees);
  const double g1 = z * (z2 + 1) / 4;
  const double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return z + g1 / n + g2 / (n * n) + g3 / (n * n * n);
}

MeanInterval mean_interval(std::span<const double> values) {
  MeanInterval result;
  result.count = std::ssize(values);
  if (values.empty()) return result;
  const double n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  result.mean = result.low = result.high = sum / n;
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  const double half = student_t95(result.count - 1) * std::sqrt(squares / (n - 1) / n);
  result.low -= half;
  result.high += half;
  return result;
}

MeanInterval raised(MeanInterval logarithms) {
  for (double* value : {&logarithms.mean, &logarithms.low, &logarithms.high}) *value = std::exp(*value);
  return logarithms;
}

MeanInterval bootstrap_interval(std::span<const double> values, std::span<const std::uint32_t> group_of,
                                std::uint64_t seed) {
  MeanInterval result;
  result.count = std::ssize(values);
  if (values.empty()) return result;
  std::map<std::uint32_t, std::pair<double, double>> sums;  // of each group: sum and number of its values
  double all = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    auto& [sum, count] = sums[group_of[k]];
    sum += values[k];
    count += 1;
    all += values[k];
  }
  result.mean = result.low = result.high = all / static_cast<double>(values.size());
  if (sums.size() < 2) return result;
  std::vector<std::pair<double, double>> groups;
  for (const auto& [group, sum] : sums) groups.push_back(sum);
  Random random(seed);
  std::vector<double> means;
  for (int draw = 0; draw < bootstrap_draws; ++draw) {
    double sum = 0, count = 0;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const auto& [part, number] =
          groups[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(groups.size())))];
      sum += part;
      count += number;
    }
    means.push_back(sum / count);
  }
  std::sort(means.begin(), means.end());
  result.low = means[bootstrap_draws / 20];
  result.high = means[bootstrap_draws - 1 - bootstrap_draws / 20];
  return result;
}

PairedComparison compare_paired(std::span<const double> first, std::span<const double> second) {
  std::vector<double> differences;
  std::vector<double> logarithms;
  for (std::size_t k = 0; k < first.size(); ++k) {
    differences.push_back(first[k] - second[k]);
    if (first[k] > 0 && second[k] > 0) logarithms.push_back(std::log(first[k] / second[k]));
  }
  return {mean_interval(differences), raised(mean_interval(logarithms))};
}

namespace {

constexpr double us_per_second = 1e6;

double value_of(const LogJob& job, const JobOutcome& outcome, Measure measure) {
  const double submit_us = static_cast<double>(job.submit_s) * us_per_second;
  const double flow_s = (static_cast<double>(outcome.end_us) - submit_us) / us_per_second;
  switch (measure) {
    case Measure::flow: return flow_s;
    case Measure::wait: return (static_cast<double>(outcome.start_us) - submit_us) / us_per_second;
    case Measure::run: return static_cast<double>(outcome.run_us) / us_per_second;
    case Measure::stretch: return flow_s / static_cast<double>(job.run_s);
  }
  return 0;
}

bool counts(const JobOutcome& outcome, JobGroup group) {
  return outcome.end_us >= 0 && (group == JobGroup::all || outcome.has_matrix == (group == JobGroup::with_matrix));
}

// Fills in the counts and means that concern restarts and decisions.
void summarise_decisions(std::span<const LogJob> jobs, const Replay& replay, Summary& summary) {
  std::int64_t asked = 0;
  double ratios = 0, gains = 0, thinking_ms = 0;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    const JobOutcome& outcome = replay.outcomes[k];
    summary.restarts += outcome.restarts;
    if (outcome.end_us < 0) continue;
    summary.refused += outcome.refused;
    asked += outcome.asked;
    thinking_ms += static_cast<double>(outcome.thinking_us) / 1000;
    summary.longest_decision_ms =
        std::max(summary.longest_decision_ms, static_cast<double>(outcome.longest_thinking_us) / 1000);
    if (!outcome.has_matrix) continue;
    ++summary.with_matrix;
    ratios += outcome.ratio;
    gains += 1 - static_cast<double>(outcome.run_us) / us_per_second / static_cast<double>(jobs[k].run_s);
  }
  if (asked > 0) summary.decision_ms = thinking_ms / static_cast<double>(asked);
  if (summary.with_matrix == 0) return;
  summary.mean_ratio = ratios / static_cast<double>(summary.with_matrix);
  summary.mean_gain = gains / static_cast<double>(summary.with_matrix);
}

void summarise_sizes(const Machine& machine, std::span<const LogJob> jobs, const Replay& replay, Summary& summary) {
  struct Sums {
    std::int64_t jobs = 0, matrices = 0;
    double switches = 0, least = 0, ratios = 0;
  };
  std::vector<Sums> sums(33);
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    const JobOutcome& outcome = replay.outcomes[k];
    if (outcome.end_us < 0) continue;
    Sums& s = sums[std::bit_width(static_cast<std::uint32_t>(jobs[k].tasks - 1))];
    ++s.jobs;
    s.switches += outcome.switches;
    s.least += machine.least_switches(jobs[k].tasks);
    if (outcome.has_matrix) {
      ++s.matrices;
      s.ratios += outcome.ratio;
    }
  }
  double extra = 0;
  for (std::size_t bits = 0; bits < sums.size(); ++bits) {
    const Sums& s = sums[bits];
    if (s.jobs == 0) continue;
    const double n = static_cast<double>(s.jobs);
    summary.sizes.push_back({1 << bits, s.jobs, s.switches / n, s.least / n,
                             s.matrices > 0 ? s.ratios / static_cast<double>(s.matrices) : of_no_job});
    extra += s.switches - s.least;
  }
  if (summary.ended > 0) summary.extra_switches = extra / static_cast<double>(summary.ended);
}

}  // namespace

Summary summarise(const Machine& machine, std::span<const LogJob> jobs, const Replay& replay) {
  Summary summary;
  static_cast<ReplayTotals&>(summary) = replay;
  summary.jobs = std::ssize(jobs);
  summary.lost_core_hours = replay.lost_core_us / us_per_second / 3600;
  summary.makespan_s = static_cast<double>(replay.makespan_us) / us_per_second;
  if (replay.makespan_us > 0)
    summary.utilisation =
        replay.busy_core_us / static_cast<double>(replay.makespan_us) / static_cast<double>(machine.cores());
  std::vector<double> values;
  for (const Measure measure : all_measures) {
    values.clear();
    for (std::size_t k = 0; k < jobs.size(); ++k)
      if (counts(replay.outcomes[k], JobGroup::all)) values.push_back(value_of(jobs[k], replay.outcomes[k], measure));
    summary.measures[static_cast<int>(measure)] = mean_interval(values);
  }
  summarise_decisions(jobs, replay, summary);
  summarise_sizes(machine, jobs, replay, summary);
  if (replay.simulated_us > 0) {
    summary.largest_in_switch = replay.switch_room_core_us / static_cast<double>(replay.simulated_us);
    summary.largest_in_subtree = replay.subtree_room_core_us / static_cast<double>(replay.simulated_us);
  }
  return summary;
}

PairedComparison compare(std::span<const LogJob> jobs, const Replay& first, const Replay& second, Measure measure,
                         JobGroup group) {
  std::vector<double> a;
  std::vector<double> b;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (!counts(first.outcomes[k], group) || !counts(second.outcomes[k], group)) continue;
    a.push_back(value_of(jobs[k], first.outcomes[k], measure));
    b.push_back(value_of(jobs[k], second.outcomes[k], measure));
  }
  return compare_paired(a, b);
}

}  // namespace placement::sim
