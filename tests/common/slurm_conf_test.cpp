// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/slurm_conf.hpp"

#include "config.h"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;

namespace {

std::vector<NodeShape> nodes_of(std::string_view text) {
  const TemporaryDirectory directory;
  return read_node_shapes(directory.file("slurm.conf", text));
}

// Returns "sockets x cores x threads" of the first node.
std::string shape_of(const std::string& attributes) {
  const NodeShape node = nodes_of("NodeName=n " + attributes + "\n").at(0);
  return std::to_string(node.sockets) + "x" + std::to_string(node.cores_per_socket) + "x" +
         std::to_string(node.threads_per_core);
}

}  // namespace

START_TEST(lines) {
  const auto read = conf_lines(
      "# all of it\n"
      "A=1  b = \"two words\" C=\\#3 # and more\n"
      "\n"
      "D=x,\\\n"
      "  y \\\n"
      " E=2\r\n"
      "include sub.conf\n"
      "F=\"open");
  ck_assert_uint_eq(read.size(), 4);
  ck_assert_int_eq(read[0].number, 2);
  ck_assert_text_eq(*read[0].value("B"), "two words");
  ck_assert_text_eq(*read[0].value("c"), "#3");
  ck_assert_ptr_null(read[0].value("D"));
  ck_assert_int_eq(read[1].number, 4);
  ck_assert_text_eq(*read[1].value("d"), "x,");  // as in Slurm, the blanks before a '\\' and after it stay
  ck_assert_text_eq(read[1].rest, "y  E=2");
  ck_assert_text_eq(read[2].rest, "include sub.conf");
  ck_assert_text_eq(*read[3].value("F"), "\"open");
  ck_assert_text_eq(conf_lines("A=1 \\")[0].pairs[0].second, "1");
}
END_TEST

// The result of Slurm's parser for these lines.
START_TEST(continued_lines) {
  const auto pairs = [](std::string_view text) {
    std::string all;
    for (const ConfLine& line : conf_lines(text)) {
      for (const auto& [key, value] : line.pairs) all += key + "=" + value + ";";
      all += line.rest.empty() ? "|" : "(" + line.rest + ")|";
    }
    return all;
  };
  ck_assert_text_eq(pairs("NodeName=n[1-4]\\\n NodeAddr=x\\\n\tCPUs=2\n"), "NodeName=n[1-4];NodeAddr=x;CPUs=2;|");
  ck_assert_text_eq(pairs("A=1 \\ # comment\r\nB=2\n"), "A=1;B=2;|");
  ck_assert_text_eq(pairs("A=n1,\\\nn2\nB=3\\\\\n"), "A=n1,n2;|B=3\\;|");
  ck_assert_text_eq(pairs("A=1\\  \t\r\n B=2\n"), "A=1;B=2;|");
  ck_assert_text_eq(pairs("A = 1 B+=2 C=\"\" D=\"a b\" E=\"x\"y\n"), "A=1;B=2;C=;D=a b;E=\"x\"y;|");
  ck_assert_text_eq(pairs("A= B=1\nC=\n"), "A=B=1;|(C=)|");
}
END_TEST

// Returns a digit for each core of each node: 1 if Slurm offers the core, else 0.
std::string offered(const std::string& text) {
  std::string all;
  for (const NodeShape& node : nodes_of(text)) {
    std::vector<bool> cores = node.offered;
    cores.resize(static_cast<std::size_t>(node.sockets) * static_cast<std::size_t>(node.cores_per_socket), true);
    if (!all.empty()) all += ' ';
    for (const bool core : cores) all += core ? '1' : '0';
  }
  return all;
}

