// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/snapshot_json.hpp"

#include <cmath>
#include <limits>

#include "common/state/live_state.hpp"
#include "common/state/snapshot.hpp"
#include "tests/check.hpp"
#include "tests/common/snapshot_samples.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::tools;

namespace {

// Checks that the JSON of a state gives the same state again, and that state the same snapshot file and the same JSON.
void comes_back(const LiveState& state) {
  const std::string json = format_snapshot_json(state);
  const LiveState again = parse_snapshot_json(json, "json");
  ck_assert(same_state(again, state));
  ck_assert(encode_snapshot(again) == encode_snapshot(state));
  ck_assert_text_eq(format_snapshot_json(again), json);
}

// Returns a file with one node, one group, the members `more`, and the members `node` of the node.
std::string whole(const std::string& more, const std::string& node = "") {
  return "{\"slurm-placement-snapshot\": 3,\n \"nodes\": [\n  {\"name\": \"n1\"" + node + "}],\n \"groups\": [\"n1\"]" +
         (more.empty() ? "" : ",\n " + more) + "}\n";
}

}  // namespace

START_TEST(random_states_come_back) {
  const std::pair<std::size_t, std::int32_t> sizes[] = {{0, 0}, {1, 0}, {1, 1}, {2, 2}, {7, 3}, {65, 65}, {300, 17}};
  for (const auto& [nodes, groups] : sizes)
    for (unsigned seed = 1; seed <= 12; ++seed) comes_back(sample_state(nodes, groups, seed));
}
END_TEST

START_TEST(numbers_at_their_limits_come_back) {
  LiveState state = sample_state(2, 2, 2);
  state.published_at_s = 1000000000000;
  state.outage_horizon_s = 1e12;
  for (const NodeField& field : node_fields) {
    field.set(state.nodes[0], field.range.least);
    field.set(state.nodes[1], field.range.most);
  }
  state.nodes[0].cpu_load = {std::numeric_limits<double>::denorm_min(), 0.1 + 0.2, -0.0};
  state.nodes[0].users = {std::nextafter(1e9, 0), 5e-324, std::numeric_limits<double>::min()};
  state.nodes[0].outages = max_outages;
  PairArrays arrays(2, {0, 1});
  arrays.set(0, 0,
             {std::numeric_limits<float>::min(), std::nextafter(1e15F, 0.0F), 16777217.0F, PairSource::assumed, -0.0F});
  arrays.set(0, 1, {std::numeric_limits<float>::denorm_min(), 1e15F, 0.1F, PairSource::measured, 1e12F});
  arrays.node_latency_us = {static_cast<float>(unknown_value), 1e9F};
  state.pairs = pair_table(std::move(arrays));
  comes_back(state);
}
END_TEST

// Tables without a forecast, groups without nodes, unknown values of nodes.
START_TEST(what_is_there_and_empty_comes_back) {
  LiveState state = sample_state(2, 0);
  PairArrays arrays(4, {3, 1});
  arrays.set_forecast(0, 0, {});
  arrays.node_bandwidth_Bps.assign(2, static_cast<float>(unknown_value));
  state.pairs = pair_table(std::move(arrays));
  comes_back(state);
  ck_assert_uint_eq(parse_snapshot_json(format_snapshot_json(state), "json").pairs.latency_predictor.size(), 16);
  comes_back({});
  LiveState named = sample_state(1, 1);
  named.nodes[0].name = "a\"b\\c/'";
  comes_back(named);
}
END_TEST

