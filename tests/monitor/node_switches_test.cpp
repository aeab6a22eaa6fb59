// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/node_switches.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include "monitor/monitor/running_configuration.hpp"
#include "monitor/monitor/slurm_nodes.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::monitor;
using namespace placement::protocol;

START_TEST(hops_between_leaves) {
  TemporaryDirectory directory;
  const std::string conf = directory.file("slurm.conf", "");
  std::vector<NodeShape> names(8);
  for (int i = 1; i <= 8; ++i) names[static_cast<std::size_t>(i - 1)].name = "n" + std::to_string(i);
  NodeSwitches places = read_node_switches(conf, names);  // there is no topology.conf
  ck_assert_int_eq(places.leaves, 1);
  ck_assert(places.hops == std::vector<std::int32_t>{2});
  directory.file("topology.conf",
                 "SwitchName=s0 Nodes=n[1-2]\nSwitchName=s1 Nodes=n[3-4]\nSwitchName=s2 Nodes=n[5-6]\n"
                 "SwitchName=m0 Switches=s[0-1]\nSwitchName=root Switches=m0,s2\n");
  places = read_node_switches(conf, names);  // n7 and n8 are below no switch
  ck_assert_int_eq(places.leaves, 4);
  ck_assert(places.leaf_of_node == (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  const auto hops = [&](int a, int b) { return places.hops[static_cast<std::size_t>(a * 4 + b)]; };
  ck_assert_int_eq(hops(0, 0), 2);
  ck_assert_int_eq(hops(0, 1), 4);
  ck_assert_int_eq(hops(0, 2), 6);
  ck_assert_int_eq(hops(2, 1), 6);
  ck_assert_int_ge(hops(0, 3), 6);
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) ck_assert_int_eq(hops(a, b), hops(b, a));
  std::string warning;
  directory.file("topology.conf", "SwitchName=s0 Nodes=n[1-9]\n");  // n9 was retired
  ck_assert_int_eq(read_node_switches(conf, names, &warning).leaves, 1);
  ck_assert(warning.find("n9") != std::string::npos);
  directory.file("topology.conf", "# no switches yet\n");
  ck_assert_int_eq(read_node_switches(conf, names).leaves, 1);
  directory.file("topology.conf", "SwitchName=s0 Nodes=n[1-\n");
  ck_assert_error(read_node_switches(conf, names), "topology.conf:1");
  // Of a topology.yaml, the topology of the cluster.
  std::filesystem::remove(directory.path() + "/topology.conf");
  directory.file(
      "topology.yaml",
      "---\n- topology: partition\n  flat: true\n- topology: cluster\n  cluster_default: true\n  tree:\n    switches:\n"
      "      - switch: s0\n        nodes: n[1-6]\n      - switch: s1\n        nodes: n[7-8]\n"
      "      - switch: root\n        children: s[0-1]\n");
  places = read_node_switches(conf, names);
  ck_assert_int_eq(places.leaves, 2);
  ck_assert(places.leaf_of_node == (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 1, 1}));
  directory.file("topology.yaml", "---\n- topology: cluster\n  flat: true\n");
  ck_assert_int_eq(read_node_switches(conf, names).leaves, 1);
  directory.file("topology.yaml",
                 "---\n- topology: cluster\n  tree:\n    switches:\n      - switch: s0\n        nodes: n9\n");
  ck_assert_int_eq(read_node_switches(conf, names).leaves, 1);
}
END_TEST

// Each query looks at the files. A large site's files that cannot be read are not read again each time.
START_TEST(an_unreadable_file_is_read_again_after_seconds) {
  TemporaryDirectory directory;
  const std::string conf = directory.file("slurm.conf", "SlurmctldHost=c\nNodeName=n1\nInclude more.conf\n");
  directory.file("placement.conf", "");
  const std::vector<std::string> names = {"n1"};
  RunningConfiguration configuration(conf, Config(), names);
  ck_assert(!configuration.notes().empty());
  ck_assert(configuration.refresh().empty());
  directory.file("more.conf", "");
  ck_assert(configuration.refresh().empty());
  ck_assert(!configuration.notes().empty());
}
END_TEST

