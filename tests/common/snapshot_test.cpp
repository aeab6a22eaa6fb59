// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/state/snapshot.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>

#include "common/state/live_state.hpp"
#include "common/util/bytes.hpp"
#include "tests/check.hpp"
#include "tests/common/snapshot_samples.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;

namespace {

using Bytes = std::vector<std::byte>;

// Decodes the bytes at an aligned address, as read_snapshot() does.
LiveState decode(const Bytes& bytes) {
  struct alignas(snapshot_alignment) Block {
    std::byte bytes[snapshot_alignment];
  };
  const auto blocks = std::make_shared<std::vector<Block>>(bytes.size() / sizeof(Block) + 1);
  auto* const to = reinterpret_cast<std::byte*>(blocks->data());
  std::copy(bytes.begin(), bytes.end(), to);
  return decode_snapshot({to, bytes.size()}, blocks);
}

// Returns a forged file: other content at the offset `at`, and a checksum that is right for it.
Bytes forged(Bytes bytes, std::size_t at, const void* content, std::size_t size) {
  std::memcpy(bytes.data() + at, content, size);
  constexpr std::size_t checksum_at = 16, header_size = 80;
  std::memset(bytes.data() + checksum_at, 0, 8);
  const std::uint64_t sum =
      checksum(std::span(bytes).first(header_size)) ^ checksum(std::span(bytes).subspan(header_size));
  std::memcpy(bytes.data() + checksum_at, &sum, sizeof sum);
  return bytes;
}

template <typename T>
Bytes forged(const Bytes& bytes, std::size_t at, T value) {
  return forged(bytes, at, &value, sizeof value);
}

}  // namespace

START_TEST(gives_the_state_again) {
  const std::pair<std::size_t, std::int32_t> sizes[] = {{0, 0}, {1, 0}, {1, 1}, {2, 2}, {7, 3}, {65, 65}, {300, 17}};
  for (const auto& [nodes, groups] : sizes)
    for (unsigned seed = 1; seed <= 6; ++seed) {
      const LiveState state = sample_state(nodes, groups, seed);
      ck_assert(same_state(decode(encode_snapshot(state)), state));
    }
}
END_TEST

START_TEST(extreme_numbers_survive) {
  LiveState state = sample_state(2, 2);
  state.published_at_s = 1000000000000;
  state.nodes[0].cpu_load.minutes_1 = std::numeric_limits<double>::denorm_min();
  state.nodes[0].cpu_load.minutes_5 = 1e9;
  state.nodes[0].cpu_load.minutes_15 = 0.1 + 0.2;
  state.nodes[0].outages = max_outages;
  state.nodes[0].cores = 1;
  state.nodes[1].cores = 1e6;
  PairArrays arrays(2, {0, 1});
  arrays.set(0, 1, {std::numeric_limits<float>::denorm_min(), 1e15f, 0.1f, PairSource::measured, 1e12f});
  state.pairs = pair_table(std::move(arrays));
  ck_assert(same_state(decode(encode_snapshot(state)), state));
}
END_TEST

