// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the pairs that an MPI program has measured: the table, who may send one, and what the monitor keeps.
#include "monitor/monitor/mpi_pairs.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;

namespace {

constexpr uid_t slurm_user = 64030, other_user = 1000;
constexpr double now_s = 1700000000;

struct Directory {
  Directory() { ck_assert_ptr_nonnull(mkdtemp(path.data())); }
  ~Directory() { std::filesystem::remove_all(path); }
  std::string path = "/tmp/mpi-pairs-XXXXXX";
  std::string file = "";
  const std::string& pairs() { return file = path + "/mpi-pairs"; }
};

const MpiPairRules rules{{0, slurm_user}, {"n1", "n2", "n3", "n4", "n5", "n6"}, 3600};

std::string table(const std::string& lines) { return std::string(measured_pairs_header) + lines; }

std::vector<MeasuredPair> kept(const std::string& path) { return stored_mpi_pairs(path); }

}  // namespace

START_TEST(a_table_is_read_as_it_was_written) {
  const std::string lines =
      measured_pair_line({"n1", "n2", 1.25, 1.5e9, 1700000000}) + measured_pair_line({"n1", "n3", 900, 1, 1});
  const std::vector<MeasuredPair> again = read_measured_pairs("# a comment\n" + table(lines), "t");
  ck_assert_uint_eq(again.size(), 2);
  ck_assert(again[0].a == "n1" && again[0].b == "n2" && again[0].at_s == 1700000000);
  ck_assert_double_eq(again[0].latency_us, 1.25);
  ck_assert_double_eq(again[0].bandwidth_Bps, 1.5e9);
  ck_assert_text_eq(read_measured_pairs(table("n9 n2 1 1 1\n"), "t")[0].a, "n2");
}
END_TEST

START_TEST(a_wrong_table_is_rejected_with_its_line) {
  for (const char* const text : {"", "n1 n2 1 1 1\n", "u v latency_us bandwidth_Bps\nn1 n2 1 1\n"})
    ck_assert_error(read_measured_pairs(text, "t"), "first line");
  for (const char* const line : {"n1 n2 1 1", "n1 n2 1 1 1 1", "n1 n1 1 1 1", "n1 n2 0 1 1", "n1 n2 1e-300 1 1",
                                 "n1 n2 1 1e-300 1", "n1 n2 -1 1 1", "n1 n2 1 nan 1", "n1 n2 1 inf 1", "n1 n2 1 1e16 1",
                                 "n1 n2 1e10 1 1", "n1 n2 1 1 0", "n1 n2 1 1 1e13", "n1 n2 x 1 1"})
    ck_assert_error(read_measured_pairs(table("n3 n4 1 1 1\n" + std::string(line) + "\n"), "t"), "t:3");
  std::string many;
  for (std::size_t i = 0; i <= most_measured_pairs; ++i) many += "a b 1 1 1\n";
  ck_assert_error(read_measured_pairs(table(many), "t"), std::to_string(most_measured_pairs));
}
END_TEST

START_TEST(only_root_and_slurmuser_may_send) {
  Directory directory;
  const std::string text = table("n1 n2 1 1 1700000000\n");
  ck_assert_error(store_mpi_pairs(directory.pairs(), text, other_user, now_s, rules), "SlurmUser");
  ck_assert_int_ne(access(directory.pairs().c_str(), F_OK), 0);
  for (const uid_t user : {uid_t{0}, slurm_user}) store_mpi_pairs(directory.pairs(), text, user, now_s, rules);
  struct stat status {};
  ck_assert_int_eq(stat(directory.pairs().c_str(), &status), 0);
  ck_assert_int_eq(status.st_mode & 0777, 0600);
}
END_TEST

START_TEST(newer_pairs_replace_older_ones) {
  Directory directory;
  const auto send = [&](const std::string& lines, double at_s) {
    return store_mpi_pairs(directory.pairs(), table(lines), 0, at_s, rules);
  };
  send("n1 n2 1 10 1700000000\nn1 n3 2 20 1700000000\nn1 n4 2 20 1700000000\n", now_s);
  send("n2 n1 3 30 1700003000\nn1 n3 4 40 1699999999\n", now_s + 3000);
  std::vector<MeasuredPair> pairs = kept(directory.pairs());
  ck_assert_uint_eq(pairs.size(), 3);
  ck_assert_double_eq(pairs[0].latency_us, 3);
  ck_assert_double_eq(pairs[1].latency_us, 2);
  send("n5 n6 1 1 1700003000\n", now_s + 3601);  // the first table is too old by now
  pairs = kept(directory.pairs());
  ck_assert_uint_eq(pairs.size(), 2);
  ck_assert_text_eq(pairs[0].a, "n5");
}
END_TEST

