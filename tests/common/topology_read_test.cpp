// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/topology_read.hpp"

#include "tests/words.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;

namespace {

ClusterView read(std::string_view text) {
  const TemporaryDirectory directory;
  return read_topology(directory.file("topo", text));
}

// Returns the text of the error without the directory of the file.
std::string error(std::string_view text) {
  const std::string whole = error_of([&] { read(text); });
  return whole.substr(std::min(whole.find("topo:"), whole.size()));
}

const std::vector<NodeShape> machine{{"a", 1, 2, 1}, {"b", 2, 1, 1}, {"c", 1, 2, 1}, {"d", 1, 2, 2}};

ClusterView read_of(std::string_view text, std::span<const std::int64_t> distances = {}) {
  const TemporaryDirectory directory;
  return read_topology_of(directory.file("topo", text), machine, distances);
}

}  // namespace

START_TEST(arities) {
  const ClusterView view = read("# a comment\n\ttree 2 3 4 # twenty-four\n");
  ck_assert_int_eq(view.tree->leaves(), 24);
  ck_assert_int_eq(view.tree->distance(0, 23), 6);
  ck_assert_uint_eq(view.nodes.size(), 0);
  const ClusterView far = read("tree 2 2\r\ndist 1 100\r\n");
  ck_assert_int_eq(far.tree->distance(0, 1), 1);
  ck_assert_int_eq(far.tree->distance(0, 3), 100);
}
END_TEST

START_TEST(bad_arities) {
  ck_assert_words(error(""), "topo empty");
  ck_assert_words(error("# nothing\n"), "topo empty");
  for (const char* text : {"vendid=0x2c9", "switch 36 \"S-1\"", "CA 43 1 0x2c9", "SW 1 19 0x2c9"})
    ck_assert_words(error(text), "topo:1: ibnetdiscover topology.conf");
  for (const char* text : {"\tGPU0\tCPU Affinity\n", "\033[4mGPU0\tCPU Affinity\033[0m\n"})
    ck_assert_words(error(text), "topo:1: nvidia-smi --node-topology");
  ck_assert_words(error("tree"), "topo:1: tree arities");
  ck_assert_words(error("tree 2 x"), "topo:1: arity 'x' 1 16777216");
  ck_assert_words(error("tree 2 0"), "topo:1: arity '0' 1 16777216");
  ck_assert_words(error("tree 2 2.5"), "topo:1: arity '2.5' 1 16777216");
  ck_assert_words(error("tree 65536 65536"), "topo 16777216 leaves");
  ck_assert_words(error("tree 2\ntree 2"), "topo:2: second tree line");
  ck_assert_words(error("tree 2\ndist 1\ndist 1"), "topo:3: second dist line");
  ck_assert_words(error("tree 2 2\n\ndist 1"), "topo:3: 1 distances 2 levels");
  ck_assert_words(error("tree 2 2\ndist"), "topo:2: 0 distances 2 levels");
  ck_assert_words(error("tree 2 2\ndist 2 -1"), "topo:2: distance '-1' 0 2147483647");
  ck_assert_error(read("tree 2 2\ndist 2 1"), "topo: distance 1: ");
  ck_assert_words(error("tree 2\nfaulty 1"), "topo:2: 'faulty' tree dist");
  ck_assert_words(error("torus 4 4"), "topo:1: 'torus' trees");
  for (const char* part : {"topo:1: '<?xml?>': ", " tleaf, SwitchName="}) ck_assert_error(read("<?xml?>"), part);
  ck_assert_error(read("---\n- topology: a\n"), "topology.yaml");
  ck_assert_error_words(read_topology("/nonexistent"), "/nonexistent No such file");
}
END_TEST

START_TEST(tleaf) {  // the distances that SCOTCH 7.0.3 gives for this file
  const ClusterView view = read("tleaf 3 2 100 2 10 3 1\n");
  ck_assert_int_eq(view.tree->leaves(), 12);
  ck_assert_int_eq(view.tree->distance(0, 2), 1);
  ck_assert_int_eq(view.tree->distance(0, 5), 11);
  ck_assert_int_eq(view.tree->distance(0, 6), 111);
  ck_assert_int_eq(read("tleaf\n3\n2 2\n2 2\n2 2").tree->distance(0, 7), 6);
}
END_TEST

START_TEST(bad_tleaf) {
  ck_assert_words(error("tleaf"), "topo:1: tleaf levels");
  ck_assert_words(error("tleaf 0"), "topo:1: levels '0' 1 64");
  ck_assert_words(error("tleaf 2 2 1 2"), "topo:1: 2 needs 4 numbers 3");
  ck_assert_words(error("tleaf 1 2 1\n2"), "topo:2: 1 needs 2 numbers 3");
  ck_assert_words(error("tleaf 1 2 -1"), "topo:1: cost '-1' 0 2147483647");
  ck_assert_error(read("tleaf 2 2 2147483647 2 1"), "topo: distance 2147483648: ");
}
END_TEST

