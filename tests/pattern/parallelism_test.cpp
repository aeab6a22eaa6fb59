// SPDX-License-Identifier: GPL-2.0-or-later
#include "pattern/parallelism.hpp"

#include <set>

#include "tests/words.hpp"

using namespace placement;
using namespace placement::pattern;

namespace {

CommMatrix matrix(const Parameters& parameters, std::int32_t ranks) {
  const Parallelism p = fitted(parse_parallelism(parameters), ranks);
  const std::vector<CommEdge> edges = parallelism_edges(p);
  ck_assert_int_eq(static_cast<std::int64_t>(edges.size()), edge_count(p));
  for (const CommEdge& edge : edges) ck_assert_int_ne(edge.a, edge.b);
  return CommMatrix::from_edges(ranks, edges);
}

// One layer of one element and token, so that the bytes can be counted by hand.
const Parameters unit{{"layers", "1"}, {"hidden", "60"}, {"seq", "1"}, {"batch", "12"}};

Parameters with_unit(const Parameters& more) {
  Parameters all = more;
  all.insert(unit.begin(), unit.end());
  return all;
}

}  // namespace

// slurm-placement-patterns(7): layers, hidden, seq and batch are 96, 12288, 2048 and 1536 unless given.
START_TEST(the_usual_model_is_that_of_the_man_page) {
  const Parallelism usual = parse_parallelism({{"tp", "8"}});
  ck_assert_int_eq(usual.layers, 96);
  ck_assert_int_eq(usual.hidden, 12288);
  ck_assert_int_eq(usual.sequence, 2048);
  ck_assert_int_eq(usual.batch, 1536);
}
END_TEST

START_TEST(tensor_ranks_are_next_to_each_other) {
  // 2 ranks: each sends 4 all-reduces 2 * 1/2 * 2 bytes * 12 * 60, in both directions.
  const CommMatrix two = matrix(with_unit({{"tp", "2"}}), 2);
  ck_assert_int_eq(two.pairs(), 1);
  ck_assert_int_eq(two.weight(0, 1), 2 * 4 * 2 * 12 * 60);
  // 4 ranks: a ring, each sends 4 * 2 * 3/4 * 2 * 12 * 60.
  const CommMatrix four = matrix(with_unit({{"tp", "4"}}), 4);
  ck_assert_int_eq(four.pairs(), 4);
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {2, 3}, {0, 3}})
    ck_assert_int_eq(four.weight(a, b), 6 * 2 * 12 * 60);
}
END_TEST

START_TEST(stages_are_a_chain) {
  // Activations and their gradients: 2 * 2 bytes * 12 * 60; the last stage sends nothing to the first.
  const CommMatrix chain = matrix(with_unit({{"pp", "4"}}), 4);
  ck_assert_int_eq(chain.pairs(), 3);
  for (int stage = 0; stage < 3; ++stage) ck_assert_int_eq(chain.weight(stage, stage + 1), 2 * 2 * 12 * 60);
}
END_TEST

START_TEST(replicas_are_a_ring) {
  // 2 * 2/3 * 2 bytes * 12 * 60^2.
  const CommMatrix ring = matrix(with_unit({{"dp", "3"}}), 3);
  ck_assert_int_eq(ring.pairs(), 3);
  ck_assert_int_eq(ring.total_weight(), 3 * (2 * 2 * 2 * 12 * 60 * 60 / 3));
  // dp is what the number of ranks leaves.
  ck_assert(matrix(with_unit({{"tp", "1"}}), 3) == ring);
}
END_TEST

START_TEST(context_ranks_are_a_ring_and_share_the_gradients) {
  // Keys and values: 6 * 1 * 2 bytes * 12 * 60 / 2 from each of two ranks; gradients 2 * 1/2 * 2 * 12 * 60^2.
  const CommMatrix two = matrix(with_unit({{"cp", "2"}}), 2);
  ck_assert_int_eq(two.pairs(), 1);
  ck_assert_int_eq(two.weight(0, 1), 2 * 6 * 12 * 60 + 2 * 2 * 12 * 60 * 60);
}
END_TEST