START_TEST(a_refused_table_changes_nothing) {
  Directory directory;
  store_mpi_pairs(directory.pairs(), table("n1 n2 1 10 1700000000\n"), 0, now_s, rules);
  const auto refused = [&](const std::string& line) {
    return error_of(
        [&] { store_mpi_pairs(directory.pairs(), table("n1 n2 7 7 1700000000\n" + line + "\n"), 0, now_s, rules); });
  };
  ck_assert(!refused("n1 other 1 1 1700000000").empty());
  ck_assert(!refused("n1 n3 1 1 1700000100").empty());  // in the future
  ck_assert(!refused("n1 n3 1 1 1699990000").empty());  // more than an hour ago
  ck_assert(!refused("n1 n3 1 1").empty());
  ck_assert_double_eq(kept(directory.pairs())[0].latency_us, 1);
  MpiPairRules none = rules;
  none.keep_s = 0;
  ck_assert_error(store_mpi_pairs(directory.pairs(), table("n1 n2 1 1 1700000000\n"), 0, now_s, none), "MpiPairHours");
}
END_TEST

START_TEST(the_present_is_from_now_to_the_time_of_keeping) {
  const auto present = [](std::int64_t at_s) { return is_present({"n1", "n2", 1, 1, at_s}, now_s, 3600); };
  ck_assert(present(1700000000) && present(1700000060) && present(1700000000 - 3599));
  ck_assert(!present(1700000061) && !present(1700000000 - 3600));
  ck_assert(!is_present({"n1", "n2", 1, 1, 1700000001}, now_s, 0));  // with MpiPairHours=0 there is none
}
END_TEST

// The clock of a monitor was wrong for some time. Pairs of that time do not stay.
START_TEST(a_stored_pair_of_the_future_is_replaced) {
  Directory directory;
  std::ofstream(directory.pairs()) << table("n1 n2 1 10 1700000100\nn1 n3 2 20 1700000000\nn1 n4 2 20 1800000000\n");
  store_mpi_pairs(directory.pairs(), table("n1 n2 7 70 1700000000\n"), 0, now_s, rules);
  const std::vector<MeasuredPair> pairs = kept(directory.pairs());
  ck_assert_uint_eq(pairs.size(), 2);
  ck_assert_double_eq(pairs[0].latency_us, 7);
  ck_assert_text_eq(pairs[1].b, "n3");
}
END_TEST

START_TEST(a_damaged_file_is_replaced) {
  Directory directory;
  std::ofstream(directory.pairs()) << "nonsense\n";
  store_mpi_pairs(directory.pairs(), table("n1 n2 7 70 1700000000\n"), 0, now_s, rules);
  ck_assert_uint_eq(kept(directory.pairs()).size(), 1);
}
END_TEST

// Sends `count` pairs of the time `at_s`, whose names begin with `name`.
static void send_many(const std::string& path, std::size_t count, const std::string& name, std::int64_t at_s) {
  std::vector<std::string> names{name + "-a"};
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(name + "-b" + std::to_string(i));
    lines += measured_pair_line({names[0], names.back(), 1, 1, at_s});
  }
  const std::set<std::string_view> nodes(names.begin(), names.end());
  store_mpi_pairs(path, table(lines), 0, now_s, {{0}, nodes, 3600});
}

START_TEST(a_full_file_drops_the_oldest_pairs) {
  Directory directory;
  send_many(directory.pairs(), 10, "old", 1699999000);
  send_many(directory.pairs(), most_measured_pairs - 5, "middle", 1699999500);
  send_many(directory.pairs(), 3, "new", 1700000000);
  std::map<std::string, std::size_t> count;
  for (const MeasuredPair& pair : kept(directory.pairs())) ++count[pair.a];
  ck_assert_uint_eq(count["new-a"], 3);
  ck_assert_uint_eq(count["middle-a"], most_measured_pairs - 5);
  ck_assert_uint_eq(count["old-a"], 2);
}
END_TEST

// Long names fill a file before it has the largest number of pairs.
START_TEST(a_file_has_at_most_its_largest_size) {
  Directory directory;
  const std::size_t count = most_measured_pairs / 2;
  send_many(directory.pairs(), count, std::string(60, 'x'), 1699999000);
  send_many(directory.pairs(), count, std::string(60, 'y'), 1700000000);
  ck_assert_uint_le(std::filesystem::file_size(directory.file), most_measured_bytes);
  std::size_t latest = 0;
  for (const MeasuredPair& pair : kept(directory.pairs())) latest += pair.at_s == 1700000000;
  ck_assert_uint_eq(latest, count);
}
END_TEST

int main() {
  Suite* suite = suite_create("mpi_pairs");
  TCase* tests = tcase_create("mpi_pairs");
  tcase_add_test(tests, a_table_is_read_as_it_was_written);
  tcase_add_test(tests, a_wrong_table_is_rejected_with_its_line);
  tcase_add_test(tests, only_root_and_slurmuser_may_send);
  tcase_add_test(tests, newer_pairs_replace_older_ones);
  tcase_add_test(tests, a_refused_table_changes_nothing);
  tcase_add_test(tests, the_present_is_from_now_to_the_time_of_keeping);
  tcase_add_test(tests, a_stored_pair_of_the_future_is_replaced);
  tcase_add_test(tests, a_damaged_file_is_replaced);
  tcase_add_test(tests, a_full_file_drops_the_oldest_pairs);
  tcase_add_test(tests, a_file_has_at_most_its_largest_size);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
