// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "tools/output/text_table.hpp"
#include "tools/report/gains.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

std::string shown_interval(const sim::MeanInterval& interval) {
  return interval.count < 2 ? "not known" : shown_number(interval.low) + " to " + shown_number(interval.high);
}

HtmlSection gains_section(const ReportFacts& facts) {
  HtmlSection section{"gains", "Gains on record", {}};
  const std::vector<PolicyGain> gains = gains_of(facts.decisions.decisions, facts.seed);
  section.has_data = !gains.empty();
  if (!section.has_data) {
    section.body = missing(
        "what policies gained.", "no decision on record has both the cost of its placement and that of stock.",
        "jobs with a communication matrix or a pattern (srun -m TREEMATCH=app.mat), whose record has both costs; "
        "with Mode=observe nothing is changed for them.");
    return section;
  }
  section.body += paragraph(
      "Cost of each placement over that of stock, which is natural order on the first nodes that Slurm offered: hop-bytes, a measure of "
      "traffic on the network and not of time. Below 1.00 the policy is better. Means are geometric, intervals hold with 90 %.");
  // The picture ends at 4 at the latest: the interval of two jobs may reach to some hundreds, beside which no other is
  // seen.
  double most = 1.2;
  for (const PolicyGain& gain : gains) most = std::min(std::max(most, cautious(gain).high), 4.0);
  HtmlTable table(
      "Cost over that of stock; in the picture the point is the mean, the line its wider interval, and the dashes are at 1.00, stock",
      {{"Policy"},
       {"Placements"},
       {"Jobs", true},
       {"Users", true},
       {"Mean", true},
       {"Interval by jobs", true},
       {"Interval by users", true},
       {"From 0 to " + shown_number(most, 1)}});
  for (const PolicyGain& gain : gains) {
    const sim::MeanInterval& interval = cautious(gain);
    table.add({gain.policy, gain.used ? "used" : "not used (Mode=observe or advise)",
               std::to_string(gain.by_jobs.count), std::to_string(gain.users), shown_number(gain.by_jobs.mean),
               shown_interval(gain.by_jobs), gain.by_users ? shown_interval(*gain.by_users) : "too few users"});
    table.add_drawing(interval_drawing(gain.by_jobs.mean, interval.low, interval.high, most));
  }
  section.body += table.html();
  section.body += paragraph(
      "The interval by jobs is Student's t. The jobs of one user are alike, so that it is too narrow where few users have many jobs; the interval by users "
      "draws users in place of jobs (bootstrap of " +
          std::to_string(sim::bootstrap_draws) + " draws, seed " + std::to_string(facts.seed) + ", from " +
          std::to_string(gain_users) + " users on).",
      "quiet");
  return section;
}

}  // namespace placement::tools
