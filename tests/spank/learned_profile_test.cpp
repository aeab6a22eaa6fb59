// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/profile/learned_profile.hpp"

#include <utime.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "common/matrix/matrix_format.hpp"
#include "pattern/pattern.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::spank;

namespace {

CommMatrix of(const std::string& word, std::int32_t ranks) {
  return pattern::matrix_of(pattern::parse_pattern(word), ranks);
}

CommMatrix with(CommMatrix matrix, std::int32_t a, std::int32_t b, std::int64_t weight) {
  std::vector<CommEdge> edges = matrix.edges();
  edges.push_back({a, b, weight});
  return CommMatrix::from_edges(matrix.ranks(), std::move(edges));
}

void put(const std::string& file, const CommMatrix& matrix, std::time_t age_s = 0) {
  {
    std::ofstream out(file);
    write_matrix(out, matrix, MatrixFormat::np_list);
  }
  const utimbuf times{std::time(nullptr) - age_s, std::time(nullptr) - age_s};
  utime(file.c_str(), &times);
}

ProgramRun halo(std::int32_t ranks, const std::string& build = "ab12") {
  return {"/opt/halo", {"-i", "40"}, ranks, build};
}

// A store with learned profiles of halo, made one minute after the other.
struct Learning {
  TemporaryDirectory directory;
  ProfileStore store{directory.path() + "/store"};
  std::time_t age_s = 3600;

  // Returns the file that the next run would write.
  std::string next(const ProgramRun& run) { return store.learned_file_for(run, store.find_learned(run), number++); }
  void learn(const CommMatrix& matrix, const std::string& build = "ab12") {
    put(next(halo(matrix.ranks(), build)), matrix, age_s -= 60);
  }
  bool wants(const ProgramRun& run) const { return next_to_learn(store, run, 0).has_value(); }
  std::uint64_t number = 7;
};

}  // namespace

START_TEST(differences) {
  const CommMatrix ring = of("ring", 8);
  std::vector<CommEdge> tenfold = ring.edges();
  for (CommEdge& edge : tenfold) edge.weight *= 10;
  const CommMatrix none = CommMatrix::from_edges(8, {});
  ck_assert(traffic_difference(ring, ring) == 0);
  ck_assert(traffic_difference(ring, CommMatrix::from_edges(8, tenfold)) < 1e-12);
  ck_assert(traffic_difference(ring, of("ring", 9)) == 1);
  ck_assert(traffic_difference(ring, none) == 1 && traffic_difference(none, ring) == 1 &&
            traffic_difference(none, none) == 0);
  // Two of ten bytes go elsewhere.
  const double difference = traffic_difference(ring, with(ring, 0, 4, 2));
  ck_assert(std::abs(difference - 0.2) < 1e-12);
}
END_TEST

START_TEST(three_runs_have_to_agree) {
  Learning learning;
  const CommMatrix ring = of("ring", 8);
  ck_assert_words(usable_profile(learning.store, halo(8)).told, "no profile halo 8 ranks");
  ck_assert(usable_profile(learning.store, halo(8)).none_stored);
  // The user's own profile with other words among the arguments.
  const ProgramRun other{"/opt/halo", {"-j", "40"}, 8};
  const std::string file = learning.store.file_for(other);
  put(file, ring);
  ck_assert_words(usable_profile(learning.store, halo(8)).told, "halo arguments with " + file);
  learning.store.note_arguments(other);
  ck_assert_words(usable_profile(learning.store, halo(8)).told, "halo arguments with '-j 40' " + file);
  const ProgramRun bare{"/opt/halo", {}, 8};
  put(learning.store.file_for(bare), ring);
  learning.store.note_arguments(bare);
  std::filesystem::remove(file);
  ck_assert_words(usable_profile(learning.store, halo(8)).told,
                  "halo arguments without " + learning.store.file_for(bare));
  for (int run = 1; run <= 2; ++run) {
    ck_assert(learning.wants(halo(8)));
    learning.learn(ring);
    const UsableProfile profile = usable_profile(learning.store, halo(8));
    ck_assert(!profile.matrix);
    ck_assert_words(profile.told, std::to_string(run) + " of 3 runs halo 8 agree");
  }
  learning.learn(ring);
  const UsableProfile profile = usable_profile(learning.store, halo(8));
  ck_assert(profile.matrix && *profile.matrix == ring);
  ck_assert_words(profile.told, "learned halo 8 ranks 3 runs differ 0.0 %");
  ck_assert(!learning.wants(halo(8)));
  // Another build of the program, other words among its arguments, and another number of ranks are other runs.
  ck_assert(learning.wants(halo(8, "cd34")));
  ck_assert(!usable_profile(learning.store, halo(8, "cd34")).matrix);
  ck_assert(!usable_profile(learning.store, {"/opt/halo", {"-j", "40"}, 8, "ab12"}).matrix);
  ck_assert(usable_profile(learning.store, {"/elsewhere/halo", {"-i", "7"}, 8, "ab12"}).matrix);
}
END_TEST

