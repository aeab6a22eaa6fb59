// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace placement::planning {

// Copies the text to `target`, an array of `size` bytes (at least 1). A text that is too long is cut. Ends it with a
// zero.
inline void copy_text(char* target, std::size_t size, std::string_view text) {
  const std::size_t length = std::min(size - 1, text.size());
  std::copy_n(text.data(), length, target);
  target[length] = '\0';
}

}  // namespace placement::planning
