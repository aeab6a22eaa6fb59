// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/planned_ranks.hpp"

#include <string>

#include "common/util/error.hpp"
#include "tests/check.hpp"

using namespace placement;

START_TEST(ranks_are_in_the_order_of_their_cores) {
  const PlannedRanks planned{17, {{5, 0}, {1, 2, 3}, {4}, {9, 8, 6, 7}}};
  const std::string text = pack_planned_ranks(planned, 100);
  ck_assert_text_eq(text, "17.5,0;1-3;4;9,8,6-7");
  const PlannedRanks again = unpack_planned_ranks(text);
  ck_assert_uint_eq(again.job, 17);
  ck_assert(again.ranks == planned.ranks);
}
END_TEST

START_TEST(a_text_is_whole_or_empty) {
  const PlannedRanks planned{17, {{5, 0}, {1, 2, 3}}};
  ck_assert_text_eq(pack_planned_ranks(planned, 10), "17.5,0;1-3");
  for (std::size_t most = 0; most < 10; ++most) ck_assert_text_eq(pack_planned_ranks(planned, most), "");
  ck_assert_text_eq(ranks_text({}, 10), "");
  ck_assert_text_eq(pack_planned_ranks({17, {}}, 10), "");
}
END_TEST

START_TEST(successive_ranks_take_little_room) {
  PlannedRanks planned{1, std::vector<std::vector<std::int32_t>>(4096)};
  for (std::int32_t rank = 0; rank < 65536; ++rank) planned.ranks[rank / 16].push_back(rank);
  ck_assert_uint_lt(pack_planned_ranks(planned, 1 << 20).size(), 4096 * 12);
}
END_TEST

START_TEST(hostile_texts) {
  for (const char* wrong : {"",
                            "7",
                            ".0",
                            "x.0",
                            "-1.0",
                            "4294967296.0",
                            "99999999999999999999.0",
                            "7.",
                            "7.0;",
                            "7.;0",
                            "7.0,",
                            "7.-1",
                            "7.3-1",
                            "7.1-",
                            "7.-",
                            "7.0-99999999999999999999",
                            "7.16777216",
                            "7.0 1",
                            "7.0;\033[31m",
                            "7.0-9999999;0-9999999"})
    ck_assert_error(unpack_planned_ranks(wrong), wrong[0] == '7' && wrong[1] == '.' ? "rank" : "start with");
  ck_assert_error(unpack_planned_ranks("7.0;\033[31m"), "'?[31m'");
  ck_assert_error(unpack_planned_ranks("7." + std::string(130'000, ';')), "a rank");
  std::string twice = "7.0-16777215";
  ck_assert_uint_eq(unpack_planned_ranks(twice).ranks.front().size(), 1 << 24);
  twice += ";0";
  ck_assert_error(unpack_planned_ranks(twice), "more than 16777216 ranks");
  ck_assert(unpack_planned_ranks("7.0;0").ranks == RanksOfNodes({{0}, {0}}));  // the caller checks for this
}
END_TEST

static Suite* suite() {
  Suite* suite = suite_create("planned_ranks");
  TCase* core = tcase_create("core");
  tcase_add_test(core, ranks_are_in_the_order_of_their_cores);
  tcase_add_test(core, a_text_is_whole_or_empty);
  tcase_add_test(core, successive_ranks_take_little_room);
  tcase_add_test(core, hostile_texts);
  suite_add_tcase(suite, core);
  return suite;
}

int main() { return run_suite(suite()); }
