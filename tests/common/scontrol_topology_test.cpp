// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/scontrol_topology.hpp"

#include <string>

#include "tests/check.hpp"
#include "tests/common/switch_text.hpp"

using namespace placement;

namespace {

std::vector<NodeShape> nodes(std::int32_t count) {
  std::vector<NodeShape> shapes;
  for (std::int32_t n = 1; n <= count; ++n) shapes.push_back({"n" + std::to_string(n), 1, 1, 1, 1});
  return shapes;
}

// Returns the switches as text, "name<parent:node,node name:..".
std::string shape(std::string_view text, std::int32_t count = 8) {
  return text_of(parse_scontrol_topology(text, nodes(count)));
}

START_TEST(a_tree) {
  ck_assert_text_eq(shape("SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-4]\n"
                          "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[5-8]\n"
                          "SwitchName=s2 Level=1 LinkSpeed=1 Nodes=n[1-8] Switches=s[0-1]\n"),
                    "s0<s2:1,2,3,4 s1<s2:5,6,7,8 s2");
  // The root first, and a node on the root itself.
  ck_assert_text_eq(shape("SwitchName=s2 Level=1 LinkSpeed=1 Nodes=n[1-5] Switches=s0\n"
                          "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-4]\n"),
                    "s0<s2:1,2,3,4 s2:5");
}
END_TEST

// The second example of Slurm's topology guide: each leaf is below each of the two roots.
START_TEST(several_roots_over_the_same_leaves) {
  ck_assert_text_eq(shape("SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
                          "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[3-4]\n"
                          "SwitchName=s4 Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s[0-1]\n"
                          "SwitchName=s5 Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s[0-1]\n"),
                    "s0<s4:1,2 s1<s4:3,4 s4");
  // s4 and s5 overlap: s5 gets the leaves that s4 does not have.
  ck_assert_text_eq(shape("SwitchName=s0 Level=0 Nodes=n[1-2]\nSwitchName=s1 Level=0 Nodes=n[3-4]\n"
                          "SwitchName=s2 Level=0 Nodes=n[5-6]\nSwitchName=s4 Level=1 Nodes=n[1-4]\n"
                          "SwitchName=s5 Level=1 Nodes=n[3-6]\nSwitchName=s6 Level=2 Nodes=n[1-6]\n"),
                    "s0<s4:1,2 s1<s4:3,4 s2<s5:5,6 s4<s6 s5<s6 s6");
}
END_TEST

START_TEST(fabrics_without_a_link) {
  ck_assert_text_eq(
      shape("SwitchName=a Level=0 LinkSpeed=1 Nodes=n[1-2]\nSwitchName=b Level=0 LinkSpeed=1 Nodes=n[5-6]\n"),
      "a:1,2 b:5,6");
}
END_TEST

START_TEST(blocks) {
  ck_assert_text_eq(shape("BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\n"
                          "BlockName=b2 BlockIndex=1 Nodes=n[3-4] BlockSize=2\n"
                          "BlockName=b3 BlockIndex=2 Nodes=n[5-6] BlockSize=2\n"
                          "BlockName=b4 BlockIndex=3 Nodes=n[7-8] BlockSize=2\n"
                          "AggregatedBlock=b[1-4] BlockIndex=4 Nodes=n[1-8] BlockSize=8\n"
                          "AggregatedBlock=b[1-2] BlockIndex=5 Nodes=n[1-4] BlockSize=4\n"
                          "AggregatedBlock=b[3-4] BlockIndex=6 Nodes=n[5-8] BlockSize=4\n"),
                    "b1<b[1-2]:1,2 b2<b[1-2]:3,4 b3<b[3-4]:5,6 b4<b[3-4]:7,8 b[1-2]<b[1-4] b[3-4]<b[1-4] b[1-4]");
}
END_TEST

// A job that is larger than the largest block may have nodes of all blocks.
START_TEST(blocks_without_a_larger_one) {
  ck_assert_text_eq(
      shape("BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\nBlockName=b2 BlockIndex=1 Nodes=n[3-4] BlockSize=2\n"),
      "b1<all blocks:1,2 b2<all blocks:3,4 all blocks");
}
END_TEST

START_TEST(small_and_empty_input) {
  ck_assert_text_eq(shape(""), "");
  ck_assert_text_eq(shape("\n\nNo topology information available\n"), "");
  ck_assert_text_eq(shape("SwitchName=s0 Level=0 LinkSpeed=1\n"), "");             // no node
  ck_assert_text_eq(shape("SwitchName=s0 Level=0 Nodes=x[1-9],n2\n", 3), "s0:2");  // nodes that slurmctld does not have
  ck_assert_text_eq(shape("SwitchName=s0 Level=0 Nodes=n1,n1\n"), "s0:1");
}
END_TEST

START_TEST(wrong_input) {
  ck_assert_error(shape("SwitchName=s0 Level=x Nodes=n1\n"), "topology: Level=x ");
  ck_assert_error(shape("SwitchName=s0 Level=0 Nodes=n[1-\n"), "brackets");
  ck_assert_error(shape("AggregatedBlock=b1 BlockSize=99999999999999999999 Nodes=n1\n"),
                  "BlockSize=99999999999999999999 ");
  ck_assert_text_eq(shape("SwitchName=s1 Level=63 Nodes=n1\n"), "s1:1");
  ck_assert_error(shape("SwitchName=s1 Level=64 Nodes=n1\n"), "64 levels");
  std::string many;
  for (int s = 0; s < 5; ++s) many += "SwitchName=s" + std::to_string(s) + " Level=0 Nodes=n[1-1000000]\n";
  ck_assert_error(shape(many), "too many nodes");
}
END_TEST

}  // namespace

int main() {
  Suite* suite = suite_create("scontrol_topology");
  TCase* all = tcase_create("all");
  tcase_add_test(all, a_tree);
  tcase_add_test(all, several_roots_over_the_same_leaves);
  tcase_add_test(all, fabrics_without_a_link);
  tcase_add_test(all, blocks);
  tcase_add_test(all, blocks_without_a_larger_one);
  tcase_add_test(all, small_and_empty_input);
  tcase_add_test(all, wrong_input);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
