// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/policy/policy_spec.hpp"

#include <algorithm>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

namespace {

constexpr std::size_t max_items = 64;

// Returns whether the text may be a key. Independent of the locale, because srun and slurmctld must agree.
bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

void add_item(Parameters& parameters, std::string_view item, std::string_view word) {
  const std::size_t equals = item.find('=');
  const bool lone = equals == std::string_view::npos;
  const std::string key = lone ? "matrix" : lower_case(item.substr(0, equals));
  const std::string value(lone ? item : item.substr(equals + 1));
  if (key.empty() || value.empty())
    throw Error("empty item in " + in_quotes(word) + ": expected key=value or a matrix file");
  if (!is_name(key))
    throw Error(in_quotes(key) + " is not a key: write matrix=FILE for a matrix file with = in its name");
  if (!parameters.emplace(key, value).second)
    throw Error(key + " is given twice in " + in_quotes(word) +
                (lone ? ": a matrix file with a comma in its name is given by --comm-matrix=FILE" : ""));
  if (parameters.size() > max_items)
    throw Error("more than " + std::to_string(max_items) + " items in " + in_quotes(word));
}

// Returns the items as parameters. `word` is the whole word in which they stand, for messages.
Parameters parameters_of(std::string_view items, std::string_view word) {
  Parameters parameters;
  for (const std::string_view item : split_at(items, ',')) add_item(parameters, item, word);
  return parameters;
}

// Throws Error if the word is too long, or has control characters, which would appear in logs and in squeue's output.
void check_word(std::string_view word) {
  if (word.size() > max_policy_word)
    throw Error("the word of a policy has more than " + std::to_string(max_policy_word) + " bytes");
  if (std::ranges::any_of(word, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
    throw Error("a control character in " + in_quotes(word));
}

}  // namespace

PolicySpec parse_policy_spec(std::string_view word) {
  check_word(word);
  PolicySpec spec;
  const std::size_t equals = word.find('=');
  spec.policy = upper_case(word.substr(0, equals));
  if (spec.policy.empty()) throw Error("no policy in " + in_quotes(word));
  if (equals != std::string_view::npos) spec.parameters = parameters_of(word.substr(equals + 1), word);
  return spec;
}

Parameters parse_parameters(std::string_view items) {
  check_word(items);
  return parameters_of(items, items);
}

std::string to_string(const PolicySpec& spec) {
  return spec.policy + (spec.parameters.empty() ? "" : "=") +
         joined(spec.parameters, ",", [](const auto& item) { return item.first + "=" + item.second; });
}

}  // namespace placement
