// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace placement::sim {

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
