// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/text.hpp"

#include <algorithm>
#include <cmath>

#include "common/util/error.hpp"

namespace placement {

constexpr std::string_view blanks = " \t\r\v\f";

// Returns the letter in lower case. Only ASCII letters change, in any locale.
static char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Returns the number of letters to insert, delete, replace or swap with a neighbour to turn `a` into `b`.
static std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::vector<TextLine> text_lines(std::string_view text, bool keep_blanks) {
  std::vector<TextLine> lines;
  std::int64_t number = 0;
  if (constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF"; text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());  // some editors write it
  for (std::string_view line : split_at(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    const std::string_view words = trimmed(line);
    if (!words.empty()) lines.push_back({number, keep_blanks ? line : words});
  }
  return lines;
}

std::string printable(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return c < ' ' || c > '~'; }, '?');
  return out;
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 80;
  return printable(text.substr(0, most)) + (text.size() > most ? "..." : "");
}

void fail_at(const std::string& name, std::int64_t line, const std::string& message) {
  throw Error(name + ":" + std::to_string(line) + ": " + message);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(blanks, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

bool equal_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

bool is_before_naturally(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto digits_at = [&](std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    return text.substr(at, end - at);
  };
  // Equal runs of digits have equal lengths, so one index is enough.
  for (std::size_t at = 0; at < std::min(a.size(), b.size()); ++at) {
    const std::string_view x = digits_at(a, at), y = digits_at(b, at);
    if (!x.empty() && x == y) {
      at += x.size() - 1;
    } else if (x.empty() || y.empty()) {
      if (a[at] != b[at]) return static_cast<unsigned char>(a[at]) < static_cast<unsigned char>(b[at]);
    } else {
      const bool by_value = x[0] != '0' && y[0] != '0' && x.size() != y.size();
      return by_value ? x.size() < y.size() : x < y;
    }
  }
  return a.size() < b.size();
}

std::optional<double> parse_real(std::string_view text) {
  const std::optional<double> value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string_view near_miss(std::string_view unknown, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t least = 3;
  if (unknown.size() > 64) return best;
  for (const std::string_view word : known) {
    const std::size_t wrong = edit_distance(lower_case(unknown), lower_case(word));
    if (wrong >= least || 2 * wrong >= word.size()) continue;
    least = wrong;
    best = word;
  }
  return best;
}

}  // namespace placement
