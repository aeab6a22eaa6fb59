// SPDX-License-Identifier: GPL-2.0-or-later
// The values, names and places of a message can be tested without its sentence.
#pragma once
#include <algorithm>
#include <string_view>

#include "tests/check.hpp"

// Returns whether the text has these words in this order, with any other words between them. A word is compared without
// a parenthesis before it, and without punctuation behind it.
inline bool has_words(std::string_view text, std::string_view words) {
  const auto next = [](std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \n"), rest.size()));
    std::string_view word = rest.substr(0, rest.find_first_of(" \n"));
    rest.remove_prefix(word.size());
    if (word.starts_with('(')) word.remove_prefix(1);
    if (word.ends_with(',') || word.ends_with(';') || word.ends_with(':')) word.remove_suffix(1);
    if (word.ends_with(')')) word.remove_suffix(1);
    return word;
  };
  std::string_view word = next(words);
  while (!word.empty() && !text.empty())
    if (next(text) == word) word = next(words);
  return word.empty();
}

#define ck_assert_words(text, words)                                                                      \
  do {                                                                                                    \
    const std::string message_(text), words_(words);                                                      \
    ck_assert_msg(has_words(message_, words_), "'%s' instead of '%s'", message_.c_str(), words_.c_str()); \
  } while (0)

// The call throws an Error whose text has the words.
#define ck_assert_error_words(call, words) ck_assert_words(error_of([&] { (void)(call); }), words)
