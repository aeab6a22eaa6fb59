// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/sections.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "common/util/text.hpp"
#include "tools/output/decision_text.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

std::vector<PolicyGain> gains_of(std::span<const Decision> decisions, std::uint64_t seed) {
  struct Values {
    std::vector<double> logarithms;  // for each job, the logarithm of its cost / the cost of stock
    std::vector<std::uint32_t> users;
  };
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t>, const Decision*> last;  // decision of each start
  for (const Decision& d : decisions)
    if (d.for_start) last[{d.job_id, d.array_task, d.restarts}] = &d;
  std::map<std::pair<std::string, bool>, Values> policies;
  for (const auto& [start, d] : last) {
    if (d->outcome != DECISION_NODES && d->outcome != DECISION_CORES && d->outcome != DECISION_ADVICE) continue;
    const auto cost = parse_real(d->cost), stock = parse_real(d->first_nodes_cost);
    if (!cost || !stock || !(*cost > 0) || !(*stock > 0)) continue;
    Values& values = policies[{d->policy, d->outcome != DECISION_ADVICE}];
    values.logarithms.push_back(std::log(*cost / *stock));
    values.users.push_back(d->uid);
  }
  std::vector<PolicyGain> gains;
  for (const auto& [key, values] : policies) {
    PolicyGain gain;
    gain.policy = key.first;
    gain.used = key.second;
    gain.users = std::set<std::uint32_t>(values.users.begin(), values.users.end()).size();
    gain.by_jobs = sim::raised(sim::mean_interval(values.logarithms));
    if (gain.users >= gain_users)
      gain.by_users = sim::raised(sim::bootstrap_interval(values.logarithms, values.users, seed));
    gains.push_back(std::move(gain));
  }
  return gains;
}

const sim::MeanInterval& cautious(const PolicyGain& gain) {
  const bool users_wider =
      gain.by_users && gain.by_users->high - gain.by_users->low > gain.by_jobs.high - gain.by_jobs.low;
  return users_wider ? *gain.by_users : gain.by_jobs;
}

std::string shown_interval(const sim::MeanInterval& interval) {
  return interval.count < 2 ? "not known" : shown_number(interval.low) + " to " + shown_number(interval.high);
}

HtmlSection gains_section(const ReportFacts& facts) {
  HtmlSection section{"gains", "Gains on record", {}};
  const std::vector<PolicyGain> gains = gains_of(facts.decisions.decisions, facts.seed);
  if (gains.empty())
    return section.without_data(missing(
        "what policies gained.", "no decision on record has both the cost of its placement and that of stock.",
        "jobs with a communication matrix or a pattern (srun -m TREEMATCH=app.mat), whose record has both costs; "
        "Mode=observe leaves these jobs unchanged."));
  section.body += paragraph(
      "Cost of each placement divided by the cost of stock: Slurm's own nodes if they are on record, otherwise the first "
      "nodes that Slurm offered, in natural order. "
      "Cost is in hop-bytes, which measure network traffic and not time. Below 1.00 the policy is better. "
      "Means are geometric, intervals are of 90 %.");
  // The picture ends at 4 at most. The interval of two jobs can reach hundreds, which would hide the other intervals.
  double most = 1.2;
  for (const PolicyGain& gain : gains) most = std::min(std::max(most, cautious(gain).high), 4.0);
  HtmlTable table(
      "Cost divided by that of stock. The point is the mean, the line is the wider one of the two intervals, and the dashes "
      "are at 1.00 (stock)",
      {"Policy", "<Placements", "Jobs", "Users", "Mean", "Interval by jobs", "Interval by users",
       "<From 0 to " + shown_number(most, 1)});
  for (const PolicyGain& gain : gains) {
    const sim::MeanInterval& interval = cautious(gain);
    table.add({gain.policy, gain.used ? "used" : "not used (Mode=observe or advise)",
               std::to_string(gain.by_jobs.count), std::to_string(gain.users), shown_number(gain.by_jobs.mean),
               shown_interval(gain.by_jobs), gain.by_users ? shown_interval(*gain.by_users) : "too few users"});
    table.add_drawing(interval_drawing(gain.by_jobs.mean, interval.low, interval.high, most));
  }
  section.body += table.html();
  section.body += paragraph(
      "The interval by jobs is Student's t. It is too narrow if a few users have many similar jobs. "
      "The interval by users draws users instead of jobs (bootstrap of " +
          std::to_string(sim::bootstrap_draws) + " draws, seed " + std::to_string(facts.seed) + "). It requires " +
          std::to_string(gain_users) + " or more users.",
      "quiet");
  return section;
}