// The cores that slurmd reserves by these lines, and how slurmctld corrects wrong lines.
START_TEST(reserved_cores) {
  const auto node = [](const std::string& attributes) {
    return offered("NodeName=n Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 " + attributes + "\n");
  };
  ck_assert_text_eq(node(""), "11111111");
  ck_assert_text_eq(node("CoreSpecCount=0"), "11111111");
  ck_assert_text_eq(node("CoreSpecCount=1"), "11111110");
  ck_assert_text_eq(node("CoreSpecCount=2"), "11101110");
  ck_assert_text_eq(node("CoreSpecCount=3"), "11101100");
  ck_assert_text_eq(node("corespeccount=7"), "10000000");
  ck_assert_text_eq(node("CoreSpecCount=8"), "11111110");  // as in Slurm: reset to 1
  ck_assert_text_eq(node("CpuSpecList=0,9-10"), "01110011");
  ck_assert_text_eq(node("CPUSpecList=0 CoreSpecCount=3"), "01111111");
  ck_assert_text_eq(node("CPUs=8 CpuSpecList=\"[1, 3-4]\""), "10100111");
  ck_assert_text_eq(node("CPUs=8 CpuSpecList=2,"), "01011111");  // as in Slurm: nothing after the comma is 0
  ck_assert_text_eq(node("CPUs=8 CpuSpecList=0-6:2"), "01010111");
  ck_assert_text_eq(node("CPUs=8 CpuSpecList=0:2 CoreSpecCount=1"), "11111110");
  ck_assert_text_eq(node("CpuSpecList=16 CoreSpecCount=1"), "11111110");  // there is no CPU 16
  ck_assert_text_eq(node("CPUs=8 CpuSpecList=1"), "10111111");            // here a CPU is a core
  ck_assert_text_eq(node("CPUs=2 CpuSpecList=0-1"), "00111111");
  ck_assert_text_eq(node("CPUs=2 CpuSpecList=0-3 CoreSpecCount=1"), "11111110");  // there is no CPU 3
  ck_assert_text_eq(offered("NodeName=DEFAULT CPUs=4 CoreSpecCount=1\nNodeName=a\nNodeName=b CoreSpecCount=2\n"),
                    "1110 1100");  // four sockets, from the last one
}
END_TEST

START_TEST(reserved_from_first) {
  const std::string node = "NodeName=n Sockets=2 CoresPerSocket=4 CoreSpecCount=3\n";
  ck_assert_text_eq(offered(node + "SchedulerParameters=bf_continue,Spec_Cores_First\n"), "00110111");
  ck_assert_text_eq(offered("SchedulerParameters=spec_cores_first\n" + node + "SchedulerParameters=bf_continue\n"),
                    "11101100");
}
END_TEST

START_TEST(states) {
  for (const char* state : {"DOWN", "future", "DRAIN", "Drained", "FAIL", "failing", "ERROR"})
    ck_assert_text_eq(offered(std::string("NodeName=n CPUs=2 State=") + state + "\n"), "00");
  for (const char* state : {"UNKNOWN", "IDLE", "CLOUD", "Allocated", "MIXED"})
    ck_assert_text_eq(offered(std::string("NodeName=n CPUs=2 State=") + state + "\n"), "11");
  ck_assert_text_eq(
      offered("DownNodes=a2,gone Reason=x\nNodeName=DEFAULT State=FUTURE\nNodeName=a[1-3] State=IDLE\n"
              "NodeName=b[1-2]\nDownNodes=a3 State=UNKNOWN\nDownNodes=b2 State=IDLE\nDownNodes=b1 State=x\n"),
      "1 0 1 0 1");
  ck_assert_text_eq(offered("NodeName=n[1-2] NodeHostname=h[1-2]\nDownNodes=h2\n"), "1 0");
  ck_assert_error(nodes_of("NodeName=n CoreSpecCount=x\n"), "slurm.conf:1: CoreSpecCount=x");
  ck_assert_error(nodes_of("NodeName=n[1-2]\nDownNodes=n[1-\n"), "slurm.conf:2: ");
}
END_TEST

START_TEST(sockets_follow_slurm) {
  ck_assert_text_eq(shape_of("Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 CPUs=32"), "2x8x2");
  ck_assert_text_eq(shape_of("CPUs=4"), "4x1x1");
  ck_assert_text_eq(shape_of("Procs=4"), "4x1x1");
  ck_assert_text_eq(shape_of("CPUs=16 CoresPerSocket=4 ThreadsPerCore=2"), "2x4x2");
  ck_assert_text_eq(shape_of("CPUs=3 CoresPerSocket=2"), "1x2x1");
  ck_assert_text_eq(shape_of("Boards=2 SocketsPerBoard=2 CoresPerSocket=3"), "4x3x1");
  ck_assert_text_eq(shape_of("Sockets=3 SocketsPerBoard=2"), "2x1x1");
  ck_assert_text_eq(shape_of("Boards=2"), "2x1x1");
  ck_assert_text_eq(shape_of("RealMemory=10"), "1x1x1");
  ck_assert_text_eq(shape_of("Sockets=0x2 CoresPerSocket=010 ThreadsPerCore=0"), "2x8x1");
  ck_assert_text_eq(shape_of("Gres=gpu:2 state=UNKNOWN cpus=2 sockets=1 corespersocket=2"), "1x2x1");
}
END_TEST

