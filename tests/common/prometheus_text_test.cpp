// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/prometheus_text.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

START_TEST(the_file_is_replaced) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/metrics.prom";
  replace_metrics_file(path, "one\n");
  replace_metrics_file(path, "two\n");
  ck_assert_text_eq(text_of(path), "two\n");
  struct stat status {};
  ck_assert_int_eq(stat(path.c_str(), &status), 0);
  ck_assert_int_eq(status.st_mode & 07777, 0644);
  ck_assert(!std::filesystem::exists(path + ".new"));
  const std::string nowhere = directory.path() + "/none/metrics.prom";
  ck_assert_error(replace_metrics_file(nowhere, "three\n"), nowhere);
  ck_assert_error(replace_metrics_file(nowhere, "three\n"), "No such file or directory");
}
END_TEST

// Root's cron job writes metrics into a directory that another user may write.
START_TEST(no_link_is_followed) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/metrics.prom", other = directory.file("other", "not ours\n");
  ck_assert_int_eq(symlink(other.c_str(), (path + ".new").c_str()), 0);
  ck_assert_int_eq(symlink(other.c_str(), path.c_str()), 0);
  replace_metrics_file(path, "metrics\n");
  ck_assert_text_eq(text_of(other), "not ours\n");
  ck_assert(!std::filesystem::is_symlink(path));
  ck_assert_text_eq(text_of(path), "metrics\n");
}
END_TEST

int main() {
  Suite* suite = suite_create("prometheus_text");
  TCase* tests = tcase_create("prometheus_text");
  tcase_add_test(tests, the_file_is_replaced);
  tcase_add_test(tests, no_link_is_followed);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
