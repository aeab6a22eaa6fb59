// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/decision_text.hpp"

#include "tests/check.hpp"

using namespace placement;
using namespace placement::tools;

namespace {

constexpr std::string_view two_pods =
    "SwitchName=root Level=2 LinkSpeed=1 Nodes=n[1-8] Switches=p[1-2]\n"
    "SwitchName=p1 Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s[1-2]\n"
    "SwitchName=p2 Level=1 LinkSpeed=1 Nodes=n[5-8] Switches=s[3-4]\n"
    "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
    "SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[3-4]\n"
    "SwitchName=s3 Level=0 LinkSpeed=1 Nodes=n[5-6]\n"
    "SwitchName=s4 Level=0 LinkSpeed=1 Nodes=n[7-8]\n";

std::string drawn(const std::string& given, const std::string& choice, const std::string& tasks,
                  std::string_view topology = two_pods) {
  Decision decision;
  decision.given = given;
  decision.choice = choice;
  decision.tasks_per_node = tasks;
  std::string text;
  for (const std::string& line : drawn_on_switches(decision, topology)) text += line + "\n";
  return text;
}

}  // namespace

START_TEST(nodes_and_tasks_on_their_switches) {
  ck_assert_text_eq(drawn("n[1-3]", "n[1-3]", "4(x2),1"),
                    "root\n  p1\n    s1: n[1-2] with 4 tasks each\n    s2: n3 with 1 task\n");
  ck_assert_text_eq(drawn("", "n[4,7-8]", "2,3,4"),
                    "root\n  p1\n    s2: n4 with 2 tasks\n  p2\n    s4: n7 with 3 tasks, n8 with 4 tasks\n");
  // The tasks are those of the choice, and not known on other nodes.
  ck_assert_text_eq(drawn("n[5-6]", "n[1-2]", "4(x2)"), "root\n  p2\n    s3: n[5-6]\n");
  ck_assert_text_eq(drawn("n[5-6]", "", ""), "root\n  p2\n    s3: n[5-6]\n");
  for (const char* wrong : {"4", "4(x3)", "4(x0),4", "a,b", "4(x"})
    ck_assert_text_eq(drawn("n[5-6]", "n[5-6]", wrong), "root\n  p2\n    s3: n[5-6]\n");
}
END_TEST

START_TEST(ranks_on_their_switches) {
  Decision decision;
  decision.choice = decision.given = "n[1,3-4]";
  decision.tasks_per_node = "2,3,1";
  decision.terms = {"by exact search", "ranks: 0,5;1-3;4"};
  const auto text = [&] {
    std::string all;
    for (const std::string& line : drawn_on_switches(decision, two_pods)) all += line + "\n";
    return all;
  };
  ck_assert_text_eq(text(), "root\n  p1\n    s1: n1: 0,5\n    s2: n3: 1-3  n4: 4\n");
  decision.terms = {"ranks: 0,5;1-4"};  // of two nodes
  ck_assert_text_eq(text(), "root\n  p1\n    s1: n1 with 2 tasks\n    s2: n3 with 3 tasks, n4 with 1 task\n");
  decision.terms = {"ranks: 0,5;1-3;4"};
  decision.given = "n[5-7]";  // Slurm gave others
  ck_assert_text_eq(text(), "root\n  p2\n    s3: n[5-6]\n    s4: n7\n");
}
END_TEST

START_TEST(blocks_and_fabrics_that_nothing_joins) {
  ck_assert_text_eq(drawn("n[1,3]", "", "", "SwitchName=a Level=0 Nodes=n[1-2]\nSwitchName=b Level=0 Nodes=n[3-4]\n"),
                    "a: n1\nb: n3\n");
  ck_assert_text_eq(drawn("n[1-4]", "", "", "BlockName=b1 BlockIndex=0 Nodes=n[1-4] BlockSize=4\n"), "b1: n[1-4]\n");
}
END_TEST

START_TEST(what_cannot_be_drawn) {
  ck_assert_text_eq(drawn("", "", ""), "");
  ck_assert_text_eq(drawn("n[1-3..", "", ""), "");
  ck_assert_text_eq(drawn("m1", "m1", "2"), "");
  for (const char* topology :
       {"", "Topology is flat\n", "SwitchName=s1 Level=x Nodes=n1\n", "SwitchName=s1 Level=0 Nodes=n[1\n"})
    ck_assert_text_eq(drawn("n1", "n1", "2", topology), "");
}
END_TEST

START_TEST(many_switches_are_cut) {
  std::string topology;
  for (int s = 1; s <= 40; ++s)
    topology += "SwitchName=s" + std::to_string(s) + " Level=0 Nodes=n" + std::to_string(s) + "\n";
  Decision decision;
  decision.given = "n[1-40]";
  const auto lines = drawn_on_switches(decision, topology);
  ck_assert_uint_eq(lines.size(), 32);
  ck_assert_text_eq(lines.back(), "and 9 more switches");
  decision.given = "n[1-32]";
  ck_assert_text_eq(drawn_on_switches(decision, topology).back(), "s32: n32");
  ck_assert_uint_eq(leaf_switches_of("n[1-40]", topology), 40);
  ck_assert_uint_eq(leaf_switches_of("n[1-3]", two_pods), 2);
  ck_assert_uint_eq(leaf_switches_of("", two_pods), 0);
}
END_TEST

int main() {
  Suite* suite = suite_create("switch_drawing");
  TCase* all = tcase_create("all");
  tcase_add_test(all, nodes_and_tasks_on_their_switches);
  tcase_add_test(all, ranks_on_their_switches);
  tcase_add_test(all, blocks_and_fabrics_that_nothing_joins);
  tcase_add_test(all, what_cannot_be_drawn);
  tcase_add_test(all, many_switches_are_cut);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
