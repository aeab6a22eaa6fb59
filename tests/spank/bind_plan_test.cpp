// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/bind_plan.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "spank/task/cpu_masks.hpp"
#include "spank/task/gpu_tasks.hpp"
#include "tests/check.hpp"

namespace {

using placement::spank::BindPlan;
using placement::spank::CpuMask;
using placement::spank::CpuPosition;
using placement::spank::encode_plan;
using placement::spank::slots_for;
using Ranks = std::vector<std::uint32_t>;
using Slots = std::vector<std::int32_t>;

// A step on two nodes: the first has ranks 0, 2 and 4, the second ranks 1 and 3.
const BindPlan plan{7, 3, {2, 1, 0, 0, 1}};

CpuMask mask_of(std::initializer_list<int> cpus) {
  CpuMask mask;
  for (const int cpu : cpus) mask.add(cpu);
  return mask;
}

}  // namespace

START_TEST(a_task_finds_its_slot) {
  const std::string text = encode_plan(plan).value();
  ck_assert(slots_for(text, 7, 3, 5, Ranks{0, 2, 4}) == (Slots{2, 0, 1}));
  ck_assert(slots_for(text, 7, 3, 5, Ranks{1, 3}) == (Slots{1, 0}));
}
END_TEST

START_TEST(a_plan_for_another_step_is_ignored) {
  const std::string text = encode_plan(plan).value();
  ck_assert(!slots_for(text, 8, 3, 5, Ranks{1, 3}));
  ck_assert(!slots_for(text, 7, 4, 5, Ranks{1, 3}));
  ck_assert(!slots_for(text, 7, 3, 6, Ranks{1, 3}));
}
END_TEST

START_TEST(slots_must_be_a_permutation_of_the_nodes_tasks) {
  const std::string text = encode_plan(plan).value();
  ck_assert(!slots_for(text, 7, 3, 5, Ranks{0, 1}));     // slots 2 and 1 of two tasks
  ck_assert(!slots_for(text, 7, 3, 5, Ranks{2, 3}));     // slot 0 twice
  ck_assert(!slots_for(text, 7, 3, 5, Ranks{1, 3, 5}));  // no rank 5
}
END_TEST

START_TEST(damaged_and_hostile_plans_are_refused) {
  const Ranks ranks{0, 1};
  for (const std::string text :
       {"", ":", "1", "1:", "1:7:3:2:1", "1:7:3:2:1:", "1:7:3:2:1:0", "1:7:3:2:1:012", "2:7:3:2:1:01", "1:7:3:2:0:01",
        "1:7:3:2:3:000001", "1:7:3:2:1:0*", "1:-7:3:2:1:01", "1:7:3:2 :1:01", " 1:7:3:2:1:01", "1:7:3:99999999999:1:01",
        "1:7:3:4294967295:2:01", "1:7:3:2:1:zz"})
    ck_assert_msg(!slots_for(text, 7, 3, 2, ranks), "'%s' was taken", text.c_str());
  ck_assert(slots_for("1:7:3:2:1:01", 7, 3, 2, ranks).has_value());
  const std::string good = encode_plan({7, 3, Slots(200, 100)}).value();
  for (std::size_t length = 0; length < good.size(); ++length)
    ck_assert(!slots_for(std::string_view(good).substr(0, length), 7, 3, 200, ranks));
}
END_TEST

START_TEST(large_steps_stay_within_one_string) {
  Slots slots(80640);
  for (std::size_t rank = 0; rank < slots.size(); ++rank) slots[rank] = static_cast<std::int32_t>(rank % 16);
  ck_assert_uint_lt(encode_plan({1, 0, slots}).value().size(), 128 * 1024);
  // Nodes of 128 tasks take two characters per rank.
  for (std::size_t rank = 0; rank < slots.size(); ++rank) slots[rank] = static_cast<std::int32_t>(rank % 128);
  ck_assert(!encode_plan({1, 0, slots}));
  slots.resize(128 * 400);
  const std::string text = encode_plan({1, 0, slots}).value();
  Ranks ranks(128);
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<std::uint32_t>(128 * 399 + i);
  const Slots found = slots_for(text, 1, 0, 128 * 400, ranks).value();
  for (std::size_t i = 0; i < found.size(); ++i) ck_assert_int_eq(found[i], static_cast<int>(i));
  ck_assert(!encode_plan({1, 0, {4096}}));
  ck_assert(!encode_plan({1, 0, {-1}}));
}
END_TEST

