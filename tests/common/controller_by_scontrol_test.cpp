// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/slurm/controller_by_scontrol.hpp"

#include "tests/check.hpp"

using placement::KnownNodes;
using placement::parse_known_nodes;

namespace {

std::string node(const std::string& name, const std::string& state) {
  return "NodeName=" + name + " CoresPerSocket=4 Sockets=2 Boards=1 State=" + state + " ThreadsPerCore=2 TmpDisk=0\n";
}

}  // namespace

// Line by line as Slurm 22.05 and 26.05 print them.
START_TEST(shapes_and_states) {
  const KnownNodes nodes = parse_known_nodes(
      "NodeName=a1 Arch=x86_64 CoresPerSocket=8  CPUAlloc=0 CPUEfctv=32 CPUTot=32 CPULoad=0.10 AvailableFeatures=(null) "
      "ActiveFeatures=(null) Gres=(null) NodeAddr=a1 NodeHostName=a1 Version=22.05.8 OS=Linux 6.1.0 #1 SMP Debian  "
      "RealMemory=1 AllocMem=0 FreeMem=N/A Sockets=2 Boards=1 State=MIXED ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A "
      "MCS_label=N/A Partitions=p  BootTime=None Comment=State=DOWN Sockets=7 \n"
      "NodeName=b1 CoresPerSocket=1  CPUAlloc=0 CPUEfctv=1 CPUTot=1 CPULoad=N/A Gres=(null) NodeAddr=b1 NodeHostName=b1 "
      "RealMemory=1 AllocMem=0 FreeMem=N/A Sockets=1 Boards=1 State=DOWN+NOT_RESPONDING ThreadsPerCore=1 TmpDisk=0 \n");
  ck_assert_uint_eq(nodes.shapes.size(), 2);
  ck_assert_text_eq(nodes.shapes[0].name, "a1");
  ck_assert_int_eq(nodes.shapes[0].sockets, 2);
  ck_assert_int_eq(nodes.shapes[0].cores_per_socket, 8);
  ck_assert_int_eq(nodes.shapes[0].threads_per_core, 2);
  ck_assert_text_eq(nodes.shapes[1].name, "b1");
  ck_assert_int_eq(nodes.shapes[1].sockets * nodes.shapes[1].cores_per_socket, 1);
  ck_assert(nodes.take_jobs == std::vector<bool>({true, false}));
}
END_TEST

START_TEST(states_that_take_jobs) {
  for (const char* state : {"IDLE", "MIXED+PLANNED", "ALLOCATED+COMPLETING", "IDLE+CLOUD+POWERING_UP", "IDLE+RESERVED"})
    ck_assert_msg(parse_known_nodes(node("n", state)).take_jobs.at(0), "%s", state);
  for (const char* state : {"DOWN", "FUTURE", "UNKNOWN", "IDLE+DRAIN", "MIXED+DRAIN", "IDLE+MAINTENANCE",
                            "IDLE+NOT_RESPONDING", "ALLOCATED+FAIL", "IDLE+CLOUD+POWERED_DOWN", "IDLE+POWERING_DOWN"})
    ck_assert_msg(!parse_known_nodes(node("n", state)).take_jobs.at(0), "%s", state);
}
END_TEST

START_TEST(a_cluster_without_nodes) { ck_assert(parse_known_nodes("No nodes in the system\n").shapes.empty()); }
END_TEST

int main() {
  Suite* const suite = suite_create("controller_by_scontrol");
  TCase* const tests = tcase_create("controller_by_scontrol");
  tcase_add_test(tests, shapes_and_states);
  tcase_add_test(tests, states_that_take_jobs);
  tcase_add_test(tests, a_cluster_without_nodes);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
