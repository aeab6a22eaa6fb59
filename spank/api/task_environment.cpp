// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/api/task_environment.hpp"

#include <vector>

namespace placement::spank {

namespace {

constexpr std::size_t longest_variable = 128 * 1024;

}  // namespace

std::optional<std::string> task_variable(spank_t spank, const char* name) {
  std::vector<char> text(longest_variable);
  if (spank_getenv(spank, name, text.data(), static_cast<int>(text.size())) != ESPANK_SUCCESS)
    return std::nullopt;
  return std::string(text.data());
}

}  // namespace placement::spank
