// SPDX-License-Identifier: GPL-2.0-or-later
// The page of placectl report has all names and reasons of the cluster as text.
#include "common/state/pair_arrays.hpp"
#include "tests/check.hpp"
#include "tools/report/html.hpp"
#include "tools/report/sections.hpp"

using namespace placement;
using namespace placement::tools;

namespace {

const std::string hostile = "</style></text><script>alert('x')</script>\"onload=\"x&amp;\n\x01\xff\xe2\x80\xae";

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

ReportFacts hostile_facts() {
  ReportFacts facts;
  facts.since_s = 1700000000;
  facts.why_no_occupancy = facts.why_no_machine = hostile;
  facts.state = StateInput{hostile, {}, 3};
  facts.state_described = hostile;
  for (const char* name : {"a", "b"}) {
    NodeState node;
    node.name = name + hostile;
    node.liveness = Liveness::down;
    facts.state->state.nodes.push_back(node);
  }
  PairArrays pairs(2, {0, 1});
  pairs.set(0, 1, {50, 1e8F, 1e9F, PairSource::measured, 1});
  facts.state->state.pairs = pair_table(std::move(pairs));
  Decision decision;
  decision.policy = decision.reason = hostile;
  facts.decisions = {{decision}, {hostile}, {}, hostile};
  return facts;
}

}  // namespace

START_TEST(text_is_only_text) {
  ck_assert_text_eq(html_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  ck_assert_text_eq(html_text("tab\tline\nbell\a del\x7f"), "tab?line?bell? del?");
  ck_assert_text_eq(html_text("n\xc3\xb6 \xe2\x82\xac \xff \xc3"), "n\xc3\xb6 \xe2\x82\xac ? ?");
  ck_assert_text_eq(html_text("\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xe2\x80\xa8\xef\xbb\xbf\xc2\x85\xd8\x9c"),
                    "???????");
}
END_TEST

START_TEST(hostile_names_stay_text) {
  const ReportFacts facts = hostile_facts();
  const std::vector<HtmlSection> sections = {cluster_section(facts), pairs_section(facts), decisions_section(facts)};
  const std::string page = html_page(hostile, "", sections);
  ck_assert_uint_eq(count_of(page, "<script"), 0);
  ck_assert_uint_eq(count_of(page, "</style>"), 1);
  ck_assert_uint_eq(count_of(page, "\"onload"), 0);
  ck_assert_uint_eq(count_of(page, "\x01"), 0);
  ck_assert_uint_gt(count_of(page, "&lt;script&gt;"), 8);
}
END_TEST

// A chain may have all switches. The table has the first of them, and each sum has the node at the end.
START_TEST(a_long_chain_of_switches) {
  constexpr std::int32_t count = 60'000;
  ReportFacts facts;
  facts.machine.emplace();
  facts.machine->view.nodes.emplace_back().name = "n1";
  for (std::int32_t s = 0; s < count; ++s) facts.machine->switches.push_back({"s" + std::to_string(s), s - 1, {}});
  facts.machine->switches.back().nodes = {0};
  const HtmlSection section = cluster_section(facts);
  ck_assert_uint_eq(count_of(section.body, "<th scope=\"row\">s"), 1000);
  ck_assert_uint_eq(count_of(section.body, "</td><td class=\"num\">1</td><td class=\"num\">0</td></tr>"), 1000);
  ck_assert(section.body.find("first 1000 of " + std::to_string(count)) != std::string::npos);
  ck_assert(!section.has_data);
}
END_TEST

START_TEST(a_table_names_its_rows_and_columns) {
  HtmlTable table("of <x>", {"Name", "Count"});
  table.add({"n1", "3"});
  table.add_drawing("<svg/>");
  const std::string html = table.html();
  for (const char* part :
       {"<caption>of &lt;x&gt;</caption>", "<th scope=\"col\" class=\"num\">Count</th>", "<th scope=\"row\">n1</th>",
        "<td class=\"num\">3</td><td class=\"drawing\"><svg/></td>", "aria-label=\"of &lt;x&gt;\""})
    ck_assert_msg(html.find(part) != html.npos, "no %s in %s", part, html.c_str());
}
END_TEST

int main() {
  Suite* suite = suite_create("report");
  TCase* test_case = tcase_create("html");
  tcase_add_test(test_case, text_is_only_text);
  tcase_add_test(test_case, hostile_names_stay_text);
  tcase_add_test(test_case, a_long_chain_of_switches);
  tcase_add_test(test_case, a_table_names_its_rows_and_columns);
  suite_add_tcase(suite, test_case);
  return run_suite(suite);
}
