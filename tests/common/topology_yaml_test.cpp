// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/topology_yaml.hpp"

#include "common/topology/slurm_conf.hpp"
#include "common/topology/topology_conf.hpp"
#include "common/topology/torus_topology.hpp"
#include "config.h"
#include "tests/words.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;

namespace {

constexpr std::string_view three =
    "---\n"
    "# The topologies of a cluster.\n"
    "- topology: flat_one\n"
    "  flat: true\n"
    "- topology: fabric\n"
    "  cluster_default: true\n"
    "  tree:\n"
    "    switches:\n"
    "      - switch: root\n"
    "        children: s[1-2]\n"
    "      - switch: s1\n"
    "        nodes: n[1-2]\n"
    "      - {nodes: 'n[3-4]', switch: s2}\n"
    "- topology: pods\n"
    "  cluster_default: false\n"
    "  block:\n"
    "    block_sizes: [2, 4]\n"
    "    blocks:\n"
    "      - block: b1\n"
    "        nodes: n[1-2]\n"
    "      - block: b2\n"
    "        nodes: n[3-4]\n"
    "- topology: circle\n"
    "  ring:\n"
    "    rings: []\n";

std::vector<NodeShape> four_nodes() { return {{"n1", 1, 1, 1}, {"n2", 1, 1, 1}, {"n3", 1, 1, 1}, {"n4", 1, 1, 1}}; }

std::string error(std::string_view text, const std::optional<std::string>& wanted = {}) {
  return error_of([&] { parse_topology_yaml(text, "t.yaml", wanted); });
}

// Returns a topology called a, whose tree has these switches.
std::string tree_of(const std::string& switches) { return "- topology: a\n  tree:\n    switches:\n" + switches; }

}  // namespace

START_TEST(the_default_topology_is_chosen) {
  const YamlTopology found = parse_topology_yaml(three, "t.yaml");
  ck_assert_text_eq(found.name, "fabric");
  ck_assert_text_eq(found.kind, "tree");
  ck_assert_text_eq(
      found.conf, std::string(8, '\n') +
                      "SwitchName=root Switches=s[1-2]\n\nSwitchName=s1 Nodes=n[1-2]\n\nSwitchName=s2 Nodes=n[3-4]\n");
  const auto switches = parse_topology_conf(found.conf, "t.yaml", four_nodes());
  ck_assert_uint_eq(switches.size(), 3);
  // Without cluster_default it is the first topology. If two have it, it is the first of the two.
  ck_assert_text_eq(parse_topology_yaml("- {topology: x, flat: true}\n- {topology: y, flat: true}\n", "t.yaml").name,
                    "x");
  ck_assert_text_eq(
      parse_topology_yaml("- {topology: x, flat: true}\n- {topology: y, flat: true, cluster_default: True}\n"
                          "- {topology: z, flat: true, cluster_default: true}\n",
                          "t.yaml")
          .name,
      "y");
}
END_TEST

START_TEST(one_by_its_name) {
  const YamlTopology pods = parse_topology_yaml(three, "t.yaml", "pods");
  ck_assert_text_eq(pods.kind, "block");
  ck_assert_uint_eq(parse_topology_conf(pods.conf, "t.yaml", four_nodes()).size(), 3);  // two blocks, and one of both
  for (const char* name : {"flat_one", "circle"}) ck_assert(parse_topology_yaml(three, "t.yaml", name).conf.empty());
  ck_assert_text_eq(parse_topology_yaml(three, "t.yaml", "circle").kind, "ring");
  ck_assert_words(error(three, "pod"), "t.yaml topology 'pod' flat_one fabric pods circle");
}
END_TEST