START_TEST(the_last_three_runs_count) {
  Learning learning;
  const CommMatrix ring = of("ring", 8), other = of("alltoall", 8);
  for (const CommMatrix* matrix : {&ring, &other, &ring}) learning.learn(*matrix);
  const UsableProfile profile = usable_profile(learning.store, halo(8));
  ck_assert(!profile.matrix);
  ck_assert_words(profile.told, "3 runs halo 8 ranks differ 71.4 % 10.0 %");
  ck_assert(learning.wants(halo(8)));
  learning.learn(ring);  // after it the first no longer counts
  ck_assert(!usable_profile(learning.store, halo(8)).matrix);
  learning.learn(ring);  // after it the one that differs no longer counts
  ck_assert(usable_profile(learning.store, halo(8)).matrix);
  ck_assert_uint_eq(learning.store.find_learned(halo(8)).size(), 5);
  for (int run = 0; run < 20; ++run) learning.learn(ring);
  ck_assert_uint_le(learning.store.find_learned(halo(8)).size(), ProfileStore::learned_files);
}
END_TEST

// All of them begin before one has ended.
START_TEST(runs_at_the_same_time_all_count) {
  Learning learning;
  learning.learn(of("alltoall", 8));
  const std::vector<std::string> files = {learning.next(halo(8)), learning.next(halo(8)), learning.next(halo(8))};
  for (const std::string& file : files) put(file, of("ring", 8), 60);
  ck_assert_uint_eq(learning.store.find_learned(halo(8)).size(), 4);
  const UsableProfile profile = usable_profile(learning.store, halo(8));
  ck_assert(profile.matrix && *profile.matrix == of("ring", 8));
}
END_TEST

// A step of a program that was learned reads no matrix, until one of them changes.
START_TEST(agreement_is_marked) {
  Learning learning;
  for (int run = 0; run < 3; ++run) learning.learn(of("ring", 8));
  const std::vector<StoredProfile> files = learning.store.find_learned(halo(8));
  ck_assert(!learning.store.has_agreement(halo(8), files.front()));
  ck_assert(!learning.wants(halo(8)));
  ck_assert(learning.store.has_agreement(halo(8), files.front()));
  ck_assert(!learning.store.has_agreement(halo(9), files.front()));
  put(files[1].file, of("alltoall", 8), 3600);
  ck_assert_msg(!learning.wants(halo(8)), "the matrices were read in spite of the mark");
  put(files[1].file, of("alltoall", 8), -2);  // younger than the mark
  ck_assert(learning.wants(halo(8)));
  ck_assert_uint_eq(learning.store.find_learned(halo(8)).size(), 3);  // the mark is none of them
}
END_TEST

START_TEST(the_largest_difference_that_counts_as_agreement) {
  for (const auto& [extra, agrees] :
       {std::pair(110, true), std::pair(112, false)}) {  // of 1000 and that: 9.9 and 10.07 %
    Learning learning;
    std::vector<CommEdge> edges = of("ring", 10).edges();
    for (CommEdge& edge : edges) edge.weight = 100;
    const CommMatrix ring = CommMatrix::from_edges(10, edges);
    learning.learn(ring);
    learning.learn(with(ring, 0, 5, extra));
    learning.learn(ring);
    ck_assert(!!usable_profile(learning.store, halo(10)).matrix == agrees);
  }
}
END_TEST

