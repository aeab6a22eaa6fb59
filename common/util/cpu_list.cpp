// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/cpu_list.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "common/util/text.hpp"

namespace placement {

std::optional<NumberSpan> parse_range(std::string_view text, std::int32_t limit) {
  const std::size_t dash = text.find('-', 1);
  const auto first = parse_number<std::int32_t>(text.substr(0, dash));
  const auto last = dash == text.npos ? first : parse_number<std::int32_t>(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first || *last >= limit) return std::nullopt;
  return NumberSpan{*first, *last};
}

bool mark_cores(std::string_view list, std::vector<bool>& core) {
  for (const std::string_view part : split_at(list, ',')) {
    const auto range = parse_range(part, static_cast<std::int32_t>(core.size()));
    if (!range) return false;
    std::fill(core.begin() + range->first, core.begin() + range->last + 1, true);
  }
  return true;
}

std::optional<std::vector<std::int32_t>> listed_cores(std::string_view list, std::int32_t limit) {
  std::vector<bool> is_listed(static_cast<std::size_t>(limit), false);
  if (!mark_cores(list, is_listed)) return std::nullopt;
  std::vector<std::int32_t> cores;
  for (std::int32_t core = 0; core < limit; ++core)
    if (is_listed[core]) cores.push_back(core);
  return cores;
}

std::optional<std::vector<std::int32_t>> configured_cores(std::string_view list, std::int32_t limit) {
  std::set<std::int32_t> cores;
  if (const std::size_t dash = list.find('-'), colon = list.find(':'); colon != list.npos) {
    if (dash > colon) return std::nullopt;
    const auto first = parse_integer(list.substr(0, dash)), step = parse_integer(list.substr(colon + 1));
    const auto end = parse_integer(list.substr(dash + 1, colon - dash - 1));
    if (!first || !end || !step || *first < 0 || *end < *first || *step < 1) return std::nullopt;
    for (std::int64_t core = *first; core < *end; core += std::min<std::int64_t>(*step, limit)) {
      if (core >= limit) return std::nullopt;
      cores.insert(static_cast<std::int32_t>(core));
    }
    return std::vector<std::int32_t>(cores.begin(), cores.end());
  }
  std::int64_t first = -1, number = 0;
  for (std::size_t at = 0; at <= list.size() && !list.empty() && list[0] != ','; ++at) {
    const char c = at < list.size() ? list[at] : ',';
    if (c >= '0' && c <= '9') number = std::min<std::int64_t>(number * 10 + (c - '0'), limit);
    if (c == '-') first = std::exchange(number, 0);
    if (std::string_view("0123456789-, \t[]").find(c) == std::string_view::npos) return std::nullopt;
    if (c != ',') continue;
    if (std::max(first, number) >= limit) return std::nullopt;
    for (std::int64_t core = first < 0 ? number : first; core <= number; ++core)
      cores.insert(static_cast<std::int32_t>(core));
    first = -1;
    number = 0;
  }
  return std::vector<std::int32_t>(cores.begin(), cores.end());
}

std::string format_cores(const std::vector<std::int32_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

std::vector<std::int32_t> allowed_cpus() {
  std::vector<std::int32_t> cpus;
  // The set must have room for all processors that the kernel supports, and the kernel does not report their number.
  for (int room = 1024; cpus.empty() && room <= 1 << 20; room *= 4) {
    cpu_set_t* const set = CPU_ALLOC(room);
    if (set == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(room);
    if (sched_getaffinity(0, size, set) == 0)
      for (int cpu = 0; cpu < room; ++cpu)
        if (CPU_ISSET_S(cpu, size, set)) cpus.push_back(cpu);
    CPU_FREE(set);
  }
  return cpus;
}

}  // namespace placement
