// SPDX-License-Identifier: GPL-2.0-or-later
// What a task reads to bind itself: the plan of the step, and Slurm's list of masks. Each is a permutation of the
// node's shares, or is refused. The first byte of an input is the number of tasks on the node.
#include <algorithm>
#include <numeric>
#include <vector>

#include "spank/request/sent_plan.hpp"
#include "spank/task/cpu_masks.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "bind_plan";

namespace {

void check_plan(std::string_view text, std::uint32_t tasks) {
  std::vector<std::uint32_t> local(tasks);
  std::iota(local.begin(), local.end(), 1u);
  const std::uint32_t total = tasks + 2;
  const auto slots = spank::slots_for(text, 7, 0, total, local);
  if (!slots) return;
  std::vector<std::int32_t> sorted = *slots;
  std::sort(sorted.begin(), sorted.end());
  REQUIRE(sorted.size() == tasks);
  for (std::uint32_t i = 0; i < tasks; ++i) REQUIRE(sorted[i] == static_cast<std::int32_t>(i));
}

void check_masks(std::string_view text) {
  const auto masks = spank::parse_masks(text);
  if (!masks) return;
  REQUIRE(spank::parse_masks(mask_list(*masks)) == masks);
  std::vector<std::int32_t> backwards(masks->size());
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  const std::vector<std::int32_t> core_of_cpu{0, 4, 1, 5, 2, 6, 3, 7};
  const auto dealt = spank::deal_masks(*masks, backwards, core_of_cpu);
  REQUIRE(dealt.size() == masks->size());
  for (const spank::CpuMask& mask : dealt) REQUIRE(std::find(masks->begin(), masks->end(), mask) != masks->end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = as_text(data + 1, size - 1);
  check_plan(text, data[0] % 8);
  check_masks(text);
  return 0;
}
