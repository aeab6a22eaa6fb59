// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of input from users: weights, profiles, and tables of nodes and pairs.
#include <cmath>
#include <numeric>
#include <utility>

#include "netload/load_tables.hpp"
#include "netload/profile_weights.hpp"
#include "tests/words.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::netload;

START_TEST(weights_by_name) {
  ck_assert_double_eq(nla_weights({}).beta, 0.7);
  ck_assert_double_eq_tol(nla_weights({{"alpha", "0.4"}}).beta, 0.6, 1e-12);
  ck_assert_double_eq_tol(nla_weights({{"beta", "1"}}).alpha, 0, 1e-12);
  const NlaWeights set =
      nla_weights({{"cpu_load", "0.5"}, {"flow_rate_bps", "0"}, {"latency", "0.9"}, {"matrix", "x"}});
  ck_assert_double_eq(set.of(NodeAttribute::cpu_load), 0.5);
  ck_assert_double_eq(set.of(NodeAttribute::flow_rate), 0);
  ck_assert_double_eq(set.of(NodeAttribute::cpu_utilisation), 0.2);
  ck_assert_double_eq(set.latency, 0.9);
  ck_assert_error_words(nla_weights({{"alpha", "0.3"}, {"beta", "0.8"}}), "alpha=0.3 beta=0.8 1.1 1");
  ck_assert_error_words(nla_weights({{"alpha", "1.5"}}), "alpha=1.5 0 1");
  ck_assert_error(nla_weights({{"cores", "-1"}}), "cores=-1");
  ck_assert_error(nla_weights({{"cores", "nan"}}), "cores=nan");
  ck_assert_error(nla_weights({{"cores", "1x"}}), "cores=1x");
}
END_TEST

// slurm-placement(7) has these defaults: those of the paper [NLA §2, §3, §6].
START_TEST(default_weights_are_those_of_the_paper) {
  const NlaWeights weights = nla_weights({});
  ck_assert_double_eq(weights.alpha, 0.3);
  ck_assert_double_eq(weights.beta, 0.7);
  ck_assert_double_eq(weights.latency, 0.25);
  ck_assert_double_eq(weights.bandwidth, 0.75);
  const std::pair<NodeAttribute, double> attributes[] = {
      {NodeAttribute::cpu_load, 0.3},    {NodeAttribute::cpu_utilisation, 0.2}, {NodeAttribute::flow_rate, 0.2},
      {NodeAttribute::memory_used, 0.1}, {NodeAttribute::cores, 0.1},           {NodeAttribute::frequency, 0.05},
      {NodeAttribute::memory, 0.05},     {NodeAttribute::memory_available, 0},  {NodeAttribute::users, 0}};
  ck_assert_uint_eq(std::size(attributes), node_attribute_count);
  for (const auto& [attribute, weight] : attributes) ck_assert_double_eq(weights.of(attribute), weight);
}
END_TEST

START_TEST(weights_from_a_profile) {
  const NetworkUse use =
      network_use_of_summary(R"({"ranks": 4, "network_use" :"0.5:4:1111.11:8.53278e+06", "nodes": []})", "s");
  ck_assert_double_eq(use.waiting_share, 0.5);
  const TypicalLink gigabit;
  Parameters weights = profile_weights(use, gigabit);
  ck_assert_text_eq(weights["alpha"] + " " + weights["beta"], "0.500 0.500");
  ck_assert_text_eq(weights["latency"], "0.494");  // 60 us of 60 + 7679.5 bytes at 125 MB/s
  ck_assert_double_eq(nla_weights(weights).beta, 0.5);
  // All messages take 486 us, a small part of a longer run: 4 * (240 us + 30718 B / 125 MB/s) / 4 / 2.5 ms.
  const NetworkUse longer{0.5, 4, 400, 3.0718e6};
  ck_assert_double_eq_tol(network_share(longer, gigabit), 0.1943, 1e-4);
  ck_assert_text_eq(profile_weights(longer, gigabit)["beta"], "0.055");
  // On links with a twentieth of the bandwidth and ten times the latency, messages take longer than the waiting.
  const TypicalLink slow{600, 6.25e6, LinkSource::measured, LinkSource::measured};
  ck_assert_double_eq(network_share(longer, slow), 0.5);
  ck_assert_text_eq(profile_weights(longer, slow)["beta"], "0.500");
  ck_assert_text_eq(profile_weights(longer, slow)["latency"], "0.328");  // 2400 us of 2400 + 4915
  // More than sixteen ranks do not share one link.
  const NetworkUse wide{0.5, 64, 400.0 / 16, 3.0718e6 / 16};
  ck_assert_double_eq_tol(network_share(wide, gigabit), 16 * 485.744e-6 / 64 / 0.0025, 1e-6);
  const NetworkUse hours{0.5, 4, 0.01, 76.795};
  ck_assert_text_eq(profile_weights(hours, gigabit)["beta"], "0.000");
  weights = profile_weights({0.004, 0, 100, 1.57e8}, gigabit);
  ck_assert_text_eq(weights["beta"] + " " + weights["latency"] + " " + weights["bandwidth"], "0.000 0.050 0.950");
  ck_assert_double_eq_tol(nla_weights(profile_weights({.waiting_share = 1}, gigabit)).alpha, 0, 1e-12);
  for (const char* const other : {"", "np 4\n", R"({"ranks": 4})", R"({"network_use": 4})", R"({"network_use": "0:4)",
                                  R"({"nodes": ["\"network_use\": "], "x": "0:0:0:0"})"})
    ck_assert_error(network_use_of_summary(other, "s"), "s: no member 'network_use'");
  ck_assert_error(network_use_of_summary(R"({"network_use": "x"})", "s"), "s: network-use=x");
}
END_TEST