// As Slurm reads them: words for true and false, missing values, and names with blanks between them.
START_TEST(values_in_other_forms) {
  for (const char* word : {"yes", "Y", "on", "t", "\"true\"", "1", "0.5", "default"})
    ck_assert_text_eq(parse_topology_yaml("- {topology: x, flat: true}\n- {topology: y, flat: true, cluster_default: " +
                                              std::string(word) + "}\n",
                                          "t.yaml")
                          .name,
                      "y");
  for (const char* word : {"no", "F", "off", "0", "0.0", "~", "''"})
    ck_assert_text_eq(parse_topology_yaml("- {topology: x, flat: true}\n- {topology: y, flat: true, cluster_default: " +
                                              std::string(word) + "}\n",
                                          "t.yaml")
                          .name,
                      "x");
  ck_assert_text_eq(parse_topology_yaml(tree_of("      - switch: s1\n") + "  flat: no\n  block: {}\n", "t.yaml").kind,
                    "tree");
  ck_assert_words(error("- topology: a\n  flat: false\n"), "t.yaml:1: 'a' no kind");
  const std::string conf =
      parse_topology_yaml(
          tree_of("      - switch: s1\n        nodes: n1,\n          n2, n3\n"
                  "      - switch: s2\n        nodes: >-\n          n4\n        children: s1\n"
                  "      - {switch: s3, nodes: null}\n      - {switch: s4, nodes: ~}\n      - switch: s5\n"
                  "        nodes:\n      - switch: t\n        children: \"s1, s2\"\n"),
          "t.yaml")
          .conf;
  std::string warning;
  const auto switches = parse_topology_conf(conf, "t.yaml", four_nodes(), &warning);
  ck_assert_text_eq(warning, "");
  ck_assert_uint_eq(switches.size(), 3);
  ck_assert(switches[0].nodes == (std::vector<std::int32_t>{0, 1, 2}));
  ck_assert_int_eq(switches[1].parent, 2);
}
END_TEST

// Slurm takes keys in place of a list as its only entry, and a topology without a name.
START_TEST(one_entry_without_a_list) {
  const YamlTopology tree = parse_topology_yaml("tree:\n  switches: {switch: s1, nodes: 'n[1-2]'}\n", "t.yaml");
  ck_assert_text_eq(tree.name, "");
  ck_assert_text_eq(tree.kind, "tree");
  ck_assert(parse_topology_conf(tree.conf, "t.yaml", four_nodes()).at(0).nodes == (std::vector<std::int32_t>{0, 1}));
  const std::string both = "- flat: true\n- topology: b\n  block: {blocks: {block: b1, nodes: n3}}\n";
  ck_assert_text_eq(parse_topology_yaml(both, "t.yaml").kind, "flat");
  ck_assert_text_eq(parse_topology_yaml(both, "t.yaml", "b").conf, "\n\nBlockName=b1 Nodes=n3\n");
  ck_assert_text_eq(parse_topology_yaml("block: {block_sizes: 4, blocks: {block: b1}}\n", "t.yaml").conf,
                    "BlockSizes=4\nBlockName=b1\n");
  const std::string torus = "torus3d: {toruses: {dims: {x: 2, y: 1, z: 1}, nodes: 'n[1-2]'}}\n";
  ck_assert_int_eq(parse_torus(parse_topology_yaml(torus, "t.yaml").conf, "t.yaml").torus.positions(), 2);
}
END_TEST

// Slurm before 25.05 does not know topology.yaml. A copy of another cluster's files may have it alone.
START_TEST(the_file_that_slurm_reads) {
  const TemporaryDirectory directory;
  const std::string slurm_conf = directory.file("slurm.conf", "");
  ck_assert_text_eq(topology_file(slurm_conf), "");
  const std::string yaml = directory.file("topology.yaml", "");
  ck_assert_text_eq(topology_file(slurm_conf), yaml);
  const std::string conf = directory.file("topology.conf", "");
  ck_assert_text_eq(topology_file(slurm_conf), SLURM_RELEASE >= std::string_view("25.05") ? yaml : conf);
}
END_TEST

