// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "common/util/text.hpp"

namespace placement {

// Returns the texts of the elements of `range` with `between` between them.
template <typename Range, typename Text = std::identity>
std::string joined(const Range& range, std::string_view between, Text text_of = {}) {
  std::string all;
  std::string_view before;
  for (const auto& one : range) {
    all.append(before).append(text_of(one));
    before = between;
  }
  return all;
}

// Returns "did you mean WORD?" with the near_miss() of `unknown`, or "`what` A, B, C" with all words of `known`.
inline std::string suggested(std::string_view unknown, std::span<const std::string_view> known, std::string_view what) {
  const std::string_view meant = near_miss(unknown, known);
  return meant.empty() ? std::string(what) + " " + joined(known, ", ") : "did you mean " + std::string(meant) + "?";
}

}  // namespace placement
