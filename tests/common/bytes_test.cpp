// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the writer and the reader of the serial forms.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/util/byte_reader.hpp"
#include "common/util/byte_writer.hpp"
#include "tests/check.hpp"

using namespace placement;

using Bytes = std::vector<std::uint8_t>;

START_TEST(a_vector_grows) {
  Bytes bytes{9};
  ByteWriter out(bytes);
  ck_assert(out.number(0x0102030405060708, 8));
  ck_assert(out.number(0x1234, 1));
  ck_assert(out.number(0xabcdef, 2));
  ck_assert(out.text("ab"));
  ck_assert(out.text(""));
  ck_assert(out.value(std::array<char, 2>{'c', 'd'}));
  ck_assert(out.put(Bytes{1, 2}));
  ck_assert(out.put({}));
  ck_assert((bytes == Bytes{9, 8, 7, 6, 5, 4, 3, 2, 1, 0x34, 0xef, 0xcd, 'a', 'b', 'c', 'd', 1, 2}));
}
END_TEST

START_TEST(a_span_is_never_left) {
  const Bytes longer(30, 0xdd);
  for (std::size_t size = 0; size <= 6; ++size) {
    Bytes bytes(7, 0xee);
    ByteWriter out{std::span(bytes).first(size)};
    ck_assert(out.number(0x1111, 2) == (size >= 2));
    ck_assert(out.value(std::uint32_t{0x22222222}) == (size >= 6));
    ck_assert_uint_eq(out.left(), size >= 6 ? size - 6 : size >= 2 ? size - 2 : size);
    ck_assert(!out.put(longer));
    for (std::size_t i = 0; i < bytes.size(); ++i)
      ck_assert_uint_eq(bytes[i], size >= 2 && i < 2 ? 0x11u : size >= 6 && i < 6 ? 0x22u : 0xeeu);
  }
}
END_TEST

START_TEST(a_shorter_part_fits_after_a_longer_one_did_not) {
  Bytes bytes(3, 0);
  ByteWriter out{std::span(bytes)};
  ck_assert(!out.number(1, 4));
  ck_assert(out.number(0x030201, 3));
  ck_assert(!out.number(4, 1));
  ck_assert(out.put({}));
  ck_assert((bytes == Bytes{1, 2, 3}));
}
END_TEST

START_TEST(the_reader_finds_what_was_written) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  out.number(UINT64_MAX - 1, 8);
  out.value(-2.5);
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
  tcase_add_test(tests, a_span_is_never_left);
  tcase_add_test(tests, a_shorter_part_fits_after_a_longer_one_did_not);
  tcase_add_test(tests, the_reader_finds_what_was_written);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