START_TEST(a_profile_sets_the_missing_weights) {
  const TemporaryDirectory directory;
  const std::string matrix = directory.file("app.mat", "np 2\n");
  directory.file("app.mat.summary", R"({"network_use": "0.2:0:0:0"})");
  Parameters parameters{{"profile", matrix}, {"latency", "0.9"}};
  replace_profile(parameters);
  ck_assert(!parameters.contains("profile"));
  ck_assert_text_eq(parameters["network-use"], "0.2:0:0:0");
  replace_network_use(parameters, {});
  ck_assert(!parameters.contains("network-use"));
  ck_assert_text_eq(parameters["beta"] + " " + parameters["latency"] + " " + parameters["bandwidth"],
                    "0.059 0.9 0.750");
  parameters = {{"profile", matrix}, {"alpha", "0.1"}};
  replace_profile(parameters);
  replace_network_use(parameters, {});
  ck_assert(!parameters.contains("beta"));
  for (const char* const bad : {"", "1:2:3", "0.5:2:3:4:", "0.5:2:3:4:n1+", "0.5:2:3:4:n 1", "0.5:2:3:4:n1:n2",
                                "1.5:2:3:4", "-1:2:3:4", "nan:1:1:1", "0.5:inf:1:1", "0.5:4:1:", "a:b:c:d"})
    ck_assert_error(parse_network_use(bad), "network-use=");
  directory.file("app.mat.summary", R"({"nodes": ["n3", "n4"], "network_use": "0.2:0:0:0:n3+n4"})");
  parameters = {{"profile", matrix}};
  replace_profile(parameters);
  ck_assert_text_eq(parameters["network-use"], "0.2:0:0:0:n3+n4");
  parameters = {{"profile", matrix + "x"}};
  ck_assert_error(replace_profile(parameters), "app.matx");
}
END_TEST

// doc/netload.md: a link is the slowest between the nodes of the run, but the slowest twentieth of the pairs is
// left out.
START_TEST(the_slowest_twentieth_of_the_pairs_is_left_out) {
  constexpr std::int32_t nodes = 16;  // which have 120 pairs
  for (const std::int32_t slow_pairs : {0, 6, 7}) {
    std::vector<std::int32_t> own(nodes);
    std::iota(own.begin(), own.end(), 0);
    std::vector<float> us(nodes * nodes, 50);
    std::int32_t left = slow_pairs;
    for (std::int32_t a = 0; a < nodes; ++a)
      for (std::int32_t b = 0; b < a; ++b)
        if (left-- > 0) us[static_cast<std::size_t>(a * nodes + b)] = us[static_cast<std::size_t>(b * nodes + a)] = 900;
    PairTable table;
    table.groups = nodes;
    table.group_of_node = own;
    table.latency_us = us;
    ck_assert_double_eq(typical_link(table, own, LinkRank::slow).latency_us, slow_pairs == 7 ? 900 : 50);
  }
}
END_TEST

