// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/decision_text.hpp"

#include "tests/check.hpp"

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

std::string stock_line(const Decision& d) {
  const std::string text = explained(d, "", "");
  const std::size_t begin = text.find("\n  stock");
  return begin == text.npos ? "" : text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
}

}  // namespace

START_TEST(what_stock_would_have_taken) {
  ck_assert_text_eq(stock_line(decision("n[3-4]", "n[1-2]")), "  stock       n[1-2]");
  ck_assert_text_eq(stock_line(decision("n[1-2]", "n[1-2]")), "  stock       the same nodes");
  ck_assert_text_eq(stock_line(decision("n[1-2]", "")), "");
  Decision left_to_stock = decision("n[1-2]", "n[1-2]");
  left_to_stock.outcome = DECISION_STOCK;
  ck_assert_text_eq(stock_line(left_to_stock), "");
}
END_TEST

int main() {
  Suite* const suite = suite_create("decision_text");
  TCase* const tests = tcase_create("decision_text");
  tcase_add_test(tests, what_stock_would_have_taken);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