// TopologyParam=SwitchAsNodeRank and BlockAsNodeRank: in the order of the switches or blocks of topology.yaml.
START_TEST(orders_of_nodes) {
  const TemporaryDirectory directory;
  const auto order = [&](const char* param, const std::string& topology) {
    directory.file("topology.yaml", topology);
    std::string names;
    for (const NodeShape& node :
         read_node_shapes(directory.file("slurm.conf", "TopologyPlugin=topology/flat\nNodeName=n[1-4]\nTopologyParam=" +
                                                           std::string(param) + "\n"),
                          read_site_topology))
      names += node.name + " ";
    return names;
  };
  const std::string tree = tree_of("      - {switch: a, nodes: 'n[2,4]'}\n      - {switch: b, nodes: n1}\n");
  ck_assert_text_eq(order("SwitchAsNodeRank", tree), "n3 n2 n4 n1 ");
  ck_assert_text_eq(order("BlockAsNodeRank", tree), "n1 n2 n3 n4 ");
  ck_assert_text_eq(order("TopoOptional", tree), "n1 n2 n3 n4 ");
  const std::string blocks = "- block: {blocks: [{block: a, nodes: n3}, {block: b, nodes: 'n[1-2]'}]}\n";
  ck_assert_text_eq(order("BlockAsNodeRank", blocks), "n4 n3 n1 n2 ");
  ck_assert_text_eq(order("SwitchAsNodeRank", blocks), "n1 n2 n3 n4 ");
  const std::string rings = "- ring: {rings: [{ring: a, nodes: n3}, {ring: b, nodes: 'n[1-2]'}]}\n";
  ck_assert_text_eq(order("SwitchAsNodeRank,BlockAsNodeRank", rings), "n1 n2 n3 n4 ");
  ck_assert_text_eq(order("SwitchAsNodeRank", "- flat: true\n"), "n1 n2 n3 n4 ");
}
END_TEST

// Slurm 24.11 and later: the switches are in topology.yaml, and slurm.conf has the switch of each node.
START_TEST(nodes_name_their_switches) {
  const TemporaryDirectory directory;
  directory.file("topology.yaml",
                 "- topology: t0\n  tree:\n    switches:\n      - switch: s3\n        children: s[1-2]\n"
                 "      - switch: s1\n      - switch: s2\n");
  const std::string slurm_conf = directory.file(
      "slurm.conf", "NodeName=n[1-2] CPUs=8 Topology=t0:s1\nNodeName=n[3-4] Topology=other:x,t0:s2 CPUs=8\n");
  const auto switches = read_switches(slurm_conf, read_slurm_nodes(slurm_conf));
  ck_assert_uint_eq(switches.size(), 3);
  ck_assert_text_eq(switches[0].name, "s1");
  ck_assert(switches[0].nodes == (std::vector<std::int32_t>{0, 1}));
  ck_assert(switches[1].nodes == (std::vector<std::int32_t>{2, 3}));
  ck_assert_int_eq(switches[1].parent, 2);
}
END_TEST

