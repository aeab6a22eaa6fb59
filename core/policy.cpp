// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/policy.hpp"

#include <charconv>

#include "core/error.hpp"

namespace placement {

std::int64_t number_parameter(const Request& request, const std::string& key, std::int64_t otherwise,
                              std::int64_t most, std::int64_t least) {
  const auto found = request.parameters.find(key);
  if (found == request.parameters.end()) return otherwise;
  const std::string& text = found->second;
  std::int64_t value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || stop != text.data() + text.size() || value < least || value > most)
    throw Error(key + "=" + text + ": a number from " + std::to_string(least) + " to " + std::to_string(most) + " is wanted");
  return value;
}

}  // namespace placement
