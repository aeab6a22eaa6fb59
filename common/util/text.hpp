// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// What the readers of small text files share: configuration, topology, leaf lists.

// One line that says something, without the comment after '#' and the blanks around it.
struct TextLine {
  std::int64_t number = 0;  // in the file, from 1
  std::string_view text;
};

// The lines of the text that say something; they point into it.
std::vector<TextLine> text_lines(std::string_view text);

// The text as a message may show it: what is no printable ASCII as '?', the end of a long one as "...".
std::string shown(std::string_view text);

// Throws Error "name:line: message".
[[noreturn]] void fail_at(const std::string& name, std::int64_t line, const std::string& message);

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> split_words(std::string_view text);             // at blanks and tabs
std::vector<std::string_view> split_at(std::string_view text, char separator);  // keeps empty parts
std::string lower_case(std::string_view text);
bool equal_any_case(std::string_view a, std::string_view b);

// A decimal number and nothing else; none when it is not one or passes 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text);

// The same of a number with or without a fraction or exponent; none when it is not finite.
std::optional<double> parse_real(std::string_view text);

// The text as content of an XML element or attribute.
std::string xml_escaped(std::string_view text);

// The known word that the unknown one was probably meant to be, or empty: at most two letters wrong,
// and fewer than half of them. Upper and lower case are the same.
std::string_view near_miss(std::string_view unknown, std::span<const std::string_view> known);

}  // namespace placement
