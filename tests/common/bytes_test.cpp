// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the writer and the reader of the serial forms.
#include <cstdint>
#include <span>
#include <vector>

#include "common/util/bytes.hpp"
#include "tests/check.hpp"

using namespace placement;

using Bytes = std::vector<std::uint8_t>;

START_TEST(a_vector_grows) {
  Bytes bytes{9};
  ByteWriter out(bytes);
  out.number(0x0102030405060708, 8);
  out.number(0x1234, 1);
  out.number(0xabcdef, 2);
  out.text("ab");
  out.text("");
  out.put(Bytes{1, 2});
  out.put({});
  ck_assert((bytes == Bytes{9, 8, 7, 6, 5, 4, 3, 2, 1, 0x34, 0xef, 0xcd, 'a', 'b', 1, 2}));
}
END_TEST

START_TEST(the_reader_finds_what_was_written) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  out.number(UINT64_MAX - 1, 8);
  const double number = -2.5;
  out.put(std::as_bytes(std::span(&number, 1)));
  out.number(0x80, 1);
  ByteReader<std::byte> in(bytes);
  ck_assert(in.number(8) == UINT64_MAX - 1);
  ck_assert(in.value<double>() == -2.5);
  ck_assert(!in.number(2));
  ck_assert_uint_eq(in.left(), 1);
  ck_assert(in.number(1) == 0x80u);
  ck_assert(!in.take(1));
  ck_assert(in.take(0).has_value());
}
END_TEST

int main() {
  Suite* const suite = suite_create("bytes");
  TCase* const tests = tcase_create("bytes");
  tcase_add_test(tests, a_vector_grows);
  tcase_add_test(tests, the_reader_finds_what_was_written);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