START_TEST(refuses_impossible_states) {
  const auto refused = [](const std::function<void(LiveState&, PairArrays&)>& spoil) {
    LiveState state = sample_state(3, 0);
    PairArrays arrays(3, {0, 1, 2});
    arrays.set(0, 1, {5, 100, 200, PairSource::measured, 1});
    spoil(state, arrays);
    state.pairs = pair_table(std::move(arrays));
    return error_of([&] { check_live_state(state); });
  };
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const std::pair<std::function<void(LiveState&, PairArrays&)>, const char*> cases[] = {
      {[](LiveState& s, PairArrays&) { s.nodes[1].name = "n1"; }, "node n1 "},
      {[](LiveState& s, PairArrays&) { s.nodes[1].name = ""; }, "node name ''"},
      {[](LiveState& s, PairArrays&) { s.nodes[1].name = "a b"; }, "node name 'a b'"},
      {[](LiveState& s, PairArrays&) { s.nodes[1].name = std::string(256, 'a'); }, " 255 "},
      {[](LiveState& s, PairArrays&) { s.nodes[1].liveness = static_cast<Liveness>(4); }, "liveness 4"},
      {[](LiveState& s, PairArrays&) { s.nodes[1].outages = -1; }, "-1 outages"},
      {[=](LiveState& s, PairArrays&) { s.nodes[1].users.minutes_5 = infinite; }, "users_5 is inf"},
      {[](LiveState& s, PairArrays&) { s.nodes[1].age_s = -1; }, "age_s is -1"},
      {[](LiveState& s, PairArrays&) { s.nodes[1].cores = 0; }, "node n2: cores is 0: "},
      {[](LiveState& s, PairArrays&) { s.nodes[1].cpu_load.minutes_5 = 1e308; }, "cpu_load_5 is 1e+308: "},
      {[](LiveState& s, PairArrays&) { s.nodes[1].outages = max_outages + 1; }, "1000000001 outages: "},
      {[](LiveState& s, PairArrays&) { s.published_at_s = INT64_MAX; }, " 1000000000000"},
      {[](LiveState&, PairArrays& p) { p.bandwidth_Bps[0] = 3e38f; }, " 1000000000000000,"},
      {[](LiveState&, PairArrays& p) {
         p.node_latency_us = {1, 3e38f, 3};
       },
       " 1000000000"},
      {[](LiveState& s, PairArrays&) { s.nodes[1].observed_s = unknown_value; }, "observed_s is nan"},
      {[](LiveState& s, PairArrays&) { s.nodes[1].outage_probability = 1.5; }, " is 1.5: "},
      {[](LiveState& s, PairArrays&) { s.published_at_s = -1; }, "published -1 "},
      {[=](LiveState& s, PairArrays&) { s.outage_horizon_s = infinite; }, "outage horizon"},
      {[](LiveState&, PairArrays& p) { p.group_of_node[2] = 3; }, "group 3 of a node"},
      {[](LiveState&, PairArrays& p) { p.group_of_node[2] = -1; }, "group -1"},
      {[](LiveState&, PairArrays& p) { p.group_of_node.pop_back(); }, "tables"},
      {[](LiveState&, PairArrays& p) { p.latency_us.pop_back(); }, "tables"},
      {[](LiveState&, PairArrays& p) { p.node_latency_us = {1}; }, "tables"},
      {[](LiveState&, PairArrays& p) { p.groups = -1; }, "-1 groups"},
      {[](LiveState&, PairArrays& p) { p.latency_us[1] = 6; }, "groups 0 and 1: the latency"},
      {[](LiveState&, PairArrays& p) { p.age_s[5] = 6; }, "groups 1 and 2: the age"},
      {[](LiveState&, PairArrays& p) { p.bandwidth_Bps[0] = -1; }, "the bandwidth is -1"},
      {[](LiveState&, PairArrays& p) { p.source[1] = static_cast<PairSource>(9); }, "source is 9"},
      {[](LiveState&, PairArrays& p) { p.source[3] = PairSource::modelled; }, "source is"},
      {[](LiveState&, PairArrays& p) { p.source[1] = p.source[3] = PairSource::none; }, "no source"},
      {[](LiveState&, PairArrays& p) {
         p.node_bandwidth_Bps = {1, -2, 3};
       },
       "node is -2"},
      {[](LiveState&, PairArrays& p) { p.latency_predictor = {Predictor::last}; }, "forecasts"},
      {[](LiveState&, PairArrays& p) {
         p.set_forecast(0, 1, {Predictor::last, Predictor::ewma, -1, 1});
       },
       "the latency's error is -1"},
      {[](LiveState&, PairArrays& p) {
         p.set_forecast(0, 1, {Predictor::last, Predictor::none, 1, 1});
       },
       "no predictor of the bandwidth"},
      {[](LiveState&, PairArrays& p) {
         p.set_forecast(0, 1, {});
         p.latency_predictor[1] = Predictor::last;
       },
       "predictor of the latency is"},
      {[](LiveState&, PairArrays& p) {
         p.set_forecast(0, 1, {});
         p.bandwidth_predictor[1] = static_cast<Predictor>(7);
       },
       "predictor of the bandwidth is 7"},
  };
  ck_assert_text_eq(refused([](LiveState&, PairArrays&) {}), "");
  for (const auto& [spoil, message] : cases) {
    const std::string text = refused(spoil);
    ck_assert_msg(text.find(message) != std::string::npos, "'%s' instead of '%s'", text.c_str(), message);
  }
}
END_TEST

