// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// Functions for texts: their lines and words, the numbers in them, and the texts of messages.

// A line of a text that is not empty after its comment (from '#' on) and the blanks around it were removed.
struct TextLine {
  std::int64_t number = 0;  // line number in the file, from 1
  std::string_view text;
};

// Returns the lines of `text` with more than blanks and comments, as parts of `text`. Skips a UTF-8 byte order mark.
// With `keep_blanks`, blanks around a line stay, so that fields at its ends may be empty.
std::vector<TextLine> text_lines(std::string_view text, bool keep_blanks = false);

// Returns `text` with '?' for each byte that is not printable ASCII, so that it is safe on a terminal and one line.
std::string printable(std::string_view text);

// Returns `text` in a form that is safe in a message. A byte that is not printable ASCII becomes '?'. A text of more
// than 80 bytes is cut there and followed by "...".
std::string shown(std::string_view text);

// Throws Error "name:line: message".
[[noreturn]] void fail_at(const std::string& name, std::int64_t line, const std::string& message);

// Returns `text` without the blanks at both ends. Blanks are space, tab and the other white space within a line.
std::string_view trimmed(std::string_view text);
// Splits `text` at blanks into words. No word is empty.
std::vector<std::string_view> split_words(std::string_view text);
// Splits `text` at each `separator`. Parts may be empty; an empty text has one empty part.
std::vector<std::string_view> split_at(std::string_view text, char separator);
// Deleted, because the parts would outlive a temporary text, as in "for (part : split_words(f()))".
template <std::same_as<std::string> Temporary>
void split_words(Temporary&& text) = delete;
template <std::same_as<std::string> Temporary>
void split_at(Temporary&& text, char separator) = delete;
// Returns the last part of a path, such as the name of a program without its directory.
std::string_view base_name(std::string_view path);
// Returns `text` in lower case. Only ASCII letters change, in any locale.
std::string lower_case(std::string_view text);
// Compares two texts without regard to the case of ASCII letters.
bool equal_any_case(std::string_view a, std::string_view b);

// Returns whether `a` precedes `b` in slurmctld's order of node names. Numbers are compared by value, so n9 precedes
// n10, unless one of the two starts with 0.
bool is_before_naturally(std::string_view a, std::string_view b);

// Parses the whole `text` as a number, by std::from_chars. Returns nothing when it is not one, or does not fit.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// As parse_number(), for a decimal integer of 64 bits with or without '-'.
inline std::optional<std::int64_t> parse_integer(std::string_view text) { return parse_number<std::int64_t>(text); }

// As parse_number(), for a finite number with or without a fraction and an exponent.
std::optional<double> parse_real(std::string_view text);

// Returns `text` with '<', '>', '&' and '"' replaced, for the content of an XML element or a double-quoted attribute.
std::string xml_escaped(std::string_view text);

// Returns the word of `known` that is closest to the word `unknown`, for "did you mean" messages; empty when none is
// close. A word is close when at most two letters, and fewer than half of its letters, are wrong: inserted, deleted,
// replaced or swapped with a neighbour. Case does not matter.
std::string_view near_miss(std::string_view unknown, std::span<const std::string_view> known);

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

// Returns "did you mean WORD?" with the near_miss() of `unknown`, or "`what` A, B, C" with all words of `known`.
inline std::string suggested(std::string_view unknown, std::span<const std::string_view> known, std::string_view what) {
  const std::string_view meant = near_miss(unknown, known);
  return meant.empty() ? std::string(what) + " " + joined(known, ", ") : "did you mean " + std::string(meant) + "?";
}

// Returns the number with this number of significant digits.
inline std::string short_number(double value, int digits = 3) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

// Returns the number with this number of decimals.
inline std::string fixed_number(double value, int decimals) {
  char text[352];  // the largest number has 309 digits
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// Returns the shortest text that gives exactly this number.
template <typename Number>
std::string exact_number(Number value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// Returns a share (0..1) as a percentage with three significant digits, such as "12.5 %".
inline std::string in_percent(double share) { return short_number(100 * share) + " %"; }

}  // namespace placement
