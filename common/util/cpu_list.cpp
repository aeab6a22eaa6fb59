// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/cpu_list.hpp"

#include <algorithm>
#include <charconv>

namespace placement {

bool mark_cores(std::string_view list, std::vector<bool>& core) {
  const char* at = list.data();
  const char* const end = at + list.size();
  const auto number = [&at, end](std::size_t& value) {
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) return false;
    at = stop;
    return true;
  };
  for (;;) {
    std::size_t first = 0;
    if (!number(first)) return false;
    std::size_t last = first;
    if (at != end && *at == '-') {
      ++at;
      if (!number(last)) return false;
    }
    if (last < first || last >= core.size()) return false;
    std::fill(core.begin() + static_cast<std::ptrdiff_t>(first), core.begin() + static_cast<std::ptrdiff_t>(last) + 1,
              true);
    if (at == end) return true;
    if (*at++ != ',') return false;
  }
}

std::optional<std::vector<std::int32_t>> listed_cores(std::string_view list, std::int32_t limit) {
  std::vector<bool> is_listed(static_cast<std::size_t>(limit), false);
  if (!mark_cores(list, is_listed)) return std::nullopt;
  std::vector<std::int32_t> cores;
  for (std::int32_t core = 0; core < limit; ++core)
    if (is_listed[static_cast<std::size_t>(core)]) cores.push_back(core);
  return cores;
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

}  // namespace placement