constexpr double least_gain = 0.01;          // a smaller difference, as a share of the cost of stock, does not count
constexpr std::int64_t least_jobs = 30;      // with fewer jobs the verdict stays open
constexpr double most_left_to_stock = 0.20;  // with a larger share of starts as stock, the advice is to find out why

// Rule 1: jobs that run as stock are looked at first.
static Advice about_starts(const ReportFacts& facts) {
  const auto [starts, stock] = starts_of(facts.decisions.decisions);
  Advice advice{starts_subject, Verdict::open, {}, {}};
  advice.reasons.push_back(std::to_string(stock) + " of " + std::to_string(starts) +
                           " recorded decisions about a start ended as stock.");
  if (!facts.mode.empty()) advice.reasons.push_back("Mode=" + facts.mode + " is in force in slurmctld.");
  if (starts < least_jobs) {
    advice.conclusion =
        "Collect " + std::to_string(least_jobs) +
        " decisions: request policies in jobs, or set Mode=observe, so that slurmctld only records its decisions.";
  } else if (static_cast<double>(stock) > most_left_to_stock * static_cast<double>(starts)) {
    advice.verdict = Verdict::no;
    advice.conclusion = "Find out why jobs run as stock before you change other settings.";
    for (const auto& [reason, times] : stock_reasons(facts.decisions.decisions, 3))
      advice.reasons.push_back(std::to_string(times) + " times: " + reason);
  } else {
    advice.verdict = Verdict::yes;
    advice.conclusion = "The policies found a placement in most decisions.";
  }
  return advice;
}

// Rules 2 and 3: a policy is recommended if its recorded costs are below those of stock. It is advised against if they
// are above. A verdict from placements that were used replaces one from placements that were only computed.
static Advice about_policy(const ReportFacts& facts, const std::string& policy) {
  Advice advice{policy, Verdict::open, "The records are inconclusive: observe it for longer (Mode=observe).", {}};
  for (const PolicyGain& gain : gains_of(facts.decisions.decisions, facts.seed)) {
    if (gain.policy != policy) continue;
    const sim::MeanInterval& cost = cautious(gain);
    advice.reasons.push_back("Cost divided by that of stock: " + shown_number(cost.mean) + ", 90 % interval " +
                             shown_number(cost.low) + " to " + shown_number(cost.high) + ", " +
                             std::to_string(cost.count) + " jobs of " + std::to_string(gain.users) + " users" +
                             (gain.used ? "." : ", computed and not used."));
    if (cost.count < least_jobs || gain.users < gain_users) continue;
    if (cost.low > 1 + least_gain) {
      advice.verdict = Verdict::no;
      advice.conclusion = "Use it only for jobs that request it: the recorded jobs cost more than under stock.";
    } else if (cost.high < 1 - least_gain) {
      advice.verdict = Verdict::yes;
      advice.conclusion = gain.used ? "Keep it on (Mode=enforce)." : "Switch it on (Mode=enforce).";
    }
  }
  return advice;
}

std::vector<Advice> advice_of(const ReportFacts& facts) {
  return {about_starts(facts), about_policy(facts, "TREEMATCH"), about_policy(facts, "NLA"),
          about_policy(facts, "TOFA")};
}

HtmlSection advice_section(const ReportFacts& facts) {
  HtmlSection section{"advice", "What to switch on", {}};
  section.body = "<dl class=\"verdict\">\n";
  for (const Advice& advice : advice_of(facts)) {
    const char* const kind = advice.verdict == Verdict::yes ? "yes" : advice.verdict == Verdict::no ? "no" : "open";
    section.body += "<dt>" + html_text(advice.subject) + " <span class=\"tag " + kind + "\">" +
                    (advice.verdict == Verdict::open ? "undecided" : kind) + "</span></dt>\n<dd>" +
                    paragraph(advice.conclusion) + "<ul class=\"plain quiet\">";
    for (const std::string& reason : advice.reasons) section.body += "<li>" + html_text(reason) + "</li>";
    section.body += "</ul></dd>\n";
  }
  section.body += "</dl>\n";
  return section;
}

}  // namespace placement::tools
