// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace placement {

// Returns the numbers first, first + 1, ..., `count` of them.
inline std::vector<std::int32_t> numbers(std::size_t count, std::int32_t first = 0) {
  std::vector<std::int32_t> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

// Returns the numbers from 0 to count - 1 in ascending order of key(number). Numbers with equal keys ascend.
template <typename Key>
std::vector<std::int32_t> ordered_numbers(std::size_t count, Key key) {
  std::vector<std::int32_t> all = numbers(count);
  std::ranges::stable_sort(all, {}, key);
  return all;
}

}  // namespace placement