// torus3d has the coordinates of nodes, x first; rings are switches that nothing joins.
START_TEST(toruses_and_rings) {
  const std::string head =
      "- topology: t\n  torus3d:\n    toruses:\n      - name: pod1\n        dims: {x: 4, y: 2, z: 1}\n";
  const auto torus = [](const std::string& text) {
    const MachineFile file = without_yaml({"t.yaml", text});
    ck_assert_text_eq(file.kind, "torus3d");
    ck_assert(parse_switches(file, four_nodes()).empty());
    return parse_torus(file.text, "t.yaml");
  };
  ck_assert(!torus(head).named);
  ck_assert_int_eq(torus(head).torus.positions(), 8);
  const TorusDescription whole = torus(head + "        nodes: n[1-8]\n");
  ck_assert_int_eq(whole.torus.position(whole.torus.find("n5")), 4);  // 0 1 0
  ck_assert_int_eq(whole.torus.position(whole.torus.find("n8")), 7);
  const TorusDescription parts =
      torus(head +
            "        regions:\n          - {nodes: 'n[1-4]', dims: {x: 2, y: 2, z: 1}, anchor: {x: 2, y: 0, z: 0}}\n"
            "          - {nodes: m1, dims: {x: 1, y: 1, z: 1}}\n");
  ck_assert_int_eq(parts.torus.position(parts.torus.find("n2")), 3);
  ck_assert_int_eq(parts.torus.position(parts.torus.find("n3")), 6);
  ck_assert_int_eq(parts.torus.position(parts.torus.find("m1")), 0);
  const MachineFile several =
      without_yaml({"t.yaml", head + "      - {name: pod2, dims: {x: 1, y: 1, z: 1}}\n"});  // Slurm takes them
  ck_assert(parse_switches(several, four_nodes()).empty());
  ck_assert_error(parse_topology_of(several, four_nodes()), "t.yaml: a topology of several toruses");
  ck_assert_error(
      parse_topology_yaml("- topology: t\n  torus3d:\n    toruses:\n      - dims: {x: 0, y: 1, z: 1}\n", "t.yaml"),
      "t.yaml:4: ");
  ck_assert_error(parse_torus(without_yaml({"t.yaml", head + "        nodes: n[1-7]\n"}).text, "t.yaml"), "t.yaml:4: ");
  const MachineFile rings = without_yaml(
      {"t.yaml",
       "- topology: t\n  ring:\n    rings:\n      - ring: a\n        nodes: n[1-2]\n      - ring: b\n        nodes: n[3-4]\n"});
  const auto switches = parse_switches(rings, four_nodes());
  ck_assert_uint_eq(switches.size(), 2);
  ck_assert_text_eq(switches[1].name, "b");
  ck_assert_int_eq(switches[1].parent, -1);
}
END_TEST

START_TEST(errors_have_the_line_of_the_file) {
  const std::string conf = parse_topology_yaml(tree_of("      - switch: s1\n        nodes: n[1-9]\n"), "t.yaml").conf;
  std::string warning;
  ck_assert_uint_eq(parse_topology_conf(conf, "t.yaml", four_nodes(), &warning).size(), 1);
  ck_assert(warning.starts_with("t.yaml: n[5-9] "));
  ck_assert_words(error(""), "t.yaml empty");
  ck_assert_words(error("---\n"), "t.yaml:2: file \"- \"");
  ck_assert_words(error("[]\n"), "t.yaml has no topology");
  ck_assert_words(error("topology: a\n"), "t.yaml:1: 'a' no kind");
  ck_assert_words(error("- a\n"), "t.yaml:1: \"topology:\"");
  ck_assert_words(error("- topology: a\n"), "t.yaml:1: 'a' no block flat ring torus3d tree");
  ck_assert_words(error("- topology: a\n  flat: true\n  tree: {switches: []}\n"), "t.yaml:1: 'a' two flat tree");
  ck_assert_words(error("- topology: a\n  topology: b\n"), "t.yaml:2: topology twice");
  ck_assert_words(error("- topology: a\n  tree: 5\n"), "t.yaml:2: \"switches:\"");
  ck_assert_words(error("- topology: a\n  tree: {}\n"), "t.yaml:1: 'a' no kind");
  ck_assert_words(error("- topology: a\n  tree: {x: 1}\n"), "t.yaml:2: no switches");
  ck_assert_words(error("- topology: a\n  block: {x: 1}\n"), "t.yaml:2: no blocks");
  ck_assert_words(error(tree_of("      - nodes: n1\n")), "t.yaml:4: \"switch s1\"");
  ck_assert_words(error(tree_of("      - switch: s1\n        nodes: [n1]\n")), "t.yaml:5: nodes one");
  ck_assert_words(error(tree_of("      - switch: s1\n        nodes: \"n1 Switches=s2\"\n")),
                  "t.yaml:5: nodes 'n1,Switches=s2'");
  ck_assert_error(parse_topology_yaml("- topology: 'a\n", "t.yaml"), "t.yaml:2: ");
  ck_assert_error(parse_topology_yaml("- [[[[\n", "t.yaml"), ": invalid YAML: ");
  ck_assert_error_words(parse_topology_yaml(std::string(max_topology_yaml + 1, ' '), "t.yaml"),
                        "16777217 bytes 16777216");
}
END_TEST