START_TEST(masks_are_read_as_slurm_writes_them) {
  const auto masks = placement::spank::parse_masks("0x1,0xF0,0x00000003,0x10000000000000000").value();
  ck_assert_uint_eq(masks.size(), 4);
  ck_assert(masks[0] == mask_of({0}));
  ck_assert(masks[1] == mask_of({4, 5, 6, 7}));
  ck_assert(masks[2] == mask_of({0, 1}));
  ck_assert(masks[3] == mask_of({64}));
  ck_assert(placement::spank::mask_list(masks) == "0x1,0xf0,0x3,0x10000000000000000");
  ck_assert_int_eq(masks[1].lowest(), 4);
  for (const std::string text : {"", "1", "0x", "0xg", "0x1,", ",0x1", "0x1,,0x2", "0x0", "0x1;0x2", "x1", " 0x1"})
    ck_assert_msg(!placement::spank::parse_masks(text), "'%s' was taken", text.c_str());
  ck_assert(placement::spank::parse_masks("0x8" + std::string(1023, '0')).has_value());
  ck_assert(!placement::spank::parse_masks("0x1" + std::string(1024, '0')));
}
END_TEST

START_TEST(masks_are_dealt_in_the_order_of_cores) {
  // The kernel numbers CPUs alternately over two packages here.
  const auto position = [](int cpu) { return CpuPosition{cpu % 2, cpu / 2}; };
  const std::vector<std::int32_t> cores = placement::spank::machine_cores(4, position).core_of_cpu;
  const std::vector<CpuMask> masks{mask_of({0}), mask_of({1}), mask_of({2}), mask_of({3})};
  const auto dealt = placement::spank::deal_masks(masks, Slots{0, 1, 2, 3}, cores);
  ck_assert(dealt == (std::vector<CpuMask>{mask_of({0}), mask_of({2}), mask_of({1}), mask_of({3})}));
  const auto turned = placement::spank::deal_masks(masks, Slots{3, 2, 1, 0}, cores);
  ck_assert(turned == (std::vector<CpuMask>{mask_of({3}), mask_of({1}), mask_of({2}), mask_of({0})}));
}
END_TEST

// The firmware gives the package of the lowest CPUs the number 1. Slurm still counts its cores first.
START_TEST(cores_are_counted_by_their_lowest_cpus) {
  const auto position = [](int cpu) { return CpuPosition{cpu < 4 ? 1 : 0, cpu % 4}; };
  const std::vector<std::int32_t> cores = placement::spank::machine_cores(8, position).core_of_cpu;
  const std::vector<CpuMask> masks{mask_of({4}), mask_of({0}), mask_of({5}), mask_of({1})};
  ck_assert(placement::spank::deal_masks(masks, Slots{0, 1, 2, 3}, cores) ==
            (std::vector<CpuMask>{mask_of({0}), mask_of({1}), mask_of({4}), mask_of({5})}));
  // A CPU that the machine does not list comes last.
  const std::vector<CpuMask> other{mask_of({9}), mask_of({4})};
  ck_assert(placement::spank::deal_masks(other, Slots{0, 1}, cores) ==
            (std::vector<CpuMask>{mask_of({4}), mask_of({9})}));
}
END_TEST

START_TEST(equal_masks_stay_as_they_are) {
  const std::vector<std::int32_t> cores{0, 1};
  const std::vector<CpuMask> masks(3, mask_of({0, 1}));
  ck_assert(placement::spank::deal_masks(masks, Slots{2, 0, 1}, cores) == masks);
}
END_TEST

int main() {
  Suite* const suite = suite_create("bind_plan");
  TCase* const tests = tcase_create("bind_plan");
  tcase_add_test(tests, a_task_finds_its_slot);
  tcase_add_test(tests, a_plan_for_another_step_is_ignored);
  tcase_add_test(tests, slots_must_be_a_permutation_of_the_nodes_tasks);
  tcase_add_test(tests, damaged_and_hostile_plans_are_refused);
  tcase_add_test(tests, large_steps_stay_within_one_string);
  tcase_add_test(tests, masks_are_read_as_slurm_writes_them);
  tcase_add_test(tests, masks_are_dealt_in_the_order_of_cores);
  tcase_add_test(tests, cores_are_counted_by_their_lowest_cpus);
  tcase_add_test(tests, equal_masks_stay_as_they_are);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
