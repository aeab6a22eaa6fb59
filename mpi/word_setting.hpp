// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::mpi {

// The words that a setting may have, each with its value.
template <class Value>
using Words = std::initializer_list<std::pair<std::string_view, Value>>;

// Returns the value of `word`. Throws Error with the name of the setting and a list of the words if `word` is none.
template <class Value>
Value value_of_word(const std::string& setting, std::string_view word, Words<Value> words) {
  for (const auto& [known, value] : words)
    if (known == word) return value;
  throw Error(setting + "=" + std::string(word) + ": expected one of " +
              joined(words, ", ", [](const auto& known) { return known.first; }));
}

// Returns the value of the word in the variable `variable`; that of the first word if it is empty or not set. Errors
// name `setting` if that is not empty.
template <class Value>
Value word_setting(const std::string& variable, Words<Value> words, const std::string& setting = {}) {
  const std::string word = environment_value(variable);
  return word.empty() ? words.begin()->second : value_of_word(setting.empty() ? variable : setting, word, words);
}

}  // namespace placement::mpi
