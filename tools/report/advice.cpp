// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/advice.hpp"

#include "tools/output/decision_sums.hpp"
#include "tools/output/text_table.hpp"
#include "tools/report/gains.hpp"

namespace placement::tools {

namespace {

constexpr double least_gain = 0.01;          // share of the cost of stock that counts as a difference
constexpr std::int64_t least_jobs = 30;      // fewer jobs decide nothing
constexpr double most_left_to_stock = 0.20;  // share of the starts

// Rule 1: jobs that run as stock are looked at first.
Advice about_starts(const ReportFacts& facts) {
  const auto [starts, stock] = starts_of(facts.decisions.decisions);
  Advice advice{starts_subject, Verdict::open, {}, {}};
  advice.reasons.push_back(std::to_string(stock) + " of " + std::to_string(starts) +
                           " recorded decisions about a start ended as stock.");
  if (!facts.mode.empty()) advice.reasons.push_back("Mode=" + facts.mode + " is in force in slurmctld.");
  if (starts < least_jobs) {
    advice.conclusion =
        "Collect " + std::to_string(least_jobs) +
        " decisions: let jobs ask for policies, or set Mode=observe, with which slurmctld decides and changes nothing.";
  } else if (static_cast<double>(stock) > most_left_to_stock * static_cast<double>(starts)) {
    advice.verdict = Verdict::no;
    advice.conclusion = "Find out why jobs run as stock, before you switch anything else on.";
    for (const auto& [reason, times] : stock_reasons(facts.decisions.decisions, 3))
      advice.reasons.push_back(std::to_string(times) + " times: " + reason);
  } else {
    advice.verdict = Verdict::yes;
    advice.conclusion = "Most decisions are those of the policies.";
  }
  return advice;
}

// Rules 2 and 3: a policy is recommended, or not, if its recorded costs differ from those of stock. Placements that
// were used count before those that were only computed.
Advice about_policy(const ReportFacts& facts, const std::string& policy) {
  Advice advice{policy, Verdict::open, "The records do not decide: observe it for longer (Mode=observe).", {}};
  for (const PolicyGain& gain : gains_of(facts.decisions.decisions, facts.seed)) {
    if (gain.policy != policy) continue;
    const sim::MeanInterval& cost = cautious(gain);
    advice.reasons.push_back("Cost over that of stock: " + shown_number(cost.mean) + ", 90 % interval " +
                             shown_number(cost.low) + " to " + shown_number(cost.high) + ", " +
                             std::to_string(cost.count) + " jobs of " + std::to_string(gain.users) + " users" +
                             (gain.used ? "." : ", computed and not used."));
    if (cost.count < least_jobs || gain.users < gain_users) continue;
    if (cost.low > 1 + least_gain) {
      advice.verdict = Verdict::no;
      advice.conclusion = "Leave it to jobs that ask for it: these jobs cost more than under stock.";
    } else if (cost.high < 1 - least_gain) {
      advice.verdict = Verdict::yes;
      advice.conclusion = gain.used ? "Keep it on (Mode=enforce)." : "Switch it on (Mode=enforce).";
    }
  }
  return advice;
}

}  // namespace

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
