// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/traffic.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "mpi/profile_file.hpp"
#include "mpi/settings.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::mpi;

namespace {

constexpr std::uint32_t point_to_point = 1;
constexpr std::uint32_t collective = 2;

}  // namespace

START_TEST(counts_by_peer_and_kind) {
  Traffic traffic(1, 4, 7, "");
  traffic.add(TrafficKind::point_to_point, 3, 10);
  traffic.add(TrafficKind::point_to_point, 3, 0);
  traffic.add(TrafficKind::collective, 0, 100, 4);
  traffic.add(TrafficKind::collective, 0, 5, 0);  // no messages, hence no traffic
  traffic.add_outside(9, 2);
  const auto both = traffic.peers(point_to_point | collective);
  ck_assert_uint_eq(both.size(), 2);
  ck_assert_int_eq(both[0].peer, 0);
  ck_assert_uint_eq(both[0].bytes, 100);
  ck_assert_uint_eq(both[1].messages, 2);
  ck_assert_uint_eq(traffic.peers(collective).size(), 1);
  ck_assert_uint_eq(traffic.outside().bytes, 9);
  const auto sizes = traffic.sizes();
  ck_assert_uint_eq(sizes[0], 1);  // the empty message
  ck_assert_uint_eq(sizes[4], 1);  // 8 to 15 bytes
  ck_assert_uint_eq(sizes[5], 4);  // 16 to 31 bytes: four messages of 25
}
END_TEST

START_TEST(size_classes_end_where_numbers_end) {
  ck_assert_uint_eq(Traffic::size_class(0), 0);
  ck_assert_uint_eq(Traffic::size_class(1), 1);
  ck_assert_uint_eq(Traffic::size_class(1024), 11);
  ck_assert_uint_eq(Traffic::size_class(UINT64_MAX), Traffic::size_classes - 1);
}
END_TEST

START_TEST(threads_lose_nothing) {
  Traffic traffic(0, 2, 7, "");
  traffic.set_threaded(true);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100000; ++i) traffic.add(TrafficKind::point_to_point, 1, 3);
    });
  for (std::thread& thread : threads) thread.join();
  ck_assert_uint_eq(traffic.peers(point_to_point)[0].messages, 400000);
  ck_assert_uint_eq(traffic.peers(point_to_point)[0].bytes, 1200000);
}
END_TEST

