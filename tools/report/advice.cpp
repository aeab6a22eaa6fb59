// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/advice.hpp"

#include <algorithm>
#include <span>

#include "tools/output/decision_sums.hpp"
#include "tools/output/text_table.hpp"
#include "tools/report/gains.hpp"

namespace placement::tools {

namespace {

std::string percent(double share, int digits = 0) { return shown_number(100 * share, digits) + " %"; }

std::string interval_text(const sim::MeanInterval& interval) {
  const std::string mean = shown_number(interval.mean), low = shown_number(interval.low),
                    high = shown_number(interval.high);
  const std::string text =
      mean + (interval.count == 1 ? " for 1 job" : " in the mean of " + std::to_string(interval.count) + " jobs");
  if (!interval.has_interval()) return text;
  return text + (low == high ? " (with 90 % confidence, to within 0.01)"
                             : " (with 90 % confidence, from " + low + " to " + high + ")");
}

// Returns whether slurmctld makes decisions now.
bool decides(const ReportFacts& facts) { return !facts.mode.empty() && facts.mode != "off"; }

// What an interval of ratios says, where above 1 is better than stock.
Verdict verdict_of(const sim::MeanInterval& better) {
  if (better.count < least_jobs) return Verdict::open;
  if (better.low > 1 + least_gain) return Verdict::yes;
  return better.high < 1 - least_gain ? Verdict::no : Verdict::open;
}

sim::MeanInterval inverted(sim::MeanInterval interval) {
  return {interval.count, 1 / interval.mean, 1 / interval.high, 1 / interval.low};
}

// Adds what the records of a policy say of its costs. Returns their verdict: that of placements which were used before
// that of placements which were only computed. Sets `on` if some were used.
Verdict by_records(const ReportFacts& facts, const std::string& policy, Advice& advice, bool& on) {
  Verdict verdict = Verdict::open;
  for (const PolicyGain& gain : gains_of(facts.decisions.decisions, facts.seed)) {
    if (gain.policy != policy) continue;
    advice.reasons.push_back("By its records, cost over that of stock is " + interval_text(cautious(gain)) +
                             (gain.used ? "." : ", computed and not used."));
    // Jobs of one user are often alike, so that the interval over jobs of few users is too narrow.
    if (gain.users < gain_users) {
      on = on || gain.used;
      advice.reasons.back() += " They are of " + std::to_string(gain.users) +
                               (gain.users == 1 ? " user; " : " users; ") + std::to_string(gain_users) +
                               " are the least to go by.";
      continue;
    }
    const Verdict of_these = verdict_of(inverted(cautious(gain)));
    if (of_these != Verdict::open && (verdict == Verdict::open || gain.used)) verdict = of_these;
    on = on || gain.used;
  }
  return verdict;
}

// Adds what a replay says of a strategy against stock Slurm. `by_matrix`: it places jobs without a matrix as stock
// does, so that its run times are compared by those with one. Returns its verdict.
Verdict by_replay(std::span<const sim::LogJob> jobs, const sim::Replay& stock, const sim::Replay& other,
                  const std::string& where, bool by_matrix, Advice& advice) {
  const auto matrices =
      std::ranges::count_if(other.outcomes, [](const sim::JobOutcome& job) { return job.has_matrix; });
  if (by_matrix && matrices == 0) {
    advice.reasons.push_back("In the replay" + where + " no job has a matrix, so that it says nothing of " +
                             other.strategy + ".");
    return Verdict::open;
  }
  const auto ratio = [&](sim::Measure measure, sim::JobGroup group) {
    return sim::compare(jobs, stock, other, measure, group).ratio;
  };
  const sim::MeanInterval run = ratio(sim::Measure::run, by_matrix ? sim::JobGroup::with_matrix : sim::JobGroup::all);
  const sim::MeanInterval flow = ratio(sim::Measure::flow, sim::JobGroup::all);
  advice.reasons.push_back("In the replay" + where + ", stock over " + other.strategy + " is " + interval_text(run) +
                           " for run times" + (by_matrix ? " with a matrix" : "") + ", and " + interval_text(flow) +
                           " from submission to end; with assumed matrices of " + std::to_string(matrices) + " jobs.");
  if (by_matrix && matrices < least_jobs) return Verdict::open;
  return verdict_of(flow) == Verdict::no ? Verdict::no : verdict_of(run);
}

// Adds what the replay by the state of one moment says of a policy. Returns its verdict.
Verdict by_state(const ReportFacts& facts, const std::string& policy, Advice& advice) {
  if (!facts.replay) return Verdict::open;
  for (const StateReplay& one : facts.replay->by_state)
    if (one.policy == policy && !one.replays.empty())
      return by_replay(one.sample, one.replays.front(), one.replays.back(), " by " + one.state, false, advice);
  return Verdict::open;
}

// Adds what the replay of the site's jobs says of TREEMATCH. Returns the verdict of its strategy.
Verdict by_jobs(const ReportFacts& facts, Advice& advice) {
  Verdict verdict = Verdict::open;
  if (!facts.replay) {
    advice.reasons.push_back("There is no replay of the site's jobs: " + facts.why_no_replay);
    return verdict;
  }
  for (std::size_t k = 1; k < facts.replay->replays.size(); ++k) {
    const sim::Replay& one = facts.replay->replays[k];
    const Verdict of_one = by_replay(facts.replay->sample, facts.replay->replays.front(), one, "", true, advice);
    if (one.strategy == "TM-Isub" || one.strategy.starts_with("TREEMATCH")) verdict = of_one;
  }
  return verdict;
}

// Judges a policy. The records of real jobs decide; a replay can only advise against it, or to observe it.
Advice about_policy(const ReportFacts& facts, const std::string& policy) {
  Advice advice{policy, Verdict::open, "The data do not decide.", {}};
  const bool by_matrix = policy == "TREEMATCH";
  if (!by_matrix && !facts.state) advice.reasons.push_back("There are no live data: " + facts.why_no_state);
  const Verdict replayed = by_matrix ? by_jobs(facts, advice) : by_state(facts, policy, advice);
  bool on = false;
  const Verdict recorded = by_records(facts, policy, advice, on);
  if (recorded == Verdict::no || (recorded == Verdict::open && replayed == Verdict::no)) {
    advice.verdict = Verdict::no;
    advice.conclusion = "Leave it to jobs that ask for it: on these jobs it costs more than stock.";
  } else if (recorded == Verdict::yes) {
    advice.verdict = Verdict::yes;
    advice.conclusion = std::string(on ? "Keep it on" : "Switch it on") + " (Mode=enforce) for jobs that ask for it.";
  } else if (replayed == Verdict::yes) {
    advice.conclusion = std::string("It promises a gain, and no record of real jobs confirms it yet: ") +
                        (decides(facts) ? "" : "switch on Mode=observe and ") + "look again in a month.";
  }
  return advice;
}

Advice mend_first(const ReportFacts& facts) {
  Advice advice{decided_subject, Verdict::open, {}, {}};
  const auto [count, stock] = starts_of(facts.decisions.decisions);
  if (count < least_jobs) {
    advice.conclusion =
        decides(facts)
            ? "Collect decisions: let jobs ask for policies, as with srun -m TREEMATCH=app.mat."
            : "Collect decisions: put Mode=observe into placement.conf. slurmctld then decides and records, and changes nothing.";
    advice.reasons.push_back("Only " + std::to_string(count) + " decisions about a start are on record; " +
                             std::to_string(least_jobs) + " are the least to go by.");
  } else if (stock * 5 > count) {
    advice.verdict = Verdict::no;
    advice.conclusion = "Find out why jobs run as stock, before you switch anything else on.";
    advice.reasons.push_back(std::to_string(stock) + " of " + std::to_string(count) + " decisions about a start (" +
                             percent(static_cast<double>(stock) / static_cast<double>(count)) + ") ended as stock.");
    for (const auto& [reason, times] : stock_reasons(facts.decisions.decisions, 3))
      advice.reasons.push_back(std::to_string(times) + " times: " + reason);
  } else {
    advice.verdict = Verdict::yes;
    advice.conclusion = "Nothing is in the way: most decisions are the policies' own.";
    advice.reasons.push_back(std::to_string(stock) + " of " + std::to_string(count) +
                             " decisions about a start ended as stock.");
  }
  if (!facts.mode.empty()) advice.reasons.push_back("Mode=" + facts.mode + " is in force in slurmctld.");
  return advice;
}

}  // namespace

std::vector<Advice> advice_of(const ReportFacts& facts) {
  return {mend_first(facts), about_policy(facts, "TREEMATCH"), about_policy(facts, "NLA"), about_policy(facts, "TOFA")};
}

}  // namespace placement::tools