START_TEST(the_form) {
  const LiveState state = parse_snapshot_json(
      "\xef\xbb\xbf {\"pairs\": [{\"groups\": [1, 0], \"latency_us\": 50, \"bandwidth_Bps\": 1e8, \"source\": \"modelled\"}],\r\n"
      "\t\"groups\": [\"n[1-2]\", \"\"], \"nodes\": [{\"liveness\": \"up\", \"cpu_load_1\": 2.5, \"name\": \"n1\"},"
      "{\"name\": \"\\u006e2\", \"cpu_load_1\": null, \"liveness\": null, \"observed_s\": null}], "
      "\"slurm-placement-snapshot\": 3}",
      "json");
  ck_assert_uint_eq(state.nodes.size(), 2);
  ck_assert(state.nodes[0].cpu_load.minutes_1 == 2.5 && state.nodes[0].liveness == Liveness::up);
  ck_assert(std::isnan(state.nodes[1].cpu_load.minutes_1) && state.nodes[1].observed_s == 0);
  ck_assert_text_eq(state.nodes[1].name, "n2");
  ck_assert(std::isnan(state.outage_horizon_s) && state.published_at_s == 0);
  ck_assert(pair_cell(state.pairs, 0, 1).bandwidth_Bps == 1e8F);
  ck_assert(pair_cell(state.pairs, 1, 0).source == PairSource::modelled);
  ck_assert(pair_cell(state.pairs, 0, 0).source == PairSource::none);
  // A line for each node, group and pair, and for each other member.
  const std::string json = format_snapshot_json(sample_state(20, 4, 2));
  const auto count = [&](std::string_view start) {
    std::size_t found = 0;
    for (std::size_t at = json.find(start); at != std::string::npos; at = json.find(start, at + 1)) ++found;
    return found;
  };
  ck_assert_uint_eq(count("\n    {\"name\": \"n"), 20);
  ck_assert_uint_eq(count("\n    {\"groups\": ["), count("\"source\": "));
  ck_assert_uint_eq(count("\n    \"n"), 4);
  ck_assert(json.starts_with("{\n  \"slurm-placement-snapshot\": 3,\n  \"published_at_s\": 1700000000,\n"));
  ck_assert(json.ends_with("}\n  ]\n}\n"));
}
END_TEST

// A float is read from its digits: by way of a double, these would be rounded twice, and be 1 instead of 1 + 2^-23.
START_TEST(floats_are_rounded_once) {
  const std::string digits = "1.00000005960464477540";  // just above the middle of 1 and 1 + 2^-23
  const LiveState state = parse_snapshot_json(
      whole("\"pairs\": [{\"groups\": [0, 0], \"latency_us\": " + digits + ", \"source\": \"measured\"}]"), "json");
  ck_assert(pair_cell(state.pairs, 0, 0).latency_us == std::nextafter(1.0F, 2.0F));
}
END_TEST

