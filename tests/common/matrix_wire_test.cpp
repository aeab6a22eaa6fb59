// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_wire.hpp"

#include <zstd.h>

#include <algorithm>
#include <random>
#include <set>

#include "common/matrix/matrix_coarsen.hpp"
#include "common/util/base64url.hpp"
#include "tests/check.hpp"

using namespace placement;

namespace {

using Bytes = std::vector<std::byte>;

// Returns the packed form of a payload, which may be wrong.
Bytes framed(std::initializer_list<int> payload, const char* magic = "SPM\1") {
  Bytes plain;
  for (const int byte : payload) plain.push_back(static_cast<std::byte>(byte));
  Bytes bytes(4 + ZSTD_compressBound(plain.size()));
  std::transform(magic, magic + 4, bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  bytes.resize(4 + ZSTD_compress(bytes.data() + 4, bytes.size() - 4, plain.data(), plain.size(), 1));
  return bytes;
}

CommMatrix random_matrix(std::int32_t ranks, int edges, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<CommEdge> list;
  for (int e = 0; e < edges; ++e)
    list.push_back({static_cast<std::int32_t>(random() % ranks), static_cast<std::int32_t>(random() % ranks),
                    std::int64_t{1} << (random() % 40)});
  return CommMatrix::from_edges(ranks, std::move(list));
}

CommMatrix ring(std::int32_t ranks) {
  std::vector<CommEdge> edges;
  for (std::int32_t r = 0; r < ranks; ++r) edges.push_back({r, (r + 1) % ranks, 100});
  return CommMatrix::from_edges(ranks, std::move(edges));
}

}  // namespace

START_TEST(packed_matrices_unpack) {
  const CommMatrix matrices[] = {CommMatrix{},
                                 CommMatrix::from_edges(1, {}),
                                 CommMatrix::from_edges(2, {{0, 1, INT64_MAX}}),
                                 CommMatrix::from_edges(5, {{3, 4, 1}}),
                                 CommMatrix::from_edges(5, {{0, 4, 1}, {0, 1, 2}, {2, 4, 300}}),
                                 random_matrix(1000, 20000, 1),
                                 ring(80640)};
  for (const CommMatrix& matrix : matrices) ck_assert(unpack_wire(pack_wire(matrix)) == matrix);
  ck_assert_uint_lt(pack_wire(ring(80640)).size(), 1000);
}
END_TEST

START_TEST(refuses_to_pack_matrices_above_the_limits) {
  ck_assert_error(pack_wire(CommMatrix::from_edges(WireLimits{}.max_ranks + 1, {})), "at most");
}
END_TEST

START_TEST(refuses_every_truncation) {
  const Bytes bytes = pack_wire(random_matrix(4, 30, 2));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ck_assert_error(unpack_wire(std::span(bytes).first(size)), "packed matrix: ");
  Bytes more = bytes;
  more.push_back(std::byte{0});
  ck_assert_error(unpack_wire(more), "packed matrix: ");
  Bytes twice = bytes;
  twice.insert(twice.end(), bytes.begin() + 4, bytes.end());
  ck_assert_error(unpack_wire(twice), ": " + std::to_string(bytes.size() - 4) + " bytes");
}
END_TEST

START_TEST(refuses_hostile_payloads) {
  // 0; 3 ranks, 2 pairs; 2, 0 and 0 larger neighbours; 0-1 and 0-2; weights 5 and 6.
  const CommMatrix right = CommMatrix::from_edges(3, {{0, 1, 5}, {0, 2, 6}});
  ck_assert(unpack_wire(framed({0, 3, 2, 2, 0, 0, 0, 0, 4, 5})) == right);
  const struct {
    std::initializer_list<int> payload;
    const char* message;
  } cases[] = {
      {{}, "ends in the first number"},
      {{0, 3, 2, 2, 0, 0, 0, 0, 4}, "ends in the weight"},
      {{0, 3, 2, 2, 0, 0, 0, 0, 4, 5, 0}, "1 bytes too many"},
      {{0, 3, 2, 1, 0, 0, 0, 0, 4, 5}, "1 pairs of"},
      {{0, 3, 1, 2, 0, 0, 0, 0, 4, 5}, "announced 1"},
      {{0, 3, 2, 3, 0, 0, 0, 0, 4, 5}, "neighbours 3 "},
      {{0, 3, 2, 2, 0, 0, 0, 1, 4, 5}, "distance of neighbours 1 "},
      {{0, 3, 2, 2, 0, 0, 1, 0, 4, 5}, "rank 0 has neighbours"},
      {{0, 3, 2, 0, 0, 2, 0, 0, 4, 5}, "neighbours 2 "},
      {{0x80, 0, 3, 2, 2, 0, 0, 0, 0, 4, 5}, "more bytes"},
      {{0, 0xff, 0xff, 0xff, 0x07, 0}, "than 1048576"},
      {{0, 0x80, 0x80, 0x08, 0}, "number of ranks 131072 "},
      {{0, 3, 0xff, 0x7f, 0}, "number of pairs 16383 "},
      {{0, 2, 1, 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, "weight"},
      {{0, 2, 1, 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, " 64 bits"},
      {{0, 3, 2, 2, 0, 0, 0, 0, 4, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, "2^63"},
      {{2, 0, 1, 2, 0, 0, 0}, "first number 2 "},
  };
  for (const auto& wrong : cases) ck_assert_error(unpack_wire(framed(wrong.payload)), wrong.message);
  ck_assert_error(unpack_wire(framed({0, 0, 0}, "SPM\2")), "version 1");
  const WireLimits narrow{.max_ranks = 3, .max_pairs = 2, .max_unpacked_bytes = 10};
  ck_assert(unpack_wire(pack_wire(right), narrow) == right);
  ck_assert_error(unpack_wire(pack_wire(right), {.max_ranks = 2}), "number of ranks 3 is more than 2");
  ck_assert_error(unpack_wire(pack_wire(right), {.max_pairs = 1}), "number of pairs 2 is more than 1");
  ck_assert_error(unpack_wire(pack_wire(right), {.max_unpacked_bytes = 9}), "unpacked 10 bytes: the limit is 9");
}
END_TEST

// A regular matrix packs to very few bytes. So a limit of bytes alone would limit neither time nor memory.
START_TEST(many_pairs_do_not_travel_however_small) {
  const auto all_to_all = [](std::int32_t ranks) {
    std::vector<CommEdge> edges;
    for (std::int32_t a = 0; a < ranks; ++a)
      for (std::int32_t b = a + 1; b < ranks; ++b) edges.push_back({a, b, 1});
    return CommMatrix::from_edges(ranks, std::move(edges));
  };
  const CommMatrix most = all_to_all(632);
  const Bytes packed = pack_wire(most);
  ck_assert_uint_lt(packed.size(), 4096);
  ck_assert(unpack_wire(packed) == most);
  ck_assert_error(pack_wire(all_to_all(633)), "at most 1048576 and 200000");
}
END_TEST

START_TEST(refuses_frames_without_a_size) {
  Bytes bytes = framed({0, 0, 0});
  const unsigned char payload[] = {0, 0, 0};
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  bytes.resize(4 + ZSTD_compressBound(sizeof payload));
  bytes.resize(4 + ZSTD_compress2(context, bytes.data() + 4, bytes.size() - 4, payload, sizeof payload));
  ZSTD_freeCCtx(context);
  ck_assert_error(unpack_wire(bytes), "unpacked size");
}
END_TEST

START_TEST(groups_heavy_pairs) {
  // Pairs (0,4), (1,5), (2,6), (3,7) talk; the ring around them is light.
  std::vector<CommEdge> edges;
  for (std::int32_t r = 0; r < 4; ++r) edges.push_back({r, r + 4, 1000}), edges.push_back({r, (r + 1) % 4, 1});
  const CommMatrix matrix = CommMatrix::from_edges(8, std::move(edges));
  ck_assert(group_ranks(matrix, 2) == (std::vector<std::int32_t>{0, 1, 2, 3, 0, 1, 2, 3}));
  ck_assert(group_ranks(matrix, 1) == (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  ck_assert(group_ranks(matrix, 8) == std::vector<std::int32_t>(8, 0));
  ck_assert(group_ranks(matrix, 1 << 24) == std::vector<std::int32_t>(8, 0));
  ck_assert(group_ranks(CommMatrix{}, 4).empty());
  ck_assert_error(group_ranks(matrix, 0), "groups of 0 ranks");
}
END_TEST

START_TEST(groups_are_equal) {
  std::vector<CommEdge> star;
  for (std::int32_t r = 1; r < 3000; ++r) star.push_back({0, r, r});
  const CommMatrix matrices[] = {random_matrix(997, 4000, 3), ring(1000), CommMatrix::from_edges(50, {}),
                                 CommMatrix::from_edges(3000, std::move(star))};
  for (const CommMatrix& matrix : matrices)
    for (const std::int32_t size : {2, 3, 7, 64, 1500}) {
      const std::vector<std::int32_t> group_of = group_ranks(matrix, size);
      std::vector<std::int32_t> members(matrix.ranks());
      std::int32_t seen = 0;
      for (const std::int32_t group : group_of) {
        ck_assert(group >= 0 && group <= seen && group < matrix.ranks());
        seen = std::max(seen, group + 1);
        ++members[group];
      }
      ck_assert_int_eq(seen, (matrix.ranks() + size - 1) / size);
      ck_assert_int_eq(std::count(members.begin(), members.end(), size), matrix.ranks() / size);
      ck_assert(group_of == group_ranks(matrix, size));
    }
}
END_TEST

START_TEST(base64url_is_exact) {
  std::set<std::string> seen;
  for (std::size_t size = 0; size < 100; ++size) {
    Bytes bytes;
    for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(i * 37 + size));
    const std::string text = to_base64url(bytes);
    ck_assert_uint_eq(text.size(), base64url_size(size));
    ck_assert(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
              std::string::npos);
    ck_assert(seen.insert(text).second);
    ck_assert(from_base64url(text, size) == bytes);
    if (size > 0) ck_assert_error(from_base64url(text, size - 1), " " + std::to_string(size) + " bytes");
    for (std::size_t cut = 0; cut < text.size(); ++cut)
      ck_assert_error(from_base64url(std::string_view(text).substr(0, cut), 1000), "encoded data");
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string changed = text;
      changed[i] = changed[i] == 'A' ? 'B' : 'A';
      ck_assert_error(from_base64url(changed, 1000), "encoded data");
    }
    ck_assert_error(from_base64url(text + "=", 1000), "encoded data");
    ck_assert_error(from_base64url(text + "A", 1000), "encoded data");
  }
  ck_assert_error(from_base64url("", 10), "cut off");
  ck_assert_error(from_base64url(std::string(12, '+'), 10), "have the byte 43 at offset 0");
}
END_TEST

int main() {
  Suite* suite = suite_create("matrix_wire");
  TCase* all = tcase_create("all");
  tcase_add_test(all, packed_matrices_unpack);
  tcase_add_test(all, refuses_to_pack_matrices_above_the_limits);
  tcase_add_test(all, refuses_every_truncation);
  tcase_add_test(all, refuses_hostile_payloads);
  tcase_add_test(all, many_pairs_do_not_travel_however_small);
  tcase_add_test(all, refuses_frames_without_a_size);
  tcase_add_test(all, groups_heavy_pairs);
  tcase_add_test(all, groups_are_equal);
  tcase_add_test(all, base64url_is_exact);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