START_TEST(runs_that_send_nothing_place_nothing) {
  Learning learning;
  for (int run = 0; run < 3; ++run) learning.learn(CommMatrix::from_edges(8, {}));
  ck_assert(!learning.wants(halo(8)));
  const UsableProfile profile = usable_profile(learning.store, halo(8));
  ck_assert(!profile.matrix);
  ck_assert(profile.told.find("nothing") != std::string::npos);
  ck_assert_words(profile.told, "last 3 runs halo 8 ranks");
}
END_TEST

START_TEST(a_month_later_it_is_learned_anew) {
  // slurm-placement-profiles(7): nothing is counted any more, for 30 days.
  for (const auto& [age_h, anew] : {std::pair(30 * 24 - 1, false), std::pair(30 * 24 + 1, true)}) {
    Learning learning;
    learning.age_s = age_h * 3600 + 240;
    for (int run = 0; run < 3; ++run) learning.learn(of("ring", 8));
    ck_assert(learning.wants(halo(8)) == anew);
    ck_assert(usable_profile(learning.store, halo(8)).matrix);  // until the next three runs are through
  }
}
END_TEST

START_TEST(damaged_and_foreign_files_do_not_count) {
  Learning learning;
  for (int run = 0; run < 3; ++run) learning.learn(of("ring", 8));
  std::ofstream(learning.store.find_learned(halo(8))[1].file) << "np 8\n0 9 1\n";
  ck_assert(!usable_profile(learning.store, halo(8)).matrix);
  ck_assert(learning.wants(halo(8)));
  put(learning.store.find_learned(halo(8))[1].file, of("ring", 9));
  ck_assert(!usable_profile(learning.store, halo(8)).matrix);
}
END_TEST

START_TEST(regular_traffic_is_scaled_to_other_ranks) {
  Learning learning;
  for (int run = 0; run < 2; ++run) learning.learn(of("grid=4x2", 8));
  ck_assert(!usable_profile(learning.store, halo(16)).matrix);  // two runs are too few for other ranks, too
  learning.learn(of("grid=4x2", 8));
  const UsableProfile learned = usable_profile(learning.store, halo(16));
  ck_assert(learned.matrix && *learned.matrix == of("grid=4x4", 16));
  ck_assert_words(learned.told, "no profile halo 16 ranks learned 8 ranks grid 4 x 4");
  // A profile that the user made counts at once; the nearest number of ranks is taken.
  put(learning.store.file_for(halo(32)), of("ring", 32));
  ck_assert(*usable_profile(learning.store, halo(24)).matrix == of("ring", 24));
  ck_assert(*usable_profile(learning.store, halo(12)).matrix == of("grid=4x3", 12));
  Learning irregular;
  put(irregular.store.file_for(halo(8)), CommMatrix::from_edges(8, {{0, 5, 9}, {1, 7, 4}, {2, 3, 1}}));
  ck_assert_words(usable_profile(irregular.store, halo(16)).told, "halo 16 ranks 8 ranks structure");
}
END_TEST

int main() {
  Suite* const suite = suite_create("learned_profile");
  TCase* const tests = tcase_create("learned_profile");
  tcase_add_test(tests, differences);
  tcase_add_test(tests, three_runs_have_to_agree);
  tcase_add_test(tests, the_last_three_runs_count);
  tcase_add_test(tests, runs_at_the_same_time_all_count);
  tcase_add_test(tests, agreement_is_marked);
  tcase_add_test(tests, the_largest_difference_that_counts_as_agreement);
  tcase_add_test(tests, runs_that_send_nothing_place_nothing);
  tcase_add_test(tests, a_month_later_it_is_learned_anew);
  tcase_add_test(tests, damaged_and_foreign_files_do_not_count);
  tcase_add_test(tests, regular_traffic_is_scaled_to_other_ranks);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
