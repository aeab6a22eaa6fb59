// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/hostlist.hpp"

#include <algorithm>
#include <cstdint>

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::size_t max_digits = 18;
constexpr std::size_t max_host_characters = 128 << 20;  // limit for all names of a list together
constexpr std::size_t max_name_characters = 256;        // limit for the mean length of a name, if few names are allowed
constexpr std::ptrdiff_t max_brackets = 8;  // in one name; Slurm's lists have at most 5 (HIGHEST_DIMENSIONS)

[[noreturn]] void fail(std::string_view list, const std::string& why) {
  throw Error("host list '" + shown(list) + "': " + why);
}

[[noreturn]] void fail_too_many(std::string_view list, std::size_t most) {
  fail(list, "more than " + std::to_string(most) + " names");
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string padded(std::int64_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return digits.size() >= width ? digits : std::string(width - digits.size(), '0') + digits;
}

// Splits a host list at the commas and blanks outside brackets. Skips empty names.
std::vector<std::string_view> split_names(std::string_view list) {
  std::vector<std::string_view> names;
  bool inside = false;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    if (end > begin) names.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  };
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (list[at] == '[' || list[at] == ']') {
      if ((list[at] == '[') == inside) fail(list, "brackets do not match");
      inside = !inside;
    } else if (!inside && (list[at] == ',' || list[at] == ' ' || list[at] == '\t')) {
      add(at);
    }
  }
  if (inside) fail(list, "brackets do not match");
  add(list.size());
  return names;
}

// Appends the numbers of `range`, a number or a range such as 1-8, to `out`. `list` is for messages.
void expand_range(std::string_view range, std::string_view list, std::size_t most, std::vector<std::string>& out) {
  const std::size_t dash = range.find('-');
  const std::string_view low = range.substr(0, dash);
  std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
  if (high.empty()) high = low;  // as in Slurm, 3- means 3
  if (!all_digits(low) || !all_digits(high) || low.size() > max_digits || high.size() > max_digits)
    fail(list, "'" + shown(range) + "' is neither a number nor a range such as 1-8");
  const std::int64_t first = *parse_integer(low);
  const std::int64_t last = *parse_integer(high);
  if (last < first) fail(list, "the range " + shown(range) + " runs backwards");
  if (last - first >= static_cast<std::int64_t>(most - out.size())) fail_too_many(list, most);
  for (std::int64_t number = first; number <= last; ++number) out.push_back(padded(number, low.size()));
}

std::size_t characters(const std::vector<std::string>& names) {
  std::size_t sum = 0;
  for (const std::string& name : names) sum += name.size();
  return sum;
}

void check_characters(std::size_t count, std::string_view list, std::size_t most) {
  const std::size_t limit = std::min(max_host_characters, most * max_name_characters);
  if (count > limit) fail(list, "its names have more than " + std::to_string(limit) + " characters together");
}

// Replaces each name with the name followed by each ending. The endings vary fastest, or the names do.
void append_all(std::vector<std::string>& names, const std::vector<std::string>& endings, bool endings_fastest,
                std::string_view list, std::size_t most) {
  if (endings.size() > most / names.size()) fail_too_many(list, most);
  check_characters(characters(names) * endings.size() + names.size() * characters(endings), list, most);
  std::vector<std::string> longer;
  longer.reserve(names.size() * endings.size());
  const std::size_t inner = endings_fastest ? endings.size() : names.size();
  for (std::size_t k = 0; k < names.size() * endings.size(); ++k)
    longer.push_back(endings_fastest ? names[k / inner] + endings[k % inner] : names[k % inner] + endings[k / inner]);
  names = std::move(longer);
}

std::vector<std::string> expand_name(std::string_view name, std::string_view list, std::size_t most) {
  if (std::ranges::count(name, '[') > max_brackets)
    fail(list, "a name has more than " + std::to_string(max_brackets) + " pairs of brackets");
  std::vector<std::string> names{""};
  while (!name.empty()) {
    const std::size_t open = std::min(name.find('['), name.size());
    if (open > 0) append_all(names, {std::string(name.substr(0, open))}, true, list, most);
    name.remove_prefix(open);
    if (name.empty()) break;
    const std::size_t close = name.find(']');
    std::vector<std::string> numbers;
    for (const std::string_view range : split_at(name.substr(1, close - 1), ','))
      expand_range(range, list, most, numbers);
    name.remove_prefix(close + 1);
    append_all(names, numbers, name.find('[') == name.npos, list, most);
  }
  return names;
}

// A node name, split into its first part and its last digits. `digits` is empty when there is no number.
struct NumberedName {
  std::string_view prefix;
  std::string_view digits;

  explicit NumberedName(std::string_view name) {
    std::size_t begin = name.size();
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9' && name.size() - begin < max_digits) --begin;
    prefix = name.substr(0, begin);
    digits = name.substr(begin);
  }

  // Returns whether `next` follows this name in a range that begins with `first`. All three have equal prefixes.
  bool followed_by(const NumberedName& next, const NumberedName& first) const {
    return !digits.empty() && next.digits == padded(*parse_integer(digits) + 1, first.digits.size());
  }
};

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view list, std::size_t most) {
  std::vector<std::string> hosts;
  std::size_t sum = 0;
  for (const std::string_view name : split_names(list)) {
    std::vector<std::string> more = expand_name(name, list, most);
    if (more.size() > most - hosts.size()) fail_too_many(list, most);
    sum += characters(more);
    check_characters(sum, list, most);
    std::move(more.begin(), more.end(), std::back_inserter(hosts));
  }
  if (hosts.empty()) fail(list, "it has no name");
  return hosts;
}

std::string compress_hostlist(std::span<const std::string> names) {
  const std::vector<NumberedName> parts(names.begin(), names.end());
  std::string list;
  for (auto at = parts.begin(); at != parts.end();) {
    const auto end = std::find_if(
        at, parts.end(), [&](const NumberedName& name) { return name.prefix != at->prefix || name.digits.empty(); });
    std::string ranges;
    for (auto low = at; low != end;) {
      auto high = low;
      while (high + 1 != end && high->followed_by(high[1], *low)) ++high;
      ranges += (ranges.empty() ? "" : ",") + std::string(low->digits);
      if (high != low) ranges += "-" + std::string(high->digits);
      low = high + 1;
    }
    list += (list.empty() ? "" : ",") + std::string(at->prefix);
    list += end - at > 1 ? "[" + ranges + "]" : ranges;
    at = std::max(end, at + 1);  // a name without a number is a group of its own
  }
  return list;
}

bool same_hosts(std::string_view a, std::string_view b) try {
  std::vector<std::string> of_a = expand_hostlist(a), of_b = expand_hostlist(b);
  std::ranges::sort(of_a);
  std::ranges::sort(of_b);
  return of_a == of_b;
} catch (const Error&) {
  return false;
}

}  // namespace placement