START_TEST(experts_are_all_to_all) {
  // 4 exchanges of 2 experts: 8 * 2 bytes * (12/4) * 60 / 4 each way, in addition to the ring of gradients.
  const CommMatrix all = matrix(with_unit({{"dp", "4"}, {"ep", "4"}}), 4);
  ck_assert_int_eq(all.pairs(), 6);
  ck_assert_int_eq(all.weight(0, 2), 2 * 8 * 2 * 3 * 60 / 4);
  ck_assert_int_eq(all.weight(0, 1), 2 * 8 * 2 * 3 * 60 / 4 + 3 * 12 * 60 * 60);
}
END_TEST

START_TEST(ranks_are_numbered_as_megatron_numbers_them) {
  // tp=2, dp=2, pp=2 in the order tp-dp-pp; the groups that the documentation of Megatron-LM's rank generator gives for
  // tp-pp-dp have dp groups [0, 4], [1, 5], [2, 6], [3, 7].
  const CommMatrix usual = matrix({{"tp", "2"}, {"dp", "2"}, {"pp", "2"}}, 8);
  for (int rank = 0; rank < 8; ++rank)
    for (int other = rank + 1; other < 8; ++other)
      ck_assert_int_eq(usual.weight(rank, other) > 0,
                       (rank ^ other) == 1 || (rank ^ other) == 2 || (rank ^ other) == 4);
  const CommMatrix turned = matrix({{"tp", "2"}, {"dp", "2"}, {"pp", "2"}, {"order", "tp-pp-dp"}}, 8);
  ck_assert_int_eq(turned.weight(0, 4), usual.weight(0, 2));  // dp
  ck_assert_int_eq(turned.weight(0, 2), usual.weight(0, 4));  // pp
  ck_assert_int_ne(turned.weight(0, 2), turned.weight(0, 4));
  // cp is between tp and dp, and the ring of gradients goes over both.
  const CommMatrix context = matrix({{"tp", "2"}, {"cp", "2"}, {"dp", "2"}}, 8);
  for (const auto& [a, b] : {std::pair{0, 2}, {2, 4}, {4, 6}, {0, 6}}) ck_assert_int_gt(context.weight(a, b), 0);
  // An expert group of 2 among 4 replicas has consecutive ones: ranks 0 and 1, 2 and 3.
  const CommMatrix experts = matrix({{"dp", "4"}, {"ep", "2"}}, 4);
  ck_assert_int_gt(experts.weight(0, 1), experts.weight(1, 2));
  ck_assert_int_eq(experts.weight(0, 1), experts.weight(2, 3));
}
END_TEST

START_TEST(sums_and_degrees_are_right_in_all_orders) {
  const char* const orders[] = {"tp-cp-ep-dp-pp", "pp-dp-ep-cp-tp", "dp-cp-ep-tp-pp", "pp-tp-cp-ep-dp",
                                "tp-dp-cp-ep-pp"};
  std::set<std::int64_t> totals;
  for (const char* order : orders) {
    const CommMatrix m =
        matrix({{"tp", "3"}, {"cp", "2"}, {"ep", "2"}, {"dp", "4"}, {"pp", "3"}, {"order", order}}, 72);
    totals.insert(m.total_weight());
    std::int64_t twice = 0;
    for (std::int32_t rank = 0; rank < 72; ++rank) {
      ck_assert_int_ge(static_cast<int>(m.neighbours(rank).size()), 2 + 2 + 1);  // tensor, gradients, a stage
      for (std::size_t k = 0; k < m.neighbours(rank).size(); ++k) {
        twice += m.weights(rank)[k];
        ck_assert_int_eq(m.weight(m.neighbours(rank)[k], rank), m.weights(rank)[k]);
      }
    }
    ck_assert_int_eq(twice, 2 * m.total_weight());
  }
  ck_assert_int_eq(static_cast<int>(totals.size()), 1);  // the order changes places, not bytes
}
END_TEST

