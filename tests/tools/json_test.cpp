// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/output.hpp"

#include <cmath>
#include <limits>

#include "tests/check.hpp"

using namespace placement;
using namespace placement::tools;

START_TEST(nesting) {
  JsonWriter json;
  json.begin_object().member("a", 1).key("b").begin_array().value(1).value(2).begin_object().member("c", true);
  json.end_object().end_array().key("d").begin_array().end_array().key("e").begin_object().end_object().end_object();
  ck_assert_text_eq(json.take(), "{\n  \"a\": 1,\n  \"b\": [1, 2, {\"c\": true}],\n  \"d\": [],\n  \"e\": {}\n}\n");
  ck_assert_text_eq(JsonWriter().begin_object().end_object().take(), "{}\n");
}
END_TEST

START_TEST(strings) {
  ck_assert_text_eq(JsonWriter().value("a\"b\\c\n\x01\x7f/é").take(), "\"a\\\"b\\\\c\\u000a\\u0001\x7f/é\"\n");
  ck_assert_text_eq(JsonWriter().value(std::string_view("\0", 1)).take(), "\"\\u0000\"\n");
  ck_assert_text_eq(JsonWriter().begin_object().member("\"", "").end_object().take(), "{\n  \"\\\"\": \"\"\n}\n");
}
END_TEST

START_TEST(numbers) {
  ck_assert_text_eq(JsonWriter().value(INT64_MIN).take(), "-9223372036854775808\n");
  ck_assert_text_eq(JsonWriter().value(static_cast<Cost>(INT64_MAX) * 4).take(), "36893488147419103228\n");
  ck_assert_text_eq(JsonWriter().value(0.25).take(), "0.25\n");
  ck_assert_text_eq(JsonWriter().value(1795451429.125).take(), "1795451429.125\n");
  ck_assert_text_eq(JsonWriter().value(std::nan("")).take(), "null\n");
  ck_assert_text_eq(JsonWriter().value(-std::numeric_limits<double>::infinity()).take(), "null\n");
}
END_TEST

int main() {
  Suite* suite = suite_create("json");
  TCase* all = tcase_create("all");
  tcase_add_test(all, nesting);
  tcase_add_test(all, strings);
  tcase_add_test(all, numbers);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
