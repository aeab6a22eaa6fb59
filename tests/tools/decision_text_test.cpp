// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/decision_text.hpp"

#include "common/decision/step_records.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::tools;

namespace {

// A decision with nodes of the policy, and those that stock Slurm would have taken.
Decision decision(const std::string& given, const std::string& stock) {
  Decision d;
  d.job_id = 7;
  d.for_start = true;
  d.outcome = DECISION_NODES;
  d.policy = "TREEMATCH";
  d.choice = d.given = given;
  d.stock_choice = stock;
  return d;
}

// Returns the line of this name; empty if there is none.
std::string line(const Decision& d, const std::string& name, const std::string& topology = "") {
  const std::string text = explained(d, "", topology);
  const std::size_t begin = text.find("\n  " + name + " ");
  return begin == text.npos ? "" : text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
}

}  // namespace

START_TEST(what_stock_would_have_taken) {
  ck_assert_text_eq(line(decision("n[3-4]", "n[1-2]"), "stock"), "  stock       n[1-2]");
  ck_assert_text_eq(line(decision("n[1-2]", "n[1-2]"), "stock"), "  stock       the same nodes");
  ck_assert_text_eq(line(decision("n2,n1", "n[1-2]"), "stock"), "  stock       the same nodes");  // a step's order
  ck_assert_text_eq(line(decision("n[1-2]", ""), "stock"), "");
  // Lists that were cut may differ behind the cut.
  ck_assert(line(decision("n[1,3,5..", "n[1,3,5.."), "stock").starts_with("  stock       not known"));
  ck_assert(line(decision("n[1,3,5,7]", "n[1,3,5.."), "stock").starts_with("  stock       not known"));
  Decision left_to_stock = decision("n[1-2]", "n[1-2]");
  left_to_stock.outcome = DECISION_STOCK;
  ck_assert_text_eq(line(left_to_stock, "stock"), "");
}
END_TEST

// Each line about advised nodes is marked, because Mode=advise does not apply them.
START_TEST(what_is_advised_is_marked) {
  Decision d = decision("n[1-2]", "");
  d.outcome = DECISION_ADVICE;
  d.mode = "advise";
  d.parameters = "comm-share=40";
  d.cost = "20";
  d.first_nodes_cost = "40";
  const std::string mark = "advised Mode=advise";
  const std::string cost = "20 hop-bytes, stock 40";
  const std::string expected = "0.80 of stock's run time, with 40 % communication in proportion to hop-bytes";
  ck_assert_words(line(d, "cost"), cost + "; " + mark);
  ck_assert_words(line(d, "expected"), expected + "; " + mark);
  d.outcome = DECISION_NODES;
  ck_assert_text_eq(line(d, "cost"), "  cost        " + cost);
  ck_assert_text_eq(line(d, "expected"), "  expected    " + expected);
}
END_TEST

// Slurm places the ranks of advised plans, and of plans in natural order. Only other ranks may get better in srun.
START_TEST(whose_ranks_are_described) {
  Decision d = decision("n[1-2]", "");
  ck_assert_text_eq(line(d, "describes"), "");
  d.cost = "20";
  ck_assert_words(line(d, "describes"), "plan srun");
  d.reason = "pattern ring, " + std::string(natural_order_note);
  ck_assert_words(line(d, "describes"), "plan natural order");
  ck_assert(!has_words(line(d, "describes"), "srun"));
  d.reason.clear();
  d.step = "0";
  ck_assert_words(line(d, "describes"), "step 0 srun");
  d.terms = {std::string(slurms_order_term) + "PrivateData=nodes"};
  ck_assert_words(line(d, "describes"), "step 0 Slurm's order PrivateData=nodes");
  ck_assert_text_eq(line(d, "terms"), "");
  d.step.clear();
  d.terms.clear();
  d.outcome = DECISION_ADVICE;
  d.mode = "observe";
  ck_assert_words(line(d, "describes"), "plan Mode=observe");
  ck_assert(!has_words(line(d, "describes"), "srun"));
}
END_TEST