START_TEST(sizes_that_do_not_fit_name_the_numbers) {
  ck_assert_error_words(matrix({{"tp", "8"}, {"pp", "4"}, {"dp", "16"}}, 100), "tp=8,pp=4,dp=16 512 ranks 100 tasks");
  ck_assert_error_words(matrix({{"tp", "8"}, {"pp", "4"}}, 100), "32 ranks 100 tasks");
  ck_assert_error_words(matrix({{"ep", "3"}}, 4), "ep=3 cp * dp = 4");
  ck_assert_error_words(parse_parallelism({{"ep", "3"}, {"dp", "4"}}), "ep=3 cp * dp = 4");
  ck_assert_error(parse_parallelism({{"tp", "65536"}, {"pp", "65536"}}), "more than 16777216 ranks");
  ck_assert_error(parse_parallelism({{"tp", "16777216"}, {"pp", "16777216"}, {"dp", "16777216"}}),
                  "more than 16777216 ranks");
  ck_assert_error_words(rank_step(parse_parallelism({{"tp", "65536"}, {"ep", "65537"}})), "4295032832 ranks");
  ck_assert_error_words(rank_step(parse_parallelism({{"tp", "65536"}, {"ep", "65535"}})), "4294901760 ranks");
  ck_assert_int_eq(rank_step(parse_parallelism({{"tp", "8"}, {"cp", "4"}, {"ep", "6"}})), 96);
  for (const char* value : {"0", "-1", "x", "", "1.5", "16777217", "99999999999999999999"})
    ck_assert_error_words(parse_parallelism({{"tp", value}}), "1 16777216");
  ck_assert_error_words(parse_parallelism({{"tp", "2"}, {"layers", "0"}}), "layers=0 number");
  ck_assert_error(parse_parallelism({{"ep", "2"}, {"cp", "2"}, {"dp", "2"}, {"pp", "2"}, {"order", "tp-cp-pp-ep-dp"}}),
                  "pp after");
}
END_TEST

START_TEST(an_order_has_each_dimension_once) {
  ck_assert_error_words(parse_parallelism({{"tp", "2"}, {"order", "tp-cp-tp-dp-pp"}}), "tp twice");
  ck_assert_error_words(parse_parallelism({{"tp", "2"}, {"order", "tp-xp"}}), "'xp' none");
  ck_assert_error_words(parse_parallelism({{"tp", "2"}, {"order", "tp--dp"}}), "'' none");
  ck_assert_error_words(parse_parallelism({{"tp", "2"}, {"pp", "2"}, {"order", "tp-dp"}}), "pp missing");
  ck_assert_error_words(parse_parallelism({{"tp", "2"}, {"order", "tp"}}), "dp missing");
  // Dimensions of size 1 may be left out.
  ck_assert(matrix({{"tp", "2"}, {"dp", "2"}, {"order", "DP-TP"}}, 4) ==
            matrix({{"tp", "2"}, {"dp", "2"}, {"order", "dp-tp-cp-ep-pp"}}, 4));
}
END_TEST

START_TEST(huge_models_do_not_overflow) {
  const CommMatrix m = matrix({{"tp", "8"},
                               {"dp", "8"},
                               {"layers", "1000000"},
                               {"hidden", "100000000"},
                               {"seq", "1000000000"},
                               {"batch", "1000000000"}},
                              64);
  ck_assert_int_gt(m.total_weight(), 1);
  ck_assert_int_le(m.total_weight(), std::int64_t{1} << 62);
}
END_TEST

START_TEST(texts_are_written_as_they_are_read) {
  ck_assert_text_eq(to_string(parse_parallelism({{"tp", "8"}, {"pp", "4"}, {"dp", "16"}})), "tp=8,pp=4,dp=16");
  ck_assert_text_eq(to_string(parse_parallelism(
                        {{"cp", "2"}, {"ep", "2"}, {"dp", "1"}, {"batch", "8"}, {"order", "cp-ep-dp-tp-pp"}})),
                    "dp=1,cp=2,ep=2,order=cp-ep-dp-tp-pp,batch=8");
}
END_TEST

int main() {
  Suite* suite = suite_create("parallelism");
  TCase* tcase = tcase_create("parallelism");
  tcase_add_test(tcase, the_usual_model_is_that_of_the_man_page);
  tcase_add_test(tcase, tensor_ranks_are_next_to_each_other);
  tcase_add_test(tcase, stages_are_a_chain);
  tcase_add_test(tcase, replicas_are_a_ring);
  tcase_add_test(tcase, context_ranks_are_a_ring_and_share_the_gradients);
  tcase_add_test(tcase, experts_are_all_to_all);
  tcase_add_test(tcase, ranks_are_numbered_as_megatron_numbers_them);
  tcase_add_test(tcase, sums_and_degrees_are_right_in_all_orders);
  tcase_add_test(tcase, sizes_that_do_not_fit_name_the_numbers);
  tcase_add_test(tcase, an_order_has_each_dimension_once);
  tcase_add_test(tcase, huge_models_do_not_overflow);
  tcase_add_test(tcase, texts_are_written_as_they_are_read);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
