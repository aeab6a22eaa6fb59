// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/api/task_environment.hpp"

#include <algorithm>
#include <vector>

#include "common/util/text.hpp"

namespace placement::spank {

namespace {

constexpr std::size_t longest_variable = 128 * 1024;
constexpr std::uint32_t most_components = 128;

}  // namespace

std::optional<std::string> task_variable(spank_t spank, const char* name) {
  std::vector<char> text(longest_variable);
  if (spank_getenv(spank, name, text.data(), static_cast<int>(text.size())) != ESPANK_SUCCESS) return std::nullopt;
  return std::string(text.data());
}

std::uint32_t task_number(spank_t spank, const std::string& name) {
  const auto text = task_variable(spank, name.c_str());
  const auto number = text ? parse_integer(*text) : std::nullopt;
  return number && *number > 0 && *number <= UINT32_MAX ? static_cast<std::uint32_t>(*number) : 0;
}

std::uint32_t component_count(spank_t spank) {
  return std::clamp(task_number(spank, "SLURM_HET_SIZE"), std::uint32_t{1}, most_components);
}

}  // namespace placement::spank