// A monitor starts without a file that it cannot read, and takes the file when it is mended.
START_TEST(files_are_mended) {
  TemporaryDirectory directory;
  const std::string conf = directory.file("slurm.conf", "SlurmctldHost=c\nNodeName=n[1-4]\n");
  const std::vector<std::string> names = {"n1", "n2", "n3", "n4"};
  directory.file("placement.conf", "");
  directory.file("topology.conf", "SwitchName=s0 Nodes=n[1-2]\nSwitchName=s1 Weather=fine\n");
  RunningConfiguration configuration(conf, Config(), names);
  ck_assert_int_eq(configuration.switches().leaves, 1);
  ck_assert_uint_eq(configuration.notes().size(), 1);
  ck_assert(configuration.notes()[0].find("topology.conf:2: ") != std::string::npos);
  ck_assert(configuration.refresh().empty());  // the log has this message already
  directory.file("topology.conf", "SwitchName=s0 Nodes=n[1-2]\nSwitchName=s1 Nodes=n[3-4,9]\n");
  ck_assert_uint_eq(configuration.refresh().size(), 2);  // the switches, and n9
  ck_assert_int_eq(configuration.switches().leaves, 2);
  directory.file("topology.conf", "SwitchName=s0 Nodes=n[1-\n");
  ck_assert_uint_eq(configuration.refresh().size(), 1);
  ck_assert_int_eq(configuration.switches().leaves, 2);
  ck_assert_uint_eq(configuration.notes().size(), 1);
  // Nodes may name their switch in slurm.conf.
  directory.file("slurm.conf",
                 "SlurmctldHost=c\nNodeName=n[1-2] Topology=default:s0\nNodeName=n[3-4] Topology=default:s1\n");
  directory.file("topology.conf", "SwitchName=s0\nSwitchName=s1\nSwitchName=empty\n");
  ck_assert_uint_eq(configuration.refresh().size(), 0);  // the switches are those of before
  ck_assert_int_eq(configuration.switches().leaves, 2);
  ck_assert(configuration.notes().empty());
}
END_TEST

START_TEST(addresses_are_remembered) {
  AddressCache book;
  const std::vector<NetAddress>& found = book.find("127.0.0.1", 5);
  ck_assert_uint_eq(found.size(), 1);
  ck_assert_int_eq(found[0].ip[10], 0xff);
  ck_assert_int_eq(found[0].ip[12], 127);
  ck_assert_uint_eq(book.find("::1", 5)[0].ip[15], 1);
  ck_assert(book.find("no.such.host.invalid", 5).empty());
}
END_TEST