// Each byte that is changed and each byte that is missing is noticed.
START_TEST(notices_damage) {
  for (const unsigned seed : {1u, 2u}) {  // a state without forecasts, and one with them
    const Bytes good = encode_snapshot(sample_state(3, 2, seed));
    ck_assert(same_state(decode(good), sample_state(3, 2, seed)));
    for (std::size_t at = 0; at < good.size(); ++at)
      for (const auto flip : {std::byte{1}, std::byte{0x80}}) {
        Bytes bad = good;
        bad[at] ^= flip;
        ck_assert_error(decode(bad), "snapshot: ");
      }
    for (std::size_t size = 0; size < good.size(); ++size)
      ck_assert_error(decode(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))), "snapshot: ");
    Bytes longer = good;
    longer.push_back({});
    ck_assert_error(decode(longer), "counts require");
  }
}
END_TEST

// The tables of forecasts are the last four parts, each at a multiple of 64.
START_TEST(believes_no_liar_about_forecasts) {
  const LiveState state = sample_state(3, 2, 2);
  const Bytes good = encode_snapshot(state);
  ck_assert(same_state(decode(forged(good, 0, good.data(), 8)), state));
  constexpr std::size_t forecast_groups = 72, zero = 76;
  for (const std::uint32_t count : {0u, 1u, 3u, 17u, 1u << 31, 0xffffffffu}) {
    ck_assert_error(decode(forged(good, forecast_groups, count)), "snapshot: ");
    if (count != 0) ck_assert_error(decode(forged(good, zero, count)), "impossible");
  }
  const std::size_t predictors = good.size() - 64 - 4, errors = predictors - 128;
  ck_assert_error(decode(forged(good, errors, -1.0F)), "the latency's error is -1");
  ck_assert_error(decode(forged(good, predictors, std::uint8_t{5})), "predictor of the latency is 5");
}
END_TEST

START_TEST(believes_no_liar) {
  const Bytes good = encode_snapshot(sample_state(3, 2));
  ck_assert(same_state(decode(forged(good, 0, good.data(), 8)), sample_state(3, 2)));
  constexpr std::size_t order = 8, version = 12, file_bytes = 24, fields = 48, nodes = 52, name_bytes = 56, groups = 60,
                        latency_nodes = 64, records = 128;
  ck_assert_error(decode(forged(good, 0, 'X')), "start");
  ck_assert_error(decode(forged(good, order, 0x04030201)), " order ");
  ck_assert_error(decode(forged(good, version, 2)), "version (2, ");
  ck_assert_error(decode(forged(good, fields, 1)), ", 1 ");
  ck_assert_error(decode(forged(good, file_bytes, UINT64_MAX)), "counts require");
  for (const std::uint32_t count : {0u, 2u, 4u, 1u << 17, 0xffffffffu}) {
    ck_assert_error(decode(forged(good, nodes, count)), "snapshot: ");
    ck_assert_error(decode(forged(good, groups, count == 2 ? 3 : count)), "snapshot: ");
    ck_assert_error(decode(forged(good, latency_nodes, count == 0 ? 1 : count)), "snapshot: ");
    ck_assert_error(decode(forged(good, name_bytes, count)), "snapshot: ");
  }
  ck_assert_error(decode(forged(good, records, 7)), "are longer");
  ck_assert_error(decode(forged(good, records, 0)), "are shorter");
  ck_assert_error(decode(forged(good, records + 4, 0x80000001u)), "liveness 2147483649");
  ck_assert_error(decode(forged(good, records + 8, std::int64_t{-1})), "-1 outages");
  ck_assert_error(decode(forged(good, records + 16, -0.5)), "age_s is -0.5");
}
END_TEST

