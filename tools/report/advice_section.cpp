// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/advice.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

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
  section.body +=
      "</dl>\n" +
      paragraph(
          "\"yes\" and \"no\" need at least 30 jobs and a 90 % interval that is wholly on one side of stock, by 1 % or more; all else is \"undecided\".",
          "quiet");
  return section;
}

}  // namespace placement::tools