// A resolver that does not answer takes seconds for each name, and the monitor hears nobody meanwhile.
START_TEST(a_slow_lookup_is_followed_by_a_pause) {
  static int lookups = 0;
  AddressCache book([](const std::string& host, std::uint16_t) {
    ++lookups;
    if (host == "slow") usleep(150'000);
    return host == "slow" ? std::vector<NetAddress>() : std::vector<NetAddress>(1);
  });
  for (const char* host : {"a", "b", "slow", "c", "slow"}) book.find(host, 5);
  ck_assert_int_eq(lookups, 3);
  ck_assert_uint_eq(book.find("a", 5).size(), 1);
  ck_assert(book.find("c", 5.7).empty());
  ck_assert_uint_eq(book.find("c", 50).size(), 1);
  ck_assert_int_eq(lookups, 4);
}
END_TEST

START_TEST(what_slurmctld_says) {
  const SlurmAnswer answer = parse_slurm_answer(
      "n n1 r\nn n2 o\nn n3 x\nn n2 r\nnonsense\nj n1 17\nj n9 5\nj n1 -1\nj n1 18\nn n4 p\n.\nn n5 r\n");
  ck_assert(answer.whole && !answer.is_next_to_active);
  const std::vector<SlurmNode>& nodes = answer.nodes;
  ck_assert_uint_eq(nodes.size(), 3);
  ck_assert_text_eq(nodes[0].name, "n1");
  ck_assert(nodes[0].view == SlurmView::responding && nodes[1].view == SlurmView::down);
  ck_assert(nodes[0].jobs == (std::vector<std::uint32_t>{17, 18}));
  ck_assert(nodes[2].view == SlurmView::planned);
  ck_assert(!parse_slurm_answer("n n1 r\n").whole);
  ck_assert(parse_slurm_answer("").nodes.empty());
  for (const char* text : {"d\nc\n", "h\nd\nc\n"}) ck_assert(parse_slurm_answer(text).denied);
  for (const char* text : {"", "dd\n", "n d r\n"}) ck_assert(!parse_slurm_answer(text).denied);
  ck_assert(*parse_slurm_answer("h\n").is_next_to_active && !*parse_slurm_answer("-\n").is_next_to_active);
}
END_TEST

START_TEST(what_is_in_force_in_slurmctld) {
  ck_assert(!parse_slurm_answer("n n1 r\n.\n").controller);
  const auto stock = parse_slurm_answer("n n1 r\nc\n.\n").controller;
  ck_assert(stock && stock->mode.empty());
  for (const char* part : {"select_cons_tres.so", "25.05", "mpi_placement.so"})
    ck_assert_msg(trouble_of(*stock).find(part) != std::string::npos, "%s", part);
  ControllerState state;
  state.mode = "enforce";
  state.configuration = "/etc/slurm/placement.conf";
  state.live = LiveUse::refused;
  state.live_text = "/run/snapshot: belongs to user 5 (a = b: c)";
  state.not_recorded = "/run/ring: locked";
  state.monitor_user = "placement";
  state.monitor_port = 6828;
  state.longest_hold_us = 52134;
  state.decisions_over_limit = 3;
  state.settings = {{"NlaWeights", "alpha=0.4,beta=0.6"}, {"PartitionPolicies", "debug:NLA long:NLA=wait=60"}};
  std::string lines = "n n1 r\nc\n";
  for (const auto& [name, value] : facts_of(state)) lines += "c " + name + "   = " + value + "\n";
  const auto read = parse_slurm_answer(lines + ".\n").controller;
  ck_assert(read && *read == state);
  ck_assert_words(trouble_of(*read), "live data " + state.live_text + " decisions " + state.not_recorded);
  state.live = LiveUse::none;
  ck_assert_words(trouble_of(state), "decisions " + state.not_recorded);
  ck_assert(!has_words(trouble_of(state), "live data"));
  state.failure = "placement.conf:3: x\nPlacementMode = enforce";  // a message must stay one line
  state.mode = "off";
  state.live = LiveUse::off;
  state.live_text.clear();
  lines = "c\n";
  for (const auto& [name, value] : facts_of(state)) lines += "c " + name + " = " + value + "\n";
  ck_assert_words(trouble_of(*parse_slurm_answer(lines).controller), "off placement.conf:3 x?PlacementMode = enforce");
  state.settings = {{"TorusFile", std::string(2 * max_fact_bytes, 'x')}};
  for (const auto& [name, value] : facts_of(state)) ck_assert_uint_le(value.size(), max_fact_bytes);
}
END_TEST

START_TEST(nobody_answers) {
  // Without a slurm.conf the asking process ends, and this process goes on.
  SlurmNodes asker("/no/such/slurm.conf", 0);
  ck_assert(!asker.collect(0));
  ck_assert_text_eq(asker.ask(0), "");
  ck_assert(asker.asking());
  ck_assert_int_ge(asker.descriptor(), 0);
  const auto answer = asker.collect(SlurmNodes::most_s + 1);  // it has ended or is given up
  ck_assert(answer && !answer->whole && !answer->denied);
  ck_assert(!asker.asking() && asker.descriptor() < 0);
}
END_TEST

// A host without room for one more descriptor or process says so, and is asked again later.
START_TEST(no_room_to_ask) {
  SlurmNodes asker("/no/such/slurm.conf", 0);
  rlimit before{};
  ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::string wrong = asker.ask(0);
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
  ck_assert_text_eq(wrong, "pipe2: Too many open files");
  ck_assert(!asker.asking() && !asker.collect(1));
  ck_assert_text_eq(asker.ask(2), "");
  ck_assert(asker.asking());
}
END_TEST

int main() {
  Suite* suite = suite_create("places");
  TCase* tests = tcase_create("places");
  tcase_add_test(tests, hops_between_leaves);
  tcase_add_test(tests, files_are_mended);
  tcase_add_test(tests, an_unreadable_file_is_read_again_after_seconds);
  tcase_add_test(tests, addresses_are_remembered);
  tcase_add_test(tests, a_slow_lookup_is_followed_by_a_pause);
  tcase_add_test(tests, what_slurmctld_says);
  tcase_add_test(tests, what_is_in_force_in_slurmctld);
  tcase_add_test(tests, what_is_in_force_in_slurmctld);
  tcase_add_test(tests, nobody_answers);
  tcase_add_test(tests, no_room_to_ask);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