// The terms have their own lines, so the note is the rest of the reason.
START_TEST(a_note_is_without_the_terms) {
  Decision d = decision("n[1-2]", "");
  const auto note = [&](const std::string& reason) {
    d.reason = reason;
    return line(d, "note");
  };
  d.terms = {"the group has the least load", "runner-up n[3-4], of 4", "data 3 s old", "ranks: 0;1"};
  const std::string rest = "DecisionTimeMs=1 cut the search short, no outages are known";
  ck_assert_text_eq(note(rest), "  note        " + rest);
  ck_assert_text_eq(note(rest + ", runner-up n[3-4], of 4, data 3 s old"), "  note        " + rest);
  ck_assert_text_eq(note("a, runner-up n[3-4], of 4, data 3 s old, b"), "  note        a, b");
  ck_assert_text_eq(note("a, runner-up n[3-4], of 4, data.."), "  note        a");  // a reason that was cut
  ck_assert_text_eq(note("a, runner-up n[3-.."), "  note        a");
  ck_assert_text_eq(note("a, other.."), "  note        a, other..");
  ck_assert_text_eq(note("runner-up n[3-4], of 4, data 3 s old"), "");
  ck_assert_text_eq(note("data 3 s older"), "  note        data 3 s older");
}
END_TEST

// The first line after the header is one sentence for a user who reads no further.
START_TEST(it_starts_with_a_summary) {
  const std::string tree = "SwitchName=s1 Level=0 Nodes=n[1-2]\nSwitchName=s2 Level=0 Nodes=n[3-4]\n";
  const auto summary = [&](const Decision& d) {
    const std::string text = explained(d, "", tree);
    const std::size_t begin = text.find('\n') + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  Decision d = decision("n[1-2]", "n[2-3]");
  d.tasks = 8;
  ck_assert_words(summary(d), "8 ranks 1 leaf switch stock 2");
  ck_assert(!has_words(summary(d), "expected"));
  d.cost = "20";
  d.first_nodes_cost = "40";
  ck_assert_words(summary(d), "8 ranks 1 leaf switch stock 2 expected 0.75 stock's");
  d.given = "n[1-3]";
  ck_assert_words(summary(d), "8 ranks 2 leaf switches stock 2");
  d.outcome = DECISION_STOCK;
  ck_assert_words(summary(d), "8 ranks 2 leaf switches Slurm");
  d.given.clear();
  ck_assert_words(summary(d), "outcome stock");
  // A record of a query ahead of the start has only the nodes that the policy would take.
  d.outcome = DECISION_NODES;
  ck_assert_words(summary(d), "8 ranks 1 leaf switch stock 2 expected 0.75 stock's");
  d.outcome = DECISION_ADVICE;
  ck_assert_words(summary(d), "8 ranks 1 leaf switch advised 0.75 stock's");
  d.given = "n[1-3]";
  ck_assert_words(summary(d), "8 ranks 2 leaf switches Slurm advised 0.75 stock's");
}
END_TEST

// A list of nodes that the record has no room for.
START_TEST(nodes_that_the_record_has_no_room_for) {
  const std::string tree = "SwitchName=s1 Level=0 Nodes=n[1-9]\n";
  const auto is_not_drawn = [](const std::string& text, const char* key) {
    return text.starts_with("  " + std::string(key)) && text.find(" not drawn") != std::string::npos;
  };
  Decision d = decision("n[1,3,5..", "");
  ck_assert(is_not_drawn(line(d, "switches", tree), "switches"));
  ck_assert(is_not_drawn(line(d, "switches", "SwitchName=s1 Level=0 Nodes=n[\n"), "switches"));
  for (const char* without_switches : {"", "Topology is flat\n"})
    ck_assert_text_eq(line(d, "switches", without_switches), "");
  d.given = "";
  ck_assert(is_not_drawn(line(d, "switches", tree), "switches"));
  d.outcome = DECISION_ADVICE;
  ck_assert(is_not_drawn(line(d, "advised", tree), "advised"));
  ck_assert_text_eq(line(decision("n[1-2]", ""), "switches", tree), "  switches    s1: n[1-2]");
}
END_TEST

int main() {
  Suite* const suite = suite_create("decision_text");
  TCase* const tests = tcase_create("decision_text");
  tcase_add_test(tests, what_stock_would_have_taken);
  tcase_add_test(tests, what_is_advised_is_marked);
  tcase_add_test(tests, whose_ranks_are_described);
  tcase_add_test(tests, a_note_is_without_the_terms);
  tcase_add_test(tests, it_starts_with_a_summary);
  tcase_add_test(tests, nodes_that_the_record_has_no_room_for);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