START_TEST(slurm) {
  const TemporaryDirectory directory;
  directory.file("slurm.conf", "NodeName=n[1-4] Sockets=2 CoresPerSocket=2\n");
  const std::string path = directory.file(
      "topology.conf", "SwitchName=s0 Nodes=n[1-2]\nSwitchName=s1 Nodes=n[3-4]\nSwitchName=top Switches=s[0-1]\n");
  const ClusterView view = read_topology(path);
  ck_assert_uint_eq(view.nodes.size(), 4);
  ck_assert_int_eq(view.tree->leaves(), 16);
  ck_assert_int_eq(view.tree->distance(0, 15), 8);
  ck_assert_int_eq(view.nodes[3].first_leaf, 12);
  const std::string other = directory.file("other.conf", "NodeName=n[1-4] CPUs=1\n");
  ck_assert_int_eq(read_topology(path, other).tree->leaves(), 4);
  const std::vector<std::int64_t> distances{1, 2, 3, 4};
  ck_assert_int_eq(read_topology(path, {}, distances).tree->distance(0, 15), 4);
  directory.file("slurm.conf", "NodeName=n[1-3] CPUs=1\n");
  ck_assert_words(read_topology(path).warning, path + " n4 slurm.conf");
  const std::string ring = directory.file("ring.conf", "SwitchName=s0 Switches=s1\nSwitchName=s1 Switches=s0\n");
  ck_assert_error(read_topology(ring), "ring.conf: switch s0 is above");
}
END_TEST

START_TEST(what_scontrol_prints) {
  const std::string_view tree =
      "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=a,b\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=c,d\n"
      "SwitchName=s2 Level=1 LinkSpeed=1 Nodes=a,b,c,d Switches=s[0-1]\n";
  ck_assert_int_eq(read_of(tree).tree->distance(0, 7), 8);
  ck_assert_int_eq(
      read_of("SwitchName=s0 Nodes=a,b\nSwitchName=s1 Nodes=c,d\nSwitchName=s2 Switches=s[0-1]\n").tree->distance(0, 7),
      8);
  ck_assert_int_eq(
      read_of("AggregatedBlock=x[1-2] BlockIndex=2 Nodes=a,b,c,d BlockSize=4\nBlockName=x1 BlockIndex=0 Nodes=a,b "
              "BlockSize=2\nBlockName=x2 BlockIndex=1 Nodes=c,d BlockSize=2\n")
          .tree->distance(0, 7),
      8);
  const ClusterView rings = read_of("RingName=r0 Nodes=a,b RingSize=2\nRingName=r1 Nodes=c,d RingSize=2\n");
  ck_assert_int_ne(rings.nodes[1].fabric, rings.nodes[2].fabric);
  ck_assert_words(error("TorusName=t Dims=2x1x1 Nodes=a,b\n"), "topo:1: coordinates topology.yaml");
  ck_assert_error_words(read_of("SwitchName=s0 Level=x Nodes=a\n"), "Level=x number");
  ck_assert_error_words(read_of("SwitchName=s0 Level=0 Nodes=z\n"), "no switch block slurm.conf");
}
END_TEST

START_TEST(of_a_known_machine) {
  const ClusterView cores = read_of("tree 4 2");
  ck_assert_uint_eq(cores.nodes.size(), 4);
  ck_assert_int_eq(cores.tree->depth(), 2);
  ck_assert_int_eq(cores.nodes[3].first_leaf, 6);
  ck_assert_uint_eq(cores.nodes[1].core_free.size(), 2);
  const ClusterView nodes = read_of("tree 2 2");
  ck_assert_int_eq(nodes.tree->leaves(), 8);
  ck_assert_int_eq(nodes.tree->depth(), 4);
  ck_assert_int_eq(nodes.tree->distance(0, 1), 2);
  ck_assert_int_eq(nodes.tree->distance(nodes.nodes[0].first_leaf, nodes.nodes[1].first_leaf), 6);
  ck_assert_int_eq(nodes.tree->distance(nodes.nodes[0].first_leaf, nodes.nodes[2].first_leaf), 8);
  const std::vector<std::int64_t> distances{1, 10, 100, 1000};
  ck_assert_int_eq(read_of("tree 2 2", distances).tree->distance(0, 7), 1000);
  ck_assert_int_eq(read_of("SwitchName=s Nodes=a,b\nSwitchName=t Nodes=c,d").tree->leaves(), 8);
  ck_assert_error_words(read_of("tree 3"), "3 leaves 8 cores 4 nodes machine");
  ck_assert_error(read_of("tree 2 2\ndist 1 2"), "its leaves");
  const std::vector<std::int64_t> few{1};
  ck_assert_error_words(read_of("tree 2 2", few), "1 distances 4 levels");
}
END_TEST

int main() {
  Suite* suite = suite_create("topology_read");
  TCase* all = tcase_create("all");
  tcase_add_test(all, arities);
  tcase_add_test(all, bad_arities);
  tcase_add_test(all, tleaf);
  tcase_add_test(all, bad_tleaf);
  tcase_add_test(all, slurm);
  tcase_add_test(all, what_scontrol_prints);
  tcase_add_test(all, of_a_known_machine);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
