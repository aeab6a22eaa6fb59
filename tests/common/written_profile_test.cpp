// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of a profile when the program has ended.
#include "common/matrix/written_profile.hpp"

#include <filesystem>

#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using placement::AwaitedProfile;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

// Writes the file as the profiler does, which gives it its name when it is complete.
void write_profile(const TemporaryDirectory& folder, const std::string& content) {
  std::filesystem::rename(folder.file("profile.part", content), folder.path() + "/profile");
}

}  // namespace

START_TEST(a_new_file_is_summed_up) {
  const TemporaryDirectory folder;
  const AwaitedProfile profile(folder.path() + "/profile");
  ck_assert(!profile.is_written());
  write_profile(folder, "np 4\n0 1 100 2\n0 3 18446744073709551000 3\n2 3 0 1\n");
  ck_assert(profile.is_written());
  ck_assert_text_eq(profile.report(),
                    "wrote " + folder.path() + "/profile: 4 ranks, 3 pairs, 18446744073709551100 bytes in 6 messages");
}
END_TEST

START_TEST(an_earlier_file_is_no_result) {
  const TemporaryDirectory folder;
  const std::string file = folder.file("profile", "np 2\n0 1 1 1\n");
  const AwaitedProfile profile(file);
  ck_assert(!profile.is_written());
  ck_assert(contains(profile.report(), file));
  ck_assert(contains(profile.report(), "earlier run"));
  write_profile(folder, "np 2\n0 1 1 1\n");
  ck_assert(profile.is_written());
}
END_TEST

START_TEST(remaining_counts_are_named) {
  const TemporaryDirectory folder;
  const AwaitedProfile profile(folder.path() + "/profile");
  ck_assert(!contains(profile.report(), "--merge"));
  ck_assert(!contains(profile.report(), "earlier run"));
  for (const char* other : {"profile.rank", "profile.rank1x", "profiles.rank1"}) folder.file(other, "");
  ck_assert(!contains(profile.report(), "--merge"));
  const std::string table = folder.file("profile.rank12", "");
  ck_assert(contains(profile.report(), "--merge " + folder.path() + "/profile"));
  ck_assert_uint_eq(placement::rank_tables_of(folder.path() + "/profile").size(), 1);
  ck_assert_text_eq(placement::rank_tables_of(folder.path() + "/profile").front(), table);
}
END_TEST

int main() {
  Suite* suite = suite_create("written_profile");
  TCase* tests = tcase_create("all");
  tcase_add_test(tests, a_new_file_is_summed_up);
  tcase_add_test(tests, an_earlier_file_is_no_result);
  tcase_add_test(tests, remaining_counts_are_named);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