START_TEST(wrong_values_are_named) {
  const auto node = [](const std::string& more) { return whole("", ", " + more); };
  const auto pair = [](const std::string& more) { return whole("\"pairs\": [{\"groups\": [0, 0], " + more + "}]"); };
  const std::pair<std::string, const char*> cases[] = {
      {"{}", "t: its member slurm-placement-snapshot is missing"},
      {"{\"slurm-placement-snapshot\": 4, \"racks\": []}", "t: slurm-placement-snapshot 4"},
      {"{\"slurm-placement-snapshot\": \"3\"}", "t: slurm-placement-snapshot \"3\": "},
      {"{\"slurm-placement-snapshot\": null}", "is missing"},
      {whole("\"pair\": []"), "t: unknown member 'pair': did you mean pairs?"},
      {whole("\"racks\": []"), "t: unknown member 'racks': the members are slurm-placement-snapshot, published_at_s,"},
      {whole("\"published_at_s\": -5"), "t: published_at_s -5"},
      {whole("\"published_at_s\": 1.5"), "published_at_s 1.5"},
      {whole("\"published_at_s\": 1000000000001"), "published_at_s 1000000000001"},
      // json-c 0.16 reads it as the largest number that it has, 0.18 rejects it.
      {whole("\"published_at_s\": 99999999999999999999"), "t:"},
      {whole("\"published_at_s\": 999999999999999999"), "published_at_s 999999999999999999"},
      {whole("\"outage_horizon_s\": 1e13"), "outage_horizon_s 1e13"},
      {whole("\"pairs\": {}"), "t: pairs {}"},
      {whole("\"pairs\": [7]"), "t: pairs[0] 7"},
      {whole("\"pairs\": [null]"), "t: pairs[0] null"},
      {"{\"slurm-placement-snapshot\": 3, \"pairs\": [{\"groups\": [0, 0]}]}", "pairs[0]: a pair"},
      {"{\"slurm-placement-snapshot\": 3, \"nodes\": [{\"name\": \"a\", \"network_latency_us\": 1}]}", "no groups"},
      {"{\"slurm-placement-snapshot\": 3, \"nodes\": [{\"name\": \"a\"}, {\"name\": \"b\"}], \"groups\": [\"a\"]}",
       "t: node 'b' group"},
      {"{\"slurm-placement-snapshot\": 3,\n\"nodes\": [{\"name\": \"a\"},\n{\"name\": \"a\"}]}",
       "t: nodes[1].name \"a\""},
      {"{\"slurm-placement-snapshot\": 3, \"nodes\": [{}]}", "nodes[0]: name missing"},
      {"{\"slurm-placement-snapshot\": 3, \"nodes\": [{\"name\": 7}]}", "nodes[0].name 7"},
      {"{\"slurm-placement-snapshot\": 3, \"nodes\": [{\"name\": \"n[1-2]\"}]}", "nodes[0].name \"n[1-2]\""},
      {"{\"slurm-placement-snapshot\": 3, \"nodes\": [{\"name\": \"a\\u0007b\"}]}", "t: node name 'a?b'"},
      {"{\"slurm-placement-snapshot\": 3, \"nodes\": [{\"name\": \"a\\u0000b\"}]}", "t: node name 'a?b'"},
      {"{\"slurm-placement-snapshot\": 3, \"nodes\": [{\"name\": \"a\nb\"}]}", "t:"},
      {"{\"slurm-placement-snapshot\": 3, \"nodes\": [{\"name\": \"a\xff\"}]}", "t:"},
      {"{\"slurm-placement-snapshot\": 3, \"nodes\": [{\"name\": \"\xc3\xa9\"}]}", "t:"},
      {node("\"cpu_laod_1\": 1"), "t: nodes[0]: 'cpu_laod_1' cpu_load_1?"},
      {node("\"colour\": \"red\""), "t: nodes[0]: 'colour' name liveness outages"},
      {node("\"cores\": 0"), "t: nodes[0].cores 0"},
      {node("\"cores\": \"16\""), "nodes[0].cores \"16\""},
      {node("\"cores\": true"), "nodes[0].cores true"},
      {node("\"cores\": [16]"), "nodes[0].cores [16]"},
      {node("\"cores\": NaN"), "t:"},
      {node("\"age_s\": nan"), "t:"},
      {node("\"age_s\": Infinity"), "t:"},
      {node("\"age_s\": -Infinity"), "t:"},
      {node("\"age_s\": 1e999"), "t: nodes[0].age_s 1e999"},
      {node("\"age_s\": -1"), "nodes[0].age_s -1"},
      {node("\"age_s\": 0x10"), "t:3: "},
      {node("\"age_s\": +1"), "t:3: "},
      {node("\"age_s\": 1 2"), "t:3: "},
      {node("\"age_s\": 1,"), "t:3: "},
      {node("\"age_s\" 1"), "t:3: "},
      {node("age_s: 1"), "t:3: "},
      {node("\"age_s\": 1 /* s */"), "t:3: '/* s */}"},
      {node("\"age_s\": NULL"), "t:3: "},
      {node("\"age_s\": -99999999999999999999"), "t:"},
      {node("\"outages\": 1000000001"), "nodes[0].outages 1000000001"},
      {node("\"outages\": 1e3"), "nodes[0].outages 1e3"},
      {node("\"liveness\": \"ill\""), "nodes[0].liveness \"ill\""},
      {node("\"liveness\": 1"), "nodes[0].liveness 1"},
      {node("\"network_latency_us\": 2e9"), "nodes[0].network_latency_us 2e9"},
      {"{\"slurm-placement-snapshot\": 3, \"groups\": [\"n9\"]}", "groups[0]: node 'n9'"},
      {"{\"slurm-placement-snapshot\": 3, \"groups\": [\"n[9\"]}", "groups[0]: host list 'n[9'"},
      {"{\"slurm-placement-snapshot\": 3, \"groups\": [3]}", "groups[0] 3"},
      {"{\"slurm-placement-snapshot\": 3, \"nodes\": [{\"name\": \"a\"}], \"groups\": [\"a\", \"a\"]}",
       "groups[1]: node 'a'"},
      {whole("\"pairs\": [{\"latency_us\": 1}]"), "pairs[0]: groups missing"},
      {whole("\"pairs\": [{\"groups\": 0}]"), "pairs[0].groups 0"},
      {whole("\"pairs\": [{\"groups\": [0]}]"), "pairs[0].groups [0]"},
      {whole("\"pairs\": [{\"groups\": [0, 1]}]"), "pairs[0].groups [0,1]"},
      {whole("\"pairs\": [{\"groups\": [-1, 0]}]"), "two groups"},
      {whole("\"pairs\": [{\"groups\": [0, \"0\"]}]"), "two groups"},
      {whole("\"pairs\": [{\"groups\": [0, 0]},\n {\"groups\": [0, 0]}]"), "t: pairs[1].groups [0,0]"},
      {pair("\"latency_us\": 2e9"), "pairs[0].latency_us 2e9"},
      {pair("\"bandwidth_Bps\": 1e-60"), "pairs[0].bandwidth_Bps 1e-60"},
      {pair("\"source\": \"guessed\""), "pairs[0].source \"guessed\""},
      {pair("\"latency_us\": 1"), "t: groups 0 and 0: no source"},
      {pair("\"latency_predictor\": \"guess\""), "pairs[0].latency_predictor \"guess\""},
      {pair("\"latency_error_us\": 1"), "pairs[0]: an error"},
      {pair("\"latency_error_us\": 1, \"bandwidth_predictor\": \"last\""), "no predictor of the latency"},
      {pair("\"age\": 1"), "pairs[0]: unknown member 'age': did you mean age_s?"},
  };
  for (const auto& [text, message] : cases) {
    const std::string error = error_of([&text = text] { parse_snapshot_json(text, "t"); });
    ck_assert_msg((error.find(message) != std::string::npos || has_words(error, message)) && error.starts_with("t:"),
                  "'%s' instead of '%s'", error.c_str(), message);
  }
}
END_TEST

