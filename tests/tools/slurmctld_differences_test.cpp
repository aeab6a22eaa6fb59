// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/slurmctld_differences.hpp"

#include "common/topology/topology_yaml.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::tools;

namespace {

const ShownMachine shown{
    "NodeName=n1 Arch=x86_64 CoresPerSocket=4 CPUTot=8 State=IDLE ThreadsPerCore=1 Sockets=2 Boards=1\n"
    "NodeName=n2 CoresPerSocket=4 State=IDLE ThreadsPerCore=1 Sockets=2\n"
    "NodeName=n3 CoresPerSocket=4 State=DOWN ThreadsPerCore=1 Sockets=2\n"
    "NodeName=d7 CoresPerSocket=1 State=IDLE+DYNAMIC_NORM ThreadsPerCore=1 Sockets=1\n",
    "PartitionName=all AllowGroups=ALL Nodes=n[1-3]\nPartitionName=none Nodes=(null)\n",
    "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2]\nSwitchName=s2 Level=0 LinkSpeed=1 Nodes=n3\n"
    "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-3] Switches=s[1-2]\n"};

std::vector<std::string> differences(const std::string& slurm_conf, const std::string& topology_conf) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("slurm.conf", slurm_conf);
  if (!topology_conf.empty()) directory.file("topology.conf", topology_conf);
  const SlurmMachine machine = read_slurm_machine(path);
  return differences_from(shown, machine, read_switches(path, machine.nodes));
}

const std::string nodes = "NodeName=n[1-3] Sockets=2 CoresPerSocket=4\n";
const std::string partitions = "PartitionName=all Nodes=n3,n[1-2]\nPartitionName=none\n";
const std::string switches = "SwitchName=top Switches=s1,s2\nSwitchName=s1 Nodes=n1,n2\nSwitchName=s2 Nodes=n3\n";

}  // namespace

START_TEST(no_difference) { ck_assert_uint_eq(differences(nodes + partitions, switches).size(), 0); }
END_TEST

START_TEST(differences_of_each_kind) {
  const auto count = [](const std::string& slurm_conf, const std::string& topology_conf, const char* name) {
    const std::vector<std::string> lines = differences(slurm_conf, topology_conf);
    for (const std::string& line : lines) ck_assert_msg(line.find(name) != line.npos, "%s", line.c_str());
    return lines.size();
  };
  const std::string few_cores = "NodeName=n[1-2] Sockets=2 CoresPerSocket=4\nNodeName=n3 Sockets=2 CoresPerSocket=2\n";
  ck_assert_uint_eq(count(few_cores + partitions, switches, "n3"), 1);
  ck_assert_uint_eq(count("NodeName=n9\n" + nodes + partitions, switches, "n9"), 1);
  ck_assert_uint_eq(count(nodes + "PartitionName=all Nodes=n1\nPartitionName=none\n", switches, "all"), 1);
  ck_assert_uint_eq(count(nodes + "PartitionName=all Nodes=ALL\n", switches, "none"), 1);
  ck_assert_uint_eq(
      count(nodes + partitions, "SwitchName=top Switches=s1,s2\nSwitchName=s1 Nodes=n1\nSwitchName=s2 Nodes=n[2-3]\n",
            "switch s"),
      2);
  ck_assert_uint_eq(count(nodes + partitions, "", "switch "),
                    3);  // TopologyPlugin= reads a file that is gone
}
END_TEST

// With PrivateData=nodes, slurmctld shows a user nothing.
START_TEST(nothing_is_shown) { ck_assert(differences_from({"", "", ""}, SlurmMachine(), {}).empty()); }
END_TEST

int main() {
  Suite* suite = suite_create("slurmctld_differences");
  TCase* test = tcase_create("slurmctld_differences");
  tcase_add_test(test, no_difference);
  tcase_add_test(test, differences_of_each_kind);
  tcase_add_test(test, nothing_is_shown);
  suite_add_tcase(suite, test);
  return run_suite(suite);
}
