// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/policy/policy.hpp"

#include <optional>

#include "common/util/text.hpp"

namespace placement {

std::int64_t number_parameter(const Request& request, const std::string& key, std::int64_t otherwise, std::int64_t most,
                              std::int64_t least) {
  const auto found = request.parameters.find(key);
  if (found == request.parameters.end()) return otherwise;
  const std::string& text = found->second;
  const std::optional<std::int64_t> value = parse_integer(text);
  if (!value || *value < least || *value > most)
    throw Error(key + "=" + text + ": expected a number from " + std::to_string(least) + " to " + std::to_string(most));
  return *value;
}

}  // namespace placement
