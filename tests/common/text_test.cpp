// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of words that are numbers and of words that are not.
#include "common/util/text.hpp"

#include <cstdint>

#include "tests/check.hpp"

using namespace placement;

START_TEST(whole_numbers) {
  ck_assert(parse_integer("0") == 0);
  ck_assert(parse_integer("-17") == -17);
  ck_assert(parse_integer("9223372036854775807") == INT64_MAX);
  for (const char* word : {"", " 1", "1 ", "+1", "1.0", "1e3", "0x10", "9223372036854775808", "1\t", "--1", "one"})
    ck_assert_msg(!parse_integer(word), "'%s'", word);
}
END_TEST

START_TEST(real_numbers) {
  ck_assert(parse_real("0") == 0.0);
  ck_assert(parse_real("-1.5") == -1.5);
  ck_assert(parse_real(".25") == 0.25);
  ck_assert(parse_real("2.5e-3") == 0.0025);
  ck_assert(parse_real("1e308") == 1e308);
  for (const char* word : {"", ".", " 1", "1 ", "+1", "1,5", "1.5.", "1e", "0x1p3", "1e999", "-1e999", "nan", "-nan",
                           "inf", "-inf", "infinity", "1%"})
    ck_assert_msg(!parse_real(word), "'%s'", word);
}
END_TEST

START_TEST(written_numbers) {
  ck_assert_text_eq(short_number(0), "0");
  ck_assert_text_eq(short_number(12.345), "12.3");
  ck_assert_text_eq(short_number(1234567), "1.23e+06");
  ck_assert_text_eq(in_percent(0.125), "12.5 %");
  ck_assert_text_eq(in_percent(0.0001234), "0.0123 %");
  ck_assert_text_eq(in_percent(1), "100 %");
}
END_TEST

static Suite* suite() {
  Suite* suite = suite_create("text");
  TCase* core = tcase_create("core");
  tcase_add_test(core, whole_numbers);
  tcase_add_test(core, real_numbers);
  tcase_add_test(core, written_numbers);
  suite_add_tcase(suite, core);
  return suite;
}

int main() { return run_suite(suite()); }
