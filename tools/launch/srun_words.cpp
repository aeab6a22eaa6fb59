// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/launch/srun_words.hpp"

#include <algorithm>

#include "common/util/text.hpp"

namespace placement::tools {

namespace {

// Returns the option with this name, or with a name that only it begins with; null if there is none.
const SrunOption* find_long(const std::vector<SrunOption>& known, std::string_view name) {
  const SrunOption* found = nullptr;
  for (const SrunOption& option : known) {
    if (option.name == name) return &option;
    if (!option.name.starts_with(name)) continue;
    if (found) return nullptr;
    found = &option;
  }
  return found;
}

// Reads the options of one word. `next` is the word after it, for a value.
void read_word(const std::string& word, std::size_t at, const std::vector<SrunOption>& known, const std::string* next,
               SrunWords& words) {
  const auto add = [&](const SrunOption& option, std::optional<std::string> attached) {
    const bool separate = !attached && option.takes_value && next;
    words.given.push_back({option.name, attached.value_or(separate ? *next : ""), at, separate ? 2U : 1U});
  };
  if (word.starts_with("--")) {
    const std::size_t equals = word.find('=');
    const SrunOption* const option = find_long(known, word.substr(2, equals == word.npos ? word.npos : equals - 2));
    if (!option) return void(words.unknown = word);
    return add(*option, equals == word.npos ? std::nullopt : std::optional(word.substr(equals + 1)));
  }
  for (std::size_t i = 1; i < word.size(); ++i) {
    const auto option = std::ranges::find(known, word[i], &SrunOption::letter);
    if (option == known.end()) return void(words.unknown = word);
    if (!option->takes_value) {
      add(*option, "");
      continue;
    }
    return add(*option, i + 1 < word.size() ? std::optional(word.substr(i + 1)) : std::nullopt);
  }
}

}  // namespace

std::vector<SrunOption> options_in_help(std::string_view help) {
  std::vector<SrunOption> options;
  for (const std::string_view line : split_at(help, '\n')) {
    std::string_view text = trimmed(line);
    SrunOption option;
    if (text.size() > 4 && text[0] == '-' && text[1] != '-' && text.substr(2).starts_with(", --")) {
      option.letter = text[1];
      text.remove_prefix(4);
    }
    if (!text.starts_with("--")) continue;
    const std::size_t end = std::min(text.find_first_of("=[ \t", 2), text.size());
    option.name = text.substr(2, end - 2);
    option.takes_value = (end < text.size() && text[end] == '=') || option.name == "container";  // listed without "="
    options.push_back(std::move(option));
  }
  return options;
}

std::optional<std::string> SrunWords::value(std::string_view name) const {
  std::optional<std::string> last;
  for (const GivenOption& option : given)
    if (option.name == name) last = option.value;
  return last;
}

SrunWords parse_srun(const std::vector<std::string>& words, const std::vector<SrunOption>& known) {
  SrunWords parsed;
  std::size_t at = 1;
  while (at < words.size() && words[at].starts_with('-') && words[at] != "-" && words[at] != "--") {
    const std::size_t before = parsed.given.size();
    read_word(words[at], at, known, at + 1 < words.size() ? &words[at + 1] : nullptr, parsed);
    at += parsed.given.size() > before ? parsed.given.back().words : 1;
  }
  if (at < words.size() && words[at] == "--") ++at;
  parsed.program = at;
  return parsed;
}

}  // namespace placement::tools