// 200,000 aliases took libyaml seconds, and each could stand for a long value. The first one is refused.
START_TEST(an_alias_is_refused) {
  std::string text = tree_of("      - switch: s1\n        nodes: &all " + std::string(32768, 'n') + "\n");
  for (int i = 0; i < 200'000; ++i) text += "      - {switch: t, nodes: *all}\n";
  ck_assert_error(parse_topology_yaml(text, "t.yaml"), "t.yaml:6: ");
  ck_assert_error(parse_topology_yaml("- &a [*a]\n", "t.yaml"), "t.yaml:1: ");
}
END_TEST

// libyaml compares each anchor with all others, and each %TAG.
START_TEST(many_anchors_are_refused) {
  const auto with_anchors = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += "      - switch: " + (i % 2 == 0 ? "&a" + std::to_string(i) + " " : "") + "s" + std::to_string(i) +
              "\n        " + (i % 2 == 1 ? "&a" + std::to_string(i) + " " : "") + "nodes: n" + std::to_string(i) + "\n";
    return tree_of(text);
  };
  parse_topology_yaml(with_anchors(1000), "t.yaml");
  ck_assert_error(parse_topology_yaml(with_anchors(1001), "t.yaml"), "t.yaml:2004: more than 1000");
  ck_assert_error_words(parse_topology_yaml(with_anchors(200'000), "t.yaml"), "anchors");
  std::string tags;
  for (int i = 0; i < 200'000; ++i) tags += "%TAG !" + std::to_string(i) + "! a\n";
  ck_assert_error_words(parse_topology_yaml(tags + "---\n", "t.yaml"), "t.yaml %TAG");
}
END_TEST

// libyaml takes time in proportion to the square of the depth.
START_TEST(deep_values_are_refused) {
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  for (const char* part : {"[", "{a: ", "- ", "? "})
    ck_assert_error(parse_topology_yaml(repeated(part, 1'000'000), "t.yaml"), "t.yaml:1: more than 64");
  ck_assert_error(parse_topology_yaml("\n" + repeated("[", 65) + repeated("]", 65), "t.yaml"),
                  "t.yaml:2: more than 64");
  const std::string unused = "- topology: b\n  flat: true\n  more: " + repeated("[", 60) + repeated("]", 60) + "\n";
  ck_assert_text_eq(parse_topology_yaml(tree_of("      - {switch: s1, nodes: n1}\n") + unused, "t.yaml").name, "a");
}
END_TEST

START_TEST(known_by_its_beginning) {
  for (const char* text : {"---\n", "# c\n\n- topology: a\n", "topology: a\n", "%YAML 1.2\n---\n", "---  \n- a\n"})
    ck_assert(is_topology_yaml({"t", text}));
  ck_assert(is_topology_yaml({"t", "[{\"topology\": \"a\", \"flat\": true}]\n"}));
  ck_assert(is_topology_yaml({"t.yaml", "topology: a\n"}));
  for (const char* text : {"", "# c\n", "SwitchName=s0 Nodes=n1\n", "tree 2 2\n", "-a\n"})
    ck_assert(!is_topology_yaml({"t", text}));
}
END_TEST

int main() {
  Suite* suite = suite_create("topology_yaml");
  TCase* all = tcase_create("all");
  tcase_add_test(all, the_default_topology_is_chosen);
  tcase_add_test(all, one_by_its_name);
  tcase_add_test(all, values_in_other_forms);
  tcase_add_test(all, one_entry_without_a_list);
  tcase_add_test(all, the_file_that_slurm_reads);
  tcase_add_test(all, orders_of_nodes);
  tcase_add_test(all, nodes_name_their_switches);
  tcase_add_test(all, toruses_and_rings);
  tcase_add_test(all, errors_have_the_line_of_the_file);
  tcase_add_test(all, an_alias_is_refused);
  tcase_add_test(all, many_anchors_are_refused);
  tcase_add_test(all, deep_values_are_refused);
  tcase_add_test(all, known_by_its_beginning);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