START_TEST(outlives_a_killed_process) {
  const TemporaryDirectory scratch;
  const std::string path = scratch.path() + "/table";
  const pid_t child = fork();
  if (child == 0) {
    Traffic traffic(2, 3, 42, path);
    traffic.add(TrafficKind::one_sided, 1, 77);
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ck_assert(WIFSIGNALED(status));
  const auto table = Traffic::left_behind(path);
  const Traffic& left = *table;
  ck_assert_int_eq(left.rank(), 2);
  ck_assert_int_eq(left.ranks(), 3);
  ck_assert_uint_eq(left.run(), 42);
  ck_assert(left.state() == RankState::running);
  ck_assert_uint_eq(left.total(TrafficKind::one_sided).bytes, 77);
}
END_TEST

START_TEST(two_programs_do_not_share_a_table) {
  const TemporaryDirectory scratch;
  const std::string path = scratch.path() + "/table";
  Traffic first(0, 2, 1, path);
  first.add(TrafficKind::point_to_point, 1, 5);
  Traffic second(0, 2, 2, path);
  second.add(TrafficKind::point_to_point, 1, 50);
  first.add(TrafficKind::point_to_point, 1, 5);
  ck_assert_uint_eq(first.total(TrafficKind::point_to_point).bytes, 10);
  ck_assert_uint_eq(Traffic::left_behind(path)->total(TrafficKind::point_to_point).bytes, 50);
}
END_TEST

START_TEST(refuses_what_is_no_table) {
  const TemporaryDirectory scratch;
  const std::string path = scratch.path() + "/table";
  ck_assert_error(Traffic::left_behind(path), "cannot read");
  ck_assert_error(Traffic(0, 2, 1, scratch.path() + "/none/table"), "/none/table: ");
  { std::ofstream(path) << "np 4\n"; }
  ck_assert_error(Traffic::left_behind(path), ": 5 bytes ");
  { std::ofstream(path) << std::string(4096, 'x'); }
  ck_assert_error(Traffic::left_behind(path), path + ": not ");
  { const Traffic whole(1, 8, 1, path); }
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  ck_assert_error(Traffic::left_behind(path), "rank 1 of 8");
}
END_TEST

// On a full disk no empty table stays behind.
START_TEST(a_table_without_room_leaves_no_file) {
  const TemporaryDirectory scratch;
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{}, none{};
  getrlimit(RLIMIT_FSIZE, &before);
  none.rlim_max = before.rlim_max;
  setrlimit(RLIMIT_FSIZE, &none);
  const std::string error = error_of([&] { Traffic(0, 4, 7, scratch.path() + "/table"); });
  setrlimit(RLIMIT_FSIZE, &before);  // the test writes its own messages
  ck_assert(error.find("no room") != error.npos);
  ck_assert(std::filesystem::is_empty(scratch.path()));
}
END_TEST

START_TEST(file_takes_its_name_when_complete) {
  const TemporaryDirectory scratch;
  const std::string path = scratch.path() + "/matrix";
  {
    ProfileFile left(path, 3);
    left.add(0, {1, 5, 1});
  }
  ck_assert(std::filesystem::is_empty(scratch.path()));
  ProfileFile file(path, 3);
  file.add(0, {2, 1ull << 40, 3});
  file.finish();
  std::ifstream in(path);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  ck_assert_str_eq(text.c_str(), "np 3\n0 2 1099511627776 3\n");
  ck_assert_error(ProfileFile(scratch.path() + "/none/matrix", 1).finish(), "/none/matrix: ");
  ck_assert_error(ProfileFile("/dev/full/x", 1).finish(), "/dev/full/x: ");
}
END_TEST

START_TEST(settings_are_strict) {
  const auto with = [](const char* name, const char* value) {
    setenv(name, value, 1);
    const std::string error = error_of([] { profile_settings(); });
    unsetenv(name);
    return error;
  };
  ck_assert_text_eq(with("PLACEMENT_PROFILE_COUNT", "point-to-point,one-sided"), "");
  ck_assert(with("PLACEMENT_PROFILE_COUNT", "p2p").find("one of all, point-to-point") != std::string::npos);
  ck_assert(with("PLACEMENT_PROFILE_COUNT", "topology,collective").find(": topology ") != std::string::npos);
  ck_assert(with("PLACEMENT_PROFILE_COLLECTIVES", "tree").find("generic, direct") != std::string::npos);
  ck_assert(with("PLACEMENT_PROFILE_SALVAGE", "1").find("auto, yes") != std::string::npos);
  ck_assert(profile_settings().collectives == CollectiveModel::generic);
  // A user who gave an option reads of the option, and of what it may have.
  setenv("PLACEMENT_PROFILE_COUNT", "foo", 1);
  const std::string option = error_of([] { profile_settings({{"PLACEMENT_PROFILE_COUNT", "--count"}}); });
  ck_assert(option.starts_with("--count=foo: ") &&
            option.ends_with(" point-to-point, collective, one-sided, topology"));
  const std::string variable = error_of([] { profile_settings(); });
  ck_assert(variable.starts_with("PLACEMENT_PROFILE_COUNT=foo: ") &&
            variable.ends_with(" all, point-to-point, collective, one-sided, topology"));
  setenv("PLACEMENT_PROFILE_COUNT", "all,topology", 1);
  ck_assert_error(profile_settings({{"PLACEMENT_PROFILE_COUNT", "--count"}}), "--count: topology ");
  unsetenv("PLACEMENT_PROFILE_COUNT");
}
END_TEST

START_TEST(a_file_that_cannot_be_made_is_known) {
  const TemporaryDirectory scratch;
  ck_assert_text_eq(error_of([&] { check_output(scratch.path() + "/matrix"); }), "");
  ck_assert_text_eq(error_of([] { check_output("matrix"); }), "");
  ck_assert_error_words(check_output(scratch.path() + "/none/matrix"),
                        scratch.path() + "/none/matrix directory " + scratch.path() + "/none");
  ck_assert_error_words(check_output(scratch.path()), scratch.path() + " directory file");
}
END_TEST

START_TEST(spawned_programs_have_files_of_their_own) {
  ck_assert_text_eq(spawned_suffix("159645698"), ".spawned");  // Open MPI 4: 2436 * 65536 + 2
  ck_assert_text_eq(spawned_suffix("159645699"), ".spawned2");
  ck_assert_text_eq(spawned_suffix("prterun-node@3-714@2"), ".spawned");
  ck_assert_text_eq(spawned_suffix("prterun-node@3-714@12"), ".spawned11");
  ck_assert_text_eq(spawned_suffix("slurm.pmix.7.0"), ".spawned");
  ck_assert_text_eq(spawned_suffix(nullptr), ".spawned");
}
END_TEST

START_TEST(summary_is_json) {
  ProfileSummary summary;
  summary.ranks = 4;
  summary.ranks_missing = 1;
  summary.totals[0] = {-1, 300, 3};
  summary.totals[1] = {-1, 100, 1};
  summary.sizes[8] = 4;
  summary.seconds = 8;
  summary.mpi_seconds_least = 0.5;
  summary.mpi_seconds = 3;
  summary.mpi_seconds_most = 1.0 / 3;
  summary.nodes = {"n1", "n2"};
  // doc/stability.md: no member is removed.
  ck_assert_text_eq(to_string(summary), R"({
  "ranks": 4,
  "ranks_without_trace": 1,
  "nodes": ["n1", "n2"],
  "waiting_calls": 0,
  "run_time_s": 2,
  "waiting_time_s": {"mean": 0.75, "least": 0.5, "most": 0.333333},
  "waiting_share_percent": 37.5,
  "network_use": "0.25:4:0.5:50:n1+n2",
  "point_to_point": {"bytes": 300, "messages": 3},
  "collective": {"bytes": 100, "messages": 1},
  "one_sided": {"bytes": 0, "messages": 0},
  "topology": {"edges": 0, "weight": 0},
  "outside_world": {"bytes": 0, "messages": 0},
  "message_sizes": [
    {"least_bytes": 128, "most_bytes": 255, "messages": 4}
  ]
}
)");
  summary.nodes = {"a\"\\\n\xff"};
  ck_assert(to_string(summary).find(R"(["a\u0022\u005c\u000a\u00ff"])") != std::string::npos);
  summary.seconds = 0;
  ck_assert(to_string(summary).find("_s\"") == std::string::npos);
}
END_TEST

int main() {
  Suite* suite = suite_create("traffic");
  TCase* all = tcase_create("all");
  tcase_add_test(all, counts_by_peer_and_kind);
  tcase_add_test(all, size_classes_end_where_numbers_end);
  tcase_add_test(all, threads_lose_nothing);
  tcase_add_test(all, outlives_a_killed_process);
  tcase_add_test(all, two_programs_do_not_share_a_table);
  tcase_add_test(all, refuses_what_is_no_table);
  tcase_add_test(all, a_table_without_room_leaves_no_file);
  tcase_add_test(all, file_takes_its_name_when_complete);
  tcase_add_test(all, settings_are_strict);
  tcase_add_test(all, a_file_that_cannot_be_made_is_known);
  tcase_add_test(all, spawned_programs_have_files_of_their_own);
  tcase_add_test(all, summary_is_json);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
