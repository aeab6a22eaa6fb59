// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/topology_conf.hpp"

#include "config.h"
#include "tests/words.hpp"
#include "tests/common/switch_text.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;

namespace {

std::vector<NodeShape> nodes(std::int32_t count) {
  std::vector<NodeShape> shapes;
  for (std::int32_t n = 1; n <= count; ++n) shapes.push_back({"n" + std::to_string(n), 1, 1, 1, 1});
  return shapes;
}

// Returns the switches as text, "name<parent:node,node name:..".
std::string shape(std::string_view text, std::int32_t count = 8) {
  return text_of(parse_topology_conf(text, "t", nodes(count)));
}

START_TEST(a_tree) {
  ck_assert_text_eq(shape("SwitchName=top Switches=s[0-1] LinkSpeed=100\n"
                          "switchname=s0 \\\n  nodes=n[1-2]\n"
                          "SwitchName=s1 Nodes=n[4,3]\n"),
                    "s0<top:1,2 s1<top:4,3 top");
  // A leaf of the root next to switches of a middle level.
  ck_assert_text_eq(
      shape("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\nSwitchName=m Switches=a\nSwitchName=r Switches=m,b\n"),
      "a<m:1 b<r:2 m<r r");
}
END_TEST

// The nodes name their switch or block in slurm.conf, as those of the sites that generate topology files do.
START_TEST(nodes_that_name_their_place) {
  const auto placed = [](std::string_view text, const std::vector<std::string>& keys, std::string_view topology) {
    std::vector<NodeShape> shapes = nodes(static_cast<std::int32_t>(keys.size()));
    for (std::size_t n = 0; n < keys.size(); ++n) shapes[n].topology = keys[n];
    return text_of(parse_topology_conf(text, "t", shapes, nullptr, topology));
  };
  const char* const tree = "SwitchName=top Switches=s[1-3]\nSwitchName=s1 Nodes=n[1-2]\nSwitchName=s2\nSwitchName=s3\n";
  ck_assert_text_eq(placed(tree, {"a:s1", "", "a:s3", "b:s2,a:s3", "aa:s2"}, "a"), "s1<top:2,1 s3<top:3,4 top");
  ck_assert_text_eq(placed(tree, {"a:s2", "default:s2"}, "default"), "s1<top:1 s2<top:2 top");
  // A path makes the switches that are missing, below the last one that exists.
  ck_assert_text_eq(placed(tree, {"a:top:s2:new", "a:top:other", "a:gone:x", "a:lone"}, "a"),
                    "new<s2:1 other<top:2 s2<top top");
  ck_assert_text_eq(placed(tree, {"a:s1:new"}, "a"), "");  // s1 has nodes, so that no switch can be below it
  // A block without nodes keeps its place: b1 and b2 are one larger block, and b3 and b4 are another.
  const char* const blocks = "BlockSizes=1,2\nBlockName=b1\nBlockName=b2\nBlockName=b3\nBlockName=b4\n";
  ck_assert_text_eq(placed(blocks, {"a:b1", "a:b3", "a:b4", "a:b9"}, "a"),
                    placed("BlockSizes=1,2\nBlockName=b1 Nodes=n1\nBlockName=b2\nBlockName=b3 Nodes=n2\n"
                           "BlockName=b4 Nodes=n3\n",
                           {"", "", "", ""}, "a"));
}
END_TEST

// The second example of Slurm's topology guide: each leaf is below each of two roots.
START_TEST(several_roots_over_the_same_leaves) {
  ck_assert_text_eq(shape("SwitchName=s0 Nodes=n[1-2]\nSwitchName=s1 Nodes=n[3-4]\nSwitchName=s2 Nodes=n[5-6]\n"
                          "SwitchName=s3 Nodes=n[7-8]\nSwitchName=s4 Switches=s[0-3]\nSwitchName=s5 Switches=s[0-3]\n"),
                    "s0<s4:1,2 s1<s4:3,4 s2<s4:5,6 s3<s4:7,8 s4");
  ck_assert_text_eq(shape("SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[2-3]\n"), "a:1 b:2,3");  // n2 is on both
}
END_TEST

START_TEST(fabrics_without_a_link) {
  ck_assert_text_eq(shape("SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[5-6]\n"), "a:1,2 b:5,6");
}
END_TEST

// The comments have slurmctld's result for each line: the larger blocks that "scontrol show topology" prints.
START_TEST(blocks) {
  const std::string four =
      "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockName=b3 Nodes=n[5-6]\nBlockName=b4 Nodes=n[7-8]\n";
  ck_assert_text_eq(shape(four + "BlockSizes=2\n"),
                    "b1<all blocks:1,2 b2<all blocks:3,4 b3<all blocks:5,6 b4<all blocks:7,8 all blocks");
  ck_assert_text_eq(shape("BlockSizes=2,8\n" + four),  // b[1-4]
                    "b1<b[1-4]:1,2 b2<b[1-4]:3,4 b3<b[1-4]:5,6 b4<b[1-4]:7,8 b[1-4]");
  // Slurm 23.11 hides the larger blocks from its plugins, so they do not count here either.
  ck_assert_text_eq(shape(four + "BlockLevels=0,2\n"), shape(four + "BlockSizes=2\n").c_str());
  ck_assert_text_eq(shape(four),  // b[1-2], b[3-4], b[1-4]
                    "b1<b[1-2]:1,2 b2<b[1-2]:3,4 b3<b[3-4]:5,6 b4<b[3-4]:7,8 b[1-2]<b[1-4] b[3-4]<b[1-4] b[1-4]");
  ck_assert_text_eq(
      shape("BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockName=b3 Nodes=n[5-6]\n"),  // b[1-2], b[1-3]
      "b1<b[1-2]:1,2 b2<b[1-2]:3,4 b3<b[1-3]:5,6 b[1-2]<b[1-3] b[1-3]");
}
END_TEST

// As in Slurm, a file may have nodes that slurm.conf no longer has, and switches and blocks without nodes.
START_TEST(retired_nodes_and_empty_switches) {
  ck_assert_text_eq(shape("# nothing\n"), "");
  ck_assert_text_eq(shape("SwitchName=a Nodes=n[1-2,9]\nSwitchName=b Nodes=n3,,n4,\nSwitchName=t Switches=a,b\n"),
                    "a<t:1,2 b<t:3,4 t");
  ck_assert_text_eq(shape("SwitchName=a Nodes=n1\nSwitchName=e\nSwitchName=x Nodes=m1\nSwitchName=y Nodes=,\n"
                          "SwitchName=t Switches=a,e,x,y\n"),
                    "a<t:1 t");
  ck_assert_text_eq(shape("BlockName=b1 Nodes=n1\nBlockName=b2\nBlockName=b3 Nodes=n[2,9]\nBlockName=b4 Nodes=n3\n"
                          "BlockSizes=1,2\n"),
                    "b1<b[1-2]:1 b3<b[3-4]:2 b4<b[3-4]:3 b[1-2]<all blocks b[3-4]<all blocks all blocks");
  std::vector<NodeShape> on_hosts = nodes(3);
  for (NodeShape& node : on_hosts) node.hostname = "h" + node.name.substr(1);
  on_hosts[2].hostname = "h1";  // two nodes on one host: the name stands for the first
  ck_assert_text_eq(text_of(parse_topology_conf("SwitchName=a Nodes=h[1-2]\nSwitchName=b Nodes=n3\n", "t", on_hosts)),
                    "a:1,2 b:3");
  std::string warning;
  parse_topology_conf("SwitchName=a Nodes=n[1-9]\nSwitchName=b Nodes=n10", "t", nodes(8), &warning);
  ck_assert(warning.starts_with("t: n[9-10] "));
  parse_topology_conf("SwitchName=a Nodes=n[1-8]\n", "t", nodes(8), &warning);
  ck_assert_text_eq(warning, "");
}
END_TEST

// As in Slurm, a key that is given twice has its last value.
START_TEST(keys_given_twice) {
  ck_assert_text_eq(shape("SwitchName=a Nodes=n1 nodes=n[2-3]\n"), "a:2,3");
  const std::string blocks = "BlockName=b1 Nodes=n1\nBlockName=b2 Nodes=n2\n";
  ck_assert_text_eq(shape(blocks + "BlockSizes=1,2\nBlockSizes=1\n"), shape(blocks + "BlockSizes=1\n").c_str());
}
END_TEST

// topology/ring, from Slurm 26.05 on: rings are switches that no switch joins. A node may name its ring and its place
// there.
START_TEST(rings) {
  ck_assert_text_eq(shape("RingName=r1 Nodes=n[2,1]\nringname=r2 Nodes=n[3-4,9]\n"), "r1:2,1 r2:3,4");
  std::vector<NodeShape> shapes = nodes(4);
  shapes[2].topology = "default:r1:1";
  shapes[3].topology = "other:r9:0";
  ck_assert_text_eq(text_of(parse_topology_conf("RingName=r1 Nodes=n1\nRingName=r2 Nodes=n[2-4]\n", "t", shapes)),
                    SLURM_RELEASE >= std::string_view("26.05") ? "r1:1,3 r2:2" : "r1:1,3 r2:2,4");
  ck_assert_error_words(shape("RingName=r Switches=s"), "t:1: Switches RingName Nodes");
  ck_assert_error_words(shape("RingName=r Nodes=n1\nRingName=r Nodes=n2"), "t:2: RingName=r twice");
  ck_assert_error_words(shape("RingName=r Nodes=n1\nSwitchName=s Nodes=n2"), "t:2: RingName=");
}
END_TEST

START_TEST(included_switches) {
  const TemporaryDirectory directory;
  directory.file("leaves.conf", "SwitchName=s1 Nodes=n1\nSwitchName=s2 Nodes=n2\n");
  const std::string text = "include leaves.conf\nSwitchName=top Switches=s[1-2]\n";
  ck_assert_uint_eq(parse_topology_conf(text, directory.file("t.conf", text), nodes(2)).size(), 3);
  directory.file("leaves.conf", "SwitchName=s1 Node=n1\n");
  ck_assert_error(parse_topology_conf(text, directory.file("t.conf", text), nodes(2)), "leaves.conf:1");
}
END_TEST

START_TEST(wrong_switches) {
  ck_assert_error_words(shape("Nodes=n1"), "t:1: SwitchName=");
  ck_assert_error_words(shape("junk"), "t:1: SwitchName=");
  ck_assert_error_words(shape("SwitchName=a Nodes=n1 junk"), "t:1: 'junk' Key=value");
  ck_assert_error_words(shape("SwitchName=a Node=n1"), "t:1: Node Nodes?");
  ck_assert_error_words(shape("SwitchName=a Weather=1"), "t:1: Weather SwitchName Nodes Switches LinkSpeed");
  ck_assert_error_words(shape("SwitchName=b Nodes=n1\nSwitchName=a Nodes=n2 Switches=b"), "t:2: a Nodes= Switches=");
  ck_assert_error_words(shape("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2"), "t:2: SwitchName=a twice");
  ck_assert_error_words(shape("SwitchName=a Switches=b"), "t:1: b no SwitchName");
  ck_assert_error_words(shape("SwitchName=a Nodes=n1\nSwitchName=b Switches=b,a"), "t b above");
  ck_assert_error_words(shape("SwitchName=a Switches=b\nSwitchName=b Switches=a"), "t a above");
  ck_assert_error_words(shape("SwitchName=a Nodes=n[1-"), "t:1: 'n[1-' brackets");
  ck_assert_error_words(shape("SwitchName=a Nodes=n1\nBlockName=b Nodes=n2"), "t:2: SwitchName=");
}
END_TEST

// Each switch of a chain or comb has all nodes below it. A long one would take time and memory for each pair. Nodes
// that the machine does not have take memory, too.
START_TEST(long_chains) {
  const auto chain = [](int switches, int of_nodes) {
    std::string text = "SwitchName=s0 Nodes=n[1-" + std::to_string(of_nodes) + "]\n";
    for (int s = 1; s < switches; ++s)
      text += "SwitchName=s" + std::to_string(s) + " Switches=s" + std::to_string(s - 1) + "\n";
    return parse_topology_conf(text, "t", nodes(of_nodes)).size();
  };
  ck_assert_uint_eq(chain(64, 2), 64);
  for (const int switches : {65, 60'000}) ck_assert_error_words(chain(switches, 2000), "t 64 levels");
  std::string comb = "SwitchName=s1 Nodes=n1\n";
  for (int s = 2; s <= 30'000; ++s) {
    const std::string own = std::to_string(s);
    comb += "SwitchName=l" + own + " Nodes=n" + own + "\nSwitchName=s" + own + " Switches=l" + own + ",s" +
            std::to_string(s - 1) + "\n";
  }
  ck_assert_error_words(parse_topology_conf(comb, "t", nodes(30'000)), "t 64 levels");
  std::string all;
  for (int s = 0; s < 60'000; ++s) all += "SwitchName=s" + std::to_string(s) + " Nodes=n[1-2000]\n";
  ck_assert_error_words(parse_topology_conf(all, "t", nodes(2000)), "t together 512");
  const std::string unknown = "SwitchName=a Nodes=x[1-600000]\nSwitchName=b Nodes=y[1-600000]\n";
  ck_assert_error_words(parse_topology_conf(unknown, "t", nodes(8)), "t together 512");
}
END_TEST

START_TEST(wrong_blocks) {
  ck_assert_error_words(shape("BlockSizes=2"), "t no BlockName");
  ck_assert_error_words(shape("BlockName=b Nodes=n1\nSwitchName=a Nodes=n2"),
                        "t:2: BlockName= BlockSizes= BlockLevels=");
  ck_assert_error_words(shape("BlockName=b Nodes=n1\nBlockName=b Nodes=n2"), "t:2: block b twice");
  ck_assert_error_words(shape("BlockName=b Nodez=n9"), "t:1: Nodez Nodes?");
  ck_assert_error_words(shape("BlockLevels=0 Nodes=n1"), "t:1: BlockLevels= own");
  ck_assert_error_words(shape("BlockName=b\nBlockName=c Nodes=m1"), "t BlockSizes");
  // slurmctld keeps the first size in 16 bits: with 65536 it would divide by zero.
  for (const char* bad : {"", ",", "0", "-1", "x", "4,0", "4,6", "4,2", "4,131072,262144", "65536", "65537", "131072"})
    ck_assert_error(shape("BlockName=b Nodes=n1\nBlockSizes=" + std::string(bad)), "t:2: ");
  for (const char* good : {"4", "4,8,32", "4,32,8", ",4,,8,", "4,131072", "65535", "65535,131070"})
    ck_assert_text_eq(shape("BlockName=b Nodes=n1\nBlockSizes=" + std::string(good)), "b:1");
}
END_TEST

}  // namespace

int main() {
  Suite* suite = suite_create("topology_conf");
  TCase* all = tcase_create("all");
  tcase_add_test(all, a_tree);
  tcase_add_test(all, nodes_that_name_their_place);
  tcase_add_test(all, several_roots_over_the_same_leaves);
  tcase_add_test(all, fabrics_without_a_link);
  tcase_add_test(all, blocks);
  tcase_add_test(all, retired_nodes_and_empty_switches);
  tcase_add_test(all, keys_given_twice);
  tcase_add_test(all, rings);
  tcase_add_test(all, included_switches);
  tcase_add_test(all, wrong_switches);
  tcase_add_test(all, long_chains);
  tcase_add_test(all, wrong_blocks);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