START_TEST(files_that_are_not_whole) {
  ck_assert_error(parse_snapshot_json("", "t"), "empty");
  ck_assert_error(parse_snapshot_json(" \n\t", "t"), "empty");
  ck_assert_error(parse_snapshot_json("[]", "t"), "t: []: expected an object");
  ck_assert_error(parse_snapshot_json(whole("") + "x", "t"), "t:5: ");
  ck_assert_error(parse_snapshot_json(whole("") + whole(""), "t"), "t:5: ");
  const std::string good = format_snapshot_json(sample_state(3, 3, 2));
  ck_assert(same_state(parse_snapshot_json(good, "t"), sample_state(3, 3, 2)));
  for (std::size_t size = 0; size < good.size() - 2; ++size)
    ck_assert_error(parse_snapshot_json(std::string_view(good).substr(0, size), "t"), "t:");
  // Any byte that becomes a zero is noticed.
  for (std::size_t at = 0; at + 1 < good.size(); ++at) {
    if (good[at] == ' ' || good[at] == '\n') continue;
    std::string bad = good;
    bad[at] = '\0';
    ck_assert_error(parse_snapshot_json(bad, "t"), "t:");
  }
}
END_TEST

// Files that are too large are rejected before memory is allocated for their content.
START_TEST(sizes_are_bounded) {
  const std::string deep(1 << 20, '[');
  ck_assert_error(parse_snapshot_json("{\"nodes\": " + deep, "t"), "nesting");
  ck_assert_error(parse_snapshot_json(whole("", ", \"cores\": [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]"), "t"), "nesting");
  std::string many = "{\"slurm-placement-snapshot\": 3, \"nodes\": [";
  for (std::size_t n = 0; n <= max_live_nodes; ++n)
    many += (n > 0 ? ",{\"name\":\"" : "{\"name\":\"") + std::to_string(n) + "\"}";
  ck_assert_error(parse_snapshot_json(many + "]}", "t"), "more than 131072 nodes");
  many = "{\"slurm-placement-snapshot\": 3, \"groups\": [\"\"";
  for (std::int32_t g = 0; g < max_pair_groups; ++g) many += ",\"\"";
  ck_assert_error(parse_snapshot_json(many + "]}", "t"), "more than 8192 groups");
  ck_assert_error(parse_snapshot_json("{\"slurm-placement-snapshot\": 3, \"groups\": [\"n[1-9999999]\"]}", "t"),
                  "groups[0]: ");
}
END_TEST

START_TEST(a_large_machine) { comes_back(sample_state(3000, 300, 2)); }
END_TEST

int main() {
  Suite* const suite = suite_create("snapshot_json");
  TCase* const cases = tcase_create("all");
  tcase_add_test(cases, random_states_come_back);
  tcase_add_test(cases, numbers_at_their_limits_come_back);
  tcase_add_test(cases, what_is_there_and_empty_comes_back);
  tcase_add_test(cases, the_form);
  tcase_add_test(cases, floats_are_rounded_once);
  tcase_add_test(cases, wrong_values_are_named);
  tcase_add_test(cases, files_that_are_not_whole);
  tcase_add_test(cases, sizes_are_bounded);
  tcase_add_test(cases, a_large_machine);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