START_TEST(cpus_are_threads_or_cores) {
  const auto counted = [](const std::string& text) {
    return nodes_of("NodeName=n Sockets=2 CoresPerSocket=4 " + text).at(0).cpus_per_core;
  };
  ck_assert_int_eq(counted(""), 1);
  ck_assert_int_eq(counted("ThreadsPerCore=2"), 2);
  ck_assert_int_eq(counted("CPUs=16 ThreadsPerCore=2"), 2);
  ck_assert_int_eq(counted("CPUs=8 ThreadsPerCore=2"), 1);
  ck_assert_int_eq(counted("CPUs=2 ThreadsPerCore=2"), 1);
  ck_assert_int_eq(counted("CPUs=12 ThreadsPerCore=2"), 2);  // slurmctld corrects 12 to 16
  ck_assert_int_eq(counted("CPUs=8"), 1);
}
END_TEST

START_TEST(defaults_and_order) {
  const auto nodes = nodes_of(
      "ClusterName=x\n"
      "NodeName=DEFAULT Sockets=2 CoresPerSocket=4\n"
      "NodeName=b[1-2] NodeAddr=10.0.0.[1-2]\n"
      "nodename=default CoresPerSocket=6\n"
      "NodeName=a1\n"
      "PartitionName=p Nodes=ALL\n");
  ck_assert_uint_eq(nodes.size(), 3);
  ck_assert_text_eq(nodes[0].name, "a1");
  ck_assert_int_eq(nodes[0].sockets, 2);
  ck_assert_int_eq(nodes[0].cores_per_socket, 6);
  ck_assert_text_eq(nodes[1].name, "b1");
  ck_assert_int_eq(nodes[2].cores_per_socket, 4);
  std::string order;
  for (const NodeShape& node : nodes_of("NodeName=n10,n9,n02,n1,m,n010,n,nx1,n1-2,n1-10\n")) order += node.name + " ";
  ck_assert_text_eq(order, "m n n010 n02 n1 n1-2 n1-10 n9 n10 nx1 ");
}
END_TEST

// TopologyParam=SwitchAsNodeRank: by leaf switch, those without a switch first. topology/block before Slurm 25.05: by
// line.
START_TEST(orders) {
  const TemporaryDirectory directory;
  const auto order = [&](const std::string& keys) {
    std::string names;
    for (const NodeShape& node :
         read_node_shapes(directory.file("slurm.conf", keys + "NodeName=b[3-4]\nNodeName=a[1-2]\nNodeName=c[10,9]\n")))
      names += node.name + " ";
    return names;
  };
  const std::string by_name = "a1 a2 b3 b4 c9 c10 ", by_line = "b3 b4 a1 a2 c10 c9 ";
  const std::string plugin = "TopologyPlugin=topology/block\n",
                    ranked = "TopologyPlugin=topology/tree\nTopologyParam=RouteTree,SwitchAsNodeRank\n";
  ck_assert_text_eq(
      order(plugin),
      SLURM_RELEASE >= std::string_view("23.11") && SLURM_RELEASE < std::string_view("25.05") ? by_line : by_name);
  ck_assert_text_eq(order("TopologyPlugin=topology/tree\n"), by_name);
  ck_assert_text_eq(order(ranked), by_name);  // no switches
  directory.file("topology.conf", "SwitchName=x Nodes=c9\nSwitchName=t Switches=x,y\nSwitchName=y Nodes=b[3-4],c10\n");
  ck_assert_text_eq(order(ranked), "a1 a2 c9 b3 b4 c10 ");
  ck_assert_text_eq(order("topologyparam=SWITCHASNODERANK\ntopologyplugin=tree\n"), "a1 a2 c9 b3 b4 c10 ");
  directory.file("topology.conf",
                 "SwitchName=x Nodes=c9,b3\nSwitchName=y Nodes=b[3-4],c10\nSwitchName=z Nodes=a2,b4\n");
  ck_assert_text_eq(order(ranked), "a1 c9 b3 c10 b4 a2 ");  // a node of several switches: by the last
  ck_assert_text_eq(order("TopologyPlugin=topology/tree\nTopologyParam=BlockAsNodeRank\n"), by_name);
  ck_assert_text_eq(order("TopologyPlugin=topology/flat\nTopologyParam=SwitchAsNodeRank\n"), by_name);
  ck_assert_text_eq(order(""), by_name);
  directory.file("topology.conf", "SwitchName=\n");
  ck_assert_text_eq(order(ranked), by_name);  // the reader of this file reports it
}
END_TEST

