// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/slurm_partitions.hpp"

#include "common/util/hostlist.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;

// The nodes of each partition, as slurmctld finds them.
START_TEST(partitions) {
  const TemporaryDirectory directory;
  const SlurmMachine machine = read_slurm_machine(
      directory.file("slurm.conf",
                     "NodeName=DEFAULT Feature=big\nNodeName=n[1-12] Features=fast,old\nNodeName=b[1-2]\n"
                     "PartitionName=first Nodes=old,b1\nPartitionName=DEFAULT Nodes=n3\nNodeSet=old Feature=old\n"
                     "NodeSet=both Feature=big Nodes=n[2-3]\nPartitionName=second\nPartitionName=third Nodes=all\n"
                     "PartitionName=fourth Nodes=\"both n12 ,\" Default=YES\nPartitionName=fifth Nodes=gone\n"
                     "NodeSet=every Nodes=all\nPartitionName=sixth Nodes=every\n"));
  std::string text;
  for (const PartitionShape& partition : machine.partitions) {
    text += partition.name + ":";
    for (const std::string& node : partition.nodes) text += " " + node;
    text += "\n";
  }
  const std::string all = " n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11 n12\n";
  ck_assert_text_eq(text, "first: b1" + all + "second: n3\nthird: b1 b2" + all +
                              "fourth: b1 b2 n2 n3 n12\nfifth:\nsixth: b1 b2" + all);
}
END_TEST

// Nodes=switch{s1} from Slurm 24.11 on. slurmctld takes the nodes of a switch from its own table, in which a node may
// be below several leaf switches. It logs a function that it does not understand, and ignores it.
START_TEST(functions) {
  const TemporaryDirectory directory;
  const auto nodes = [&](const std::string& list, const std::string& plugin = "TopologyPlugin=topology/Tree\n") {
    const std::string path = directory.file(
        "slurm.conf",
        plugin +
            "NodeName=n[1-4,9] Features=a,b\nNodeName=m Features=b\nNodeSet=set Nodes=switch{s2}\nPartitionName=p Nodes=" +
            list + "\n");
    return compress_hostlist(read_slurm_machine(path).partitions.at(0).nodes);
  };
  ck_assert_text_eq(nodes("switch{s1},m"), "m");  // without a topology file
  directory.file("topology.conf",
                 "SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\nSwitchName=s3\nSwitchName=top "
                 "Switches=s[1-3]\n");
  ck_assert_text_eq(nodes("switch{s1},n9"), "n[1-2,9]");
  ck_assert_text_eq(nodes("switch{s1},n9", ""), "n9");  // topology/flat, without the file
  ck_assert_text_eq(nodes("switch{s1},n9", "TopologyPlugin=topology/flat\n"), "n9");
  ck_assert_text_eq(nodes("block{s1}"), "n[1-2]");  // the words mean the same
  ck_assert_text_eq(nodes("switchwith{n3}"), "n[3-4]");
  ck_assert_text_eq(nodes("switchwith{n9}"), "n9");
  ck_assert_text_eq(nodes("switch{s[1-2]}"), "n[1-4]");
  ck_assert_text_eq(nodes("switch{top}"), "n[1-4]");
  ck_assert_text_eq(nodes("set,m"), "m,n[3-4]");
  ck_assert_text_eq(nodes("feature{a}"), "n[1-4,9]");
  ck_assert_text_eq(nodes("feature{none}"), "");
  for (const char* nothing : {"switch{s3}", "switch{s9}", "switchwith{n8}", "Switch{s1}", "leaf{s1}", "switch{s1"})
    ck_assert_text_eq(nodes(std::string("n1,") + nothing), "n1");
  directory.file("topology.conf",
                 "SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[2-3]\nSwitchName=s3 Nodes=n[3-4]\n"
                 "SwitchName=top Switches=s[1-3]\n");
  ck_assert_text_eq(nodes("switch{s1}"), "n[1-2]");
  ck_assert_text_eq(nodes("switch{s2}"), "n[2-3]");
  ck_assert_text_eq(nodes("switch{top}"), "n[1-4]");
  ck_assert_text_eq(nodes("switchwith{n1}"), "n[1-4]");  // each switch adds nodes, by which the next one is found
  ck_assert_text_eq(nodes("switchwith{n4}"), "n[3-4]");
  directory.file("topology.conf", "SwitchName=s1 Switches=s1\n");
  ck_assert_error(nodes("switch{s1}"), "topology.conf: ");
  for (const char* list : {"feature{a}", "n[1-4,9]"}) ck_assert_text_eq(nodes(list), "n[1-4,9]");
  directory.file("topology.conf",
                 "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n3\nBlockName=b3 Nodes=n4\nBlockSizes=1,2\n");
  ck_assert_text_eq(nodes("block{b2}"), "n3");
  ck_assert_text_eq(nodes("blockwith{n1}"), "n[1-2]");
  directory.file("topology.conf", "RingName=r1 Nodes=n[1-2]\nRingName=r2 Nodes=n[3-4]\n");
  ck_assert_text_eq(nodes("ring{r2}"), "n[3-4]");
  std::filesystem::remove(directory.path() + "/topology.conf");
  directory.file("topology.yaml",
                 "- topology: t\n  torus3d:\n    toruses:\n"
                 "      - {name: pod1, dims: {x: 2, y: 1, z: 1}, nodes: 'n[1-2]'}\n"
                 "      - name: pod2\n        dims: {x: 2, y: 1, z: 1}\n        regions:\n"
                 "          - {dims: {x: 1, y: 1, z: 1}, nodes: n3}\n"
                 "          - {anchor: {x: 1, y: 0, z: 0}, dims: {x: 1, y: 1, z: 1}, nodes: n4}\n");
  ck_assert_text_eq(nodes("torus{pod1}"), "n[1-2]");
  ck_assert_text_eq(nodes("torus{pod2}"), "n[3-4]");
  ck_assert_text_eq(nodes("toruswith{n4}"), "n[3-4]");
}
END_TEST

int main() {
  Suite* suite = suite_create("slurm_partitions");
  TCase* all = tcase_create("all");
  tcase_add_test(all, partitions);
  tcase_add_test(all, functions);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
