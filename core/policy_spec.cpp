// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/policy_spec.hpp"

#include <algorithm>
#include <cctype>

#include "core/error.hpp"

namespace placement {

namespace {

std::string with_case(std::string_view text, int (*convert)(int)) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [convert](unsigned char c) { return static_cast<char>(convert(c)); });
  return out;
}

void add_item(PolicySpec& spec, std::string_view item, std::string_view word) {
  const std::size_t equals = item.find('=');
  const bool lone = equals == std::string_view::npos;
  const std::string key = lone ? "matrix" : with_case(item.substr(0, equals), std::tolower);
  const std::string value(lone ? item : item.substr(equals + 1));
  if (key.empty() || value.empty())
    throw Error("empty item in " + std::string(word) + ": each is key=value or a matrix file");
  if (!spec.parameters.emplace(key, value).second)
    throw Error(key + " is given twice in " + std::string(word));
}

}  // namespace

PolicySpec parse_policy_spec(std::string_view word) {
  PolicySpec spec;
  const std::size_t equals = word.find('=');
  spec.policy = with_case(word.substr(0, equals), std::toupper);
  if (spec.policy.empty()) throw Error("no policy in '" + std::string(word) + "'");
  if (equals == std::string_view::npos) return spec;
  std::string_view rest = word.substr(equals + 1);
  for (;;) {
    const std::size_t comma = rest.find(',');
    add_item(spec, rest.substr(0, comma), word);
    if (comma == std::string_view::npos) return spec;
    rest.remove_prefix(comma + 1);
  }
}

std::string to_string(const PolicySpec& spec) {
  std::string word = spec.policy;
  char separator = '=';
  for (const auto& [key, value] : spec.parameters) {
    word += separator + key + "=" + value;
    separator = ',';
  }
  return word;
}

}  // namespace placement