START_TEST(typical_links) {
  // Three groups of nodes: (n0, n1), (n2) and (n3). The table has the pairs within the first group,
  // between it and the others, and between the others.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::int32_t> group{0, 0, 1, 2};
  const std::vector<float> latency{10, 20, 30, 20, nan, 40, 30, 40, nan},
      bandwidth{1e6f, 2e6f, nan, 2e6f, nan, 9e6f, nan, 9e6f, nan};
  const std::vector<float> peak{8e6f, nan, nan, nan, nan, 7e6f, nan, 7e6f, nan};
  const std::vector<PairSource> source{PairSource::measured, PairSource::measured, PairSource::modelled,
                                       PairSource::measured, PairSource::none,     PairSource::assumed,
                                       PairSource::modelled, PairSource::assumed,  PairSource::none};
  PairTable table;
  table.groups = 3;
  table.group_of_node = group;
  table.latency_us = latency;
  table.bandwidth_Bps = bandwidth;
  table.peak_bandwidth_Bps = peak;
  table.source = source;
  const auto link = [&](std::vector<std::int32_t> states) { return typical_link(table, states); };
  TypicalLink all =
      link({0, 1, 2, 3});  // latencies 10 and 20, bandwidths 8e6 at its peak and 2e6; what is modelled does not count
  ck_assert_double_eq(all.latency_us, 20);
  ck_assert_double_eq(all.bandwidth_Bps, 8e6);
  ck_assert_text_eq(to_string(all), "64 Mbit/s, 20 us");
  ck_assert_double_eq(link({0, 1}).latency_us, 10);
  ck_assert_double_eq(link({0, 3}).latency_us, 30);  // modelled, and nothing is measured between these
  ck_assert(link({0, 3}).latency_source == LinkSource::modelled &&
            link({0, 3}).bandwidth_source == LinkSource::assumed);
  ck_assert_text_eq(to_string(link({0, 3})), "assumed 1000 Mbit/s, modelled 30 us");
  ck_assert_double_eq(link({0, 3}).bandwidth_Bps, 125e6);
  for (const std::vector<std::int32_t>& unknown : std::vector<std::vector<std::int32_t>>{{}, {0}, {-1, 7}, {2, 3}}) {
    ck_assert(link(unknown).latency_source == LinkSource::assumed);
    ck_assert_text_eq(to_string(link(unknown)), "assumed 1000 Mbit/s, 60 us");
  }
  ck_assert(typical_link(PairTable(), std::vector<std::int32_t>{0, 1}).latency_source == LinkSource::assumed);
  // Each value is that of the best source that has it: here no bandwidth is measured, and then one is modelled.
  PairTable latencies = table;
  const std::vector<float> unknown_bandwidth(9, nan), modelled_bandwidth{nan, nan, 5e6f, nan, nan, nan, 5e6f, nan, nan};
  latencies.peak_bandwidth_Bps = unknown_bandwidth;
  latencies.bandwidth_Bps = unknown_bandwidth;
  const auto all_of = [&] { return to_string(typical_link(latencies, std::vector<std::int32_t>{0, 1, 2, 3})); };
  ck_assert_text_eq(all_of(), "assumed 1000 Mbit/s, measured 20 us");
  latencies.bandwidth_Bps = modelled_bandwidth;
  ck_assert_text_eq(all_of(), "modelled 40 Mbit/s, measured 20 us");
  // The links of a profile are those between the nodes of its run, where they are measured.
  LiveState live;
  for (const char* const name : {"n0", "n1", "n2", "n3"}) live.nodes.emplace_back().name = name;
  live.pairs = table;
  const std::vector<std::int32_t> candidates{0, 3};
  const auto of_run = [&](const std::string& use) {
    return to_string(link_of_profile({{"network-use", use}}, live, candidates));
  };
  ck_assert_words(of_run("0.2:4:1:1:n0+n1"), "64 Mbit/s 10 us slowest run");
  ck_assert_text_eq(of_run("0.2:4:1:1:n2+n3"), to_string(link({0, 3})));  // not measured between these
  ck_assert_text_eq(of_run("0.2:4:1:1:x1+x2"), to_string(link({0, 3})));  // nodes of another cluster
  ck_assert_text_eq(of_run("0.2:4:1:1"), to_string(link({0, 3})));
  live.pairs = latencies;
  ck_assert_text_eq(of_run("0.2:4:1:1:n0+n1"), "modelled 40 Mbit/s, its run's 10 us");
  // One node of the run is behind a slow link: half of the pairs of four nodes, an eighth of those of sixteen.
  for (const std::int32_t nodes : {4, 16}) {
    LiveState run;
    std::vector<std::int32_t> own(static_cast<std::size_t>(nodes));
    std::iota(own.begin(), own.end(), 0);
    std::vector<float> us, Bps;
    std::string use = "0.9:4:1:1";
    for (std::int32_t a = 0; a < nodes; ++a) {
      run.nodes.emplace_back().name = "n" + std::to_string(a);
      use += (a == 0 ? ":n" : "+n") + std::to_string(a);
      for (std::int32_t b = 0; b < nodes; ++b)
        us.push_back((a == 1) != (b == 1) ? 900.f : 50.f), Bps.push_back((a == 1) != (b == 1) ? 1e6f : 1e8f);
    }
    run.pairs.groups = nodes;
    run.pairs.group_of_node = own;
    run.pairs.latency_us = us;
    run.pairs.bandwidth_Bps = Bps;
    ck_assert_words(to_string(link_of_profile({{"network-use", use}}, run, own)), "8 Mbit/s 900 us slowest run");
    ck_assert_text_eq(to_string(link_of_profile({{"network-use", "0.9:4:1:1"}}, run, own)),
                      nodes == 4 ? "800 Mbit/s, 900 us" : "800 Mbit/s, 50 us");
  }
  DensePairs dense;
  dense.nodes = 2;
  dense.bandwidth_Bps = {nan, 5e6, 5e6, nan};
  ck_assert_double_eq(typical_link(dense).bandwidth_Bps, 5e6);
  ck_assert_double_eq(typical_link(dense).latency_us, 60);
}
END_TEST