START_TEST(includes) {
  const TemporaryDirectory directory;
  directory.file("nodes.conf", "NodeName=n[1-2] CPUs=2\n");
  const std::string path = directory.file("slurm.conf", "Include nodes.conf\nNodeName=n3\n");
  ck_assert_uint_eq(read_node_shapes(path).size(), 3);
  // An include in an included file: from Slurm 23.02 on in the directory of slurm.conf.
  std::filesystem::create_directory(directory.path() + "/more");
  directory.file("more/nodes.conf", "Include rest.conf\nNodeName=n4\n");
  directory.file("rest.conf", "NodeName=top\n");
  directory.file("more/rest.conf", "NodeName=deep\n");
  directory.file("slurm.conf", "Include more/nodes.conf\n");
  ck_assert_text_eq(read_node_shapes(path)[0].name, SLURM_RELEASE >= std::string_view("23.02") ? "n4" : "deep");
  ck_assert_text_eq(read_node_shapes(path)[1].name, SLURM_RELEASE >= std::string_view("23.02") ? "top" : "n4");
  directory.file("nodes_foo.conf", "NodeName=f[1-2]\n");
  directory.file("slurm.conf", "ClusterName=FOO\nInclude nodes_%c.conf\nNodeName=n3\n");
  ck_assert_uint_eq(read_node_shapes(path).size(), 3);
  directory.file("slurm.conf", "NodeName=n3\ninclude *.none\n");
  ck_assert_error(read_node_shapes(path), "slurm.conf:2: *.none");  // slurmctld refuses it too
  directory.file("slurm.conf", "Include nodes_%c.conf\n");
  ck_assert_error(read_node_shapes(path), "slurm.conf:1: nodes_%c.conf");
  directory.file("slurm.conf", "Include nodes.conf\nNodeName=n3\n");
  directory.file("nodes.conf", "NodeName=n1\nNodeName=n[0-1]\n");
  ck_assert_error(read_node_shapes(path), "nodes.conf:2: node n1 is given twice");
  directory.file("nodes.conf", "include slurm.conf\n");
  ck_assert_error(read_node_shapes(path), "include each");
  // Each of 64 lines includes a file with 64 lines, which all include a file with 64 lines.
  std::string bottom, middle, top;
  for (int k = 0; k < 64; ++k) {
    top += "include middle.conf\n";
    middle += "include bottom.conf\n";
    bottom += "include nothing.conf\n";
  }
  directory.file("middle.conf", middle);
  directory.file("bottom.conf", bottom);
  directory.file("nothing.conf", "");
  directory.file("slurm.conf", top);
  ck_assert_error(read_node_shapes(path), "more than 10000 included");
  directory.file("slurm.conf", "include gone.conf\n");
  ck_assert_error(read_node_shapes(path), "gone.conf: cannot be opened: No such file");
}
END_TEST

START_TEST(bad_nodes) {
  ck_assert_error(nodes_of(""), "no NodeName");
  ck_assert_error(nodes_of("\xef\xbb\xbfNodeName=n\n"), "slurm.conf:1: starts with a byte order mark");
  ck_assert_error(nodes_of("\nNodeName=n[1-"), "slurm.conf:2: host list 'n[1-': brackets");
  ck_assert_error(nodes_of("NodeName=n CPUs=-1"), "slurm.conf:1: CPUs=-1");
  ck_assert_error(nodes_of("NodeName=n CPUs=08"), "slurm.conf:1: CPUs=08");  // no octal number
  ck_assert_error(nodes_of("NodeName=n Sockets=two"), "Sockets=two");
  ck_assert_error(nodes_of("NodeName=n Boards=65535 SocketsPerBoard=2"), "131070 sockets");
  ck_assert_error(nodes_of("NodeName=n CPUs=2 fast"), ":1: 'fast' ");
  ck_assert_error(nodes_of("NodeName=n[1-100000] Features=" + std::string(3000, 'f')), ":1: Features= and Topology=");
  ck_assert_error(read_node_shapes("/nonexistent/slurm.conf"),
                  "/nonexistent/slurm.conf: cannot be opened: No such file");
}
END_TEST

int main() {
  Suite* suite = suite_create("slurm_conf");
  TCase* all = tcase_create("all");
  tcase_add_test(all, lines);
  tcase_add_test(all, continued_lines);
  tcase_add_test(all, reserved_cores);
  tcase_add_test(all, reserved_from_first);
  tcase_add_test(all, states);
  tcase_add_test(all, sockets_follow_slurm);
  tcase_add_test(all, cpus_are_threads_or_cores);
  tcase_add_test(all, defaults_and_order);
  tcase_add_test(all, orders);
  tcase_add_test(all, includes);
  tcase_add_test(all, bad_nodes);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
