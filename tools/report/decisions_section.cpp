// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "tools/output/decision_text.hpp"
#include "tools/output/text_table.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

constexpr std::size_t most_reasons = 30;

static std::string meaning(const std::string& outcome) {
  if (outcome.starts_with("stock")) return "Slurm's own choice";
  if (outcome.starts_with("nodes+cores")) return "the policy's nodes and cores";
  if (outcome.starts_with("nodes")) return "the policy's nodes";
  if (outcome.starts_with("advice")) return "computed and not used (Mode=observe or advise)";
  return "the job waits";
}

HtmlSection decisions_section(const ReportFacts& facts) {
  HtmlSection section{"decisions", "Decisions", {}};
  const DecisionInput& input = facts.decisions;
  if (!input.told_by.empty()) section.body += paragraph("Reported by " + input.told_by + ".", "quiet");
  for (const std::string& note : input.notes) section.body += paragraph("Not read: " + note, "quiet");
  if (input.decisions.empty())
    return section.without_data(missing(
        "decisions of slurmctld since " + shown_time(facts.since_s) + ".",
        input.notes.empty() ? "none is on record." : "none could be read, or none is on record.",
        "jobs that ask for a policy (srun -m TREEMATCH), or Mode=observe in placement.conf; placement-monitor keeps the "
        "decisions for longer than slurmctld's ring of the latest 1024."));
  const std::vector<DecisionSum> sums = sums_of(input.decisions);
  std::int64_t most = 1;
  for (const DecisionSum& sum : sums) most = std::max(most, sum.count);
  const StartSum starts = starts_of(input.decisions);
  const double share =
      starts.starts == 0 ? 0 : 100.0 * static_cast<double>(starts.stock) / static_cast<double>(starts.starts);
  section.body +=
      paragraph(std::to_string(input.decisions.size()) + " decisions, the first of " +
                shown_time(input.decisions.front().at_s) + ", the last of " + shown_time(input.decisions.back().at_s) +
                ". " + std::to_string(starts.starts) + " are about a start; " + std::to_string(starts.stock) + " (" +
                shown_number(share, 1) + " % of the starts) left the job to stock Slurm.");
  HtmlTable table("By policy and outcome; \"ahead\" means that the backfill scheduler asked where the job could run",
                  {{"Policy"},
                   {"Outcome"},
                   {"Meaning"},
                   {"Median time", true},
                   {"Longest", true},
                   {"Decisions", true},
                   {"Share of the most frequent"}});
  for (const DecisionSum& sum : sums) {
    table.add({sum.policy, sum.outcome, meaning(sum.outcome), shown_microseconds(sum.median_us),
               shown_microseconds(sum.most_us), std::to_string(sum.count)});
    table.add_drawing(bar(static_cast<double>(sum.count) / static_cast<double>(most)));
  }
  section.body += table.html();
  const auto reasons = stock_reasons(input.decisions, most_reasons);
  if (reasons.empty()) return section;
  HtmlTable why("Reasons for which jobs ran as stock, the most frequent first",
                {{"Reason"}, {"Decisions", true}, {"Share of the most frequent"}});
  for (const auto& [reason, count] : reasons) {
    why.add({reason, std::to_string(count)});
    why.add_drawing(bar(static_cast<double>(count) / static_cast<double>(reasons.front().second)));
  }
  section.body += "<h3>Why jobs ran as stock</h3>\n" + why.html();
  return section;
}

}  // namespace placement::tools