START_TEST(tables_are_read) {
  const NamedNodes nodes = read_node_table(
      "node\tcores\tcpu_load\tmemory_MiB\tmemory_available_MiB\n# a comment\nn1\t8\t0.5\t100\t60\r\nn2\t-\t\t100\tNA\n",
      "f");
  ck_assert_int_eq(nodes.names.size(), 2);
  ck_assert_double_eq(nodes.table[NodeAttribute::cores][0], 8);
  ck_assert(std::isnan(nodes.table[NodeAttribute::cores][1]));
  ck_assert(std::isnan(nodes.table[NodeAttribute::cpu_load][1]));
  ck_assert_double_eq(nodes.table[NodeAttribute::memory_used][0], 40);
  ck_assert(nodes.table[NodeAttribute::users].empty());
  const DensePairs pairs = read_pair_table("u v latency_us\nn1 n2 10\nn2 n1 30\n", "p", nodes.names);
  ck_assert_double_eq(pairs.latency_us[1], 20);
  ck_assert_double_eq(pairs.latency_us[2], 20);
  ck_assert(pairs.bandwidth_Bps.empty());
}
END_TEST

START_TEST(bad_tables_are_refused) {
  const auto nodes = [](const char* text) { return read_node_table(text, "f"); };
  ck_assert_error_words(nodes(""), "f table empty");
  ck_assert_error_words(nodes("node cores\n"), "f no nodes");
  ck_assert_error_words(nodes("cores\n3\n"), "f column node");
  ck_assert_error_words(nodes("node cpu_laod\nn 1\n"), "f:1: column 'cpu_laod' cpu_load?");
  ck_assert_error_words(nodes("node cores cores\nn 1 1\n"), "f:1: column cores twice");
  ck_assert_error_words(nodes("node cores\nn 1\nn 2\n"), "f:3: node n twice");
  ck_assert_error(nodes("node cores\nn 1 2\n"), "f:2: 3 fields");
  ck_assert_error(nodes("node cores\nn[1-3] 2\n"), "f:2: node 'n[1-3]': ");
  ck_assert_error(nodes("node cores\na 1\nb,c 2\n"), "f:3: node 'b,c': ");
  ck_assert_error(nodes("node cores\nn\xff 2\n"), "f:2: node 'n");
  ck_assert_error_words(nodes("node cores\nn -1\n"), "f:2: cores '-1' 1");
  ck_assert_error_words(nodes("node cores\nn 4\nm 0\n"), "f:3: cores '0' 1");
  ck_assert_error(nodes("node cores\nn 0.99\n"), "f:2: cores '0.99'");
  ck_assert_error_words(nodes("node cores\nn inf\n"), "f:2: cores 'inf' 1 -");
  ck_assert_error_words(nodes("node cpu_load\nn inf\n"), "f:2: cpu_load 'inf' 0 -");
  ck_assert_error(nodes("node cores\nn 4x\n"), "f:2: cores '4x'");
  const auto pairs = [](const char* text) { return read_pair_table(text, "p", {"a", "b"}); };
  ck_assert_error_words(pairs("u latency_us\na 1\n"), "p column v");
  ck_assert_error_words(pairs("u v latency_us\na c 1\n"), "p:2: node 'c' nodes");
  ck_assert_error_words(pairs("u v latency_us\na b 1\na b 2\n"), "p:3: a b twice");
  ck_assert_error_words(pairs("u v latency_us\na b 1\na a 2\n"), "p:3: a a two");
}
END_TEST

int main() {
  Suite* suite = suite_create("load_tables");
  TCase* weights = tcase_create("weights");
  tcase_add_test(weights, weights_by_name);
  tcase_add_test(weights, default_weights_are_those_of_the_paper);
  tcase_add_test(weights, weights_from_a_profile);
  tcase_add_test(weights, the_slowest_twentieth_of_the_pairs_is_left_out);
  tcase_add_test(weights, a_profile_sets_the_missing_weights);
  tcase_add_test(weights, typical_links);
  suite_add_tcase(suite, weights);
  TCase* tables = tcase_create("tables");
  tcase_add_test(tables, tables_are_read);
  tcase_add_test(tables, bad_tables_are_refused);
  suite_add_tcase(suite, tables);
  return run_suite(suite);
}
