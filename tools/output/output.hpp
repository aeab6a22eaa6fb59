// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace placement::tools {

// Writes the text to the file `path`, or to standard output if `path` is empty or "-". Throws Error when it cannot be
// written completely.
void write_output(const std::string& path, const std::string& text);

// Returns the text that printf would print.
__attribute__((format(printf, 1, 2))) std::string formatted(const char* format, ...);

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

}  // namespace placement::tools