START_TEST(files_are_replaced_and_checked) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/snapshot";
  const uid_t own[] = {getuid()};
  const uid_t other[] = {getuid() + 1, getuid() + 2};
  write_snapshot(path, sample_state(5, 5));
  const LiveState before = read_snapshot(path, own);
  write_snapshot(path, sample_state(6, 2));
  ck_assert(same_state(before, sample_state(5, 5)));
  ck_assert(same_state(read_snapshot(path), sample_state(6, 2)));
  ck_assert_error(read_snapshot(path, other), "user " + std::to_string(getuid()));
  ck_assert_int_eq(std::filesystem::status(path).permissions() == std::filesystem::perms(0644),
                   1);  // everybody reads it
  for (const mode_t mode : {0664, 0646}) {
    chmod(path.c_str(), mode);
    ck_assert_error(read_snapshot(path, own), "others");
  }
  ck_assert(same_state(read_snapshot(path), sample_state(6, 2)));
  ck_assert_error(read_snapshot(directory.path() + "/none"), std::strerror(ENOENT));
  ck_assert_error(read_snapshot(directory.path()), "regular file");
  ck_assert_error(read_snapshot("/dev/null"), "regular file");
  ck_assert_error(read_snapshot(directory.file("empty", "")), " 0 bytes ");
  const std::string huge = directory.file("huge", "");
  std::filesystem::resize_file(huge, std::uintmax_t{1} << 40);
  ck_assert_error(read_snapshot(huge), " 1099511627776 bytes ");
  write_snapshot(path, sample_state(300, 17));
  ck_assert_error(read_snapshot(path, {}, 1), " 1 nodes ");
  ck_assert(!std::filesystem::exists(path + ".new"));
}
END_TEST

// A write that fails leaves the old file and no other file.
START_TEST(failed_writes_change_nothing) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/snapshot";
  write_snapshot(path, sample_state(5, 5));
  LiveState bad = sample_state(5, 5);
  bad.nodes[0].age_s = -1;
  ck_assert_error(write_snapshot(path, bad), "age_s");
  ck_assert(same_state(read_snapshot(path), sample_state(5, 5)));
  ck_assert_error(write_snapshot(directory.path() + "/no/where", sample_state(1, 1)), "/no/where");
  std::filesystem::create_directory(directory.path() + "/folder");
  ck_assert_error(write_snapshot(directory.path() + "/folder", sample_state(1, 1)), "/folder: ");
  ck_assert(!std::filesystem::exists(directory.path() + "/folder.new"));
}
END_TEST

// Curie has 5,040 nodes [TM §8]; all their pairs are 24 million.
START_TEST(a_large_machine_fits) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/snapshot";
  const LiveState state = sample_state(5040, 600);
  write_snapshot(path, state);
  const LiveState again = read_snapshot(path);
  ck_assert(same_state(again, state));
  const LiveState copy = again;  // a copy, as a decision holds it, shares the tables
  ck_assert_ptr_eq(copy.pairs.latency_us.data(), again.pairs.latency_us.data());
}
END_TEST

int main() {
  Suite* suite = suite_create("snapshot");
  TCase* cases = tcase_create("all");
  tcase_add_test(cases, gives_the_state_again);
  tcase_add_test(cases, extreme_numbers_survive);
  tcase_add_test(cases, refuses_impossible_states);
  tcase_add_test(cases, notices_damage);
  tcase_add_test(cases, believes_no_liar);
  tcase_add_test(cases, believes_no_liar_about_forecasts);
  tcase_add_test(cases, files_are_replaced_and_checked);
  tcase_add_test(cases, failed_writes_change_nothing);
  tcase_add_test(cases, a_large_machine_fits);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
