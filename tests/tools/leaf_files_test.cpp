// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/leaf_files.hpp"

#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::tools;

namespace {

using Leaves = std::vector<std::int32_t>;

Leaves available(std::string_view text, std::int32_t leaves) {
  const TemporaryDirectory directory;
  return read_available(directory.file("avail", text), leaves);
}

Leaves mapping(std::string_view text, std::int32_t ranks, std::int32_t leaves) {
  const TemporaryDirectory directory;
  return read_mapping(directory.file("map", text), ranks, leaves);
}

}  // namespace

START_TEST(available_leaves) {
  ck_assert(available("5\n0 # first\n\n 3\r\n", 6) == (Leaves{0, 3, 5}));
  ck_assert(available("", 6).empty());
  ck_assert(read_available("-", 3) == (Leaves{0, 1, 2}));
  ck_assert(read_available("", 2) == (Leaves{0, 1}));
}
END_TEST

START_TEST(bad_available) {
  ck_assert_error(available("0\n6\n", 6), "avail:2: leaf '6'");
  ck_assert_error(available("-1", 6), "avail:1: leaf '-1'");
  ck_assert_error(available("1 2", 6), "avail:1: leaf '1 2'");
  ck_assert_error(available("x", 6), "avail:1: leaf 'x'");
  ck_assert_error(available("1\n\n1", 6), "avail:3: leaf 1 ");
  ck_assert_error(read_available("/nonexistent", 6), "/nonexistent: ");
}
END_TEST

START_TEST(mappings) {
  ck_assert(mapping("1 0\n0\t5\n", 2, 6) == (Leaves{5, 0}));
  ck_assert(mapping("", 0, 6).empty());
  ck_assert(mapping(format_mapping(Leaves{4, 2, 0}), 3, 5) == (Leaves{4, 2, 0}));
  ck_assert_text_eq(format_mapping(Leaves{4, 2}), "0 4\n1 2\n");
}
END_TEST

START_TEST(bad_mappings) {
  ck_assert_error(mapping("0 1\n0 2", 2, 6), "map:2: rank 0 ");
  ck_assert_error(mapping("0 1\n1 1", 2, 6), "map:2: leaf 1 ");
  ck_assert_error(mapping("0 1\n2 2", 2, 6), "map:2: rank '2'");
  ck_assert_error(mapping("0 6", 1, 6), "map:1: leaf '6'");
  ck_assert_error(mapping("0", 1, 6), "map:1: '0' ");
  ck_assert_error(mapping("0 1 2", 1, 6), "map:1: '0 1 2' ");
  ck_assert_error(mapping("0 1", 2, 6), "map: rank 1 is missing");
}
END_TEST

int main() {
  Suite* suite = suite_create("leaf_files");
  TCase* all = tcase_create("all");
  tcase_add_test(all, available_leaves);
  tcase_add_test(all, bad_available);
  tcase_add_test(all, mappings);
  tcase_add_test(all, bad_mappings);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
