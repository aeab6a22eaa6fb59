// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/state/measured_pairs.hpp"

#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>

#include "common/state/live_state.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement {

std::string measured_pair_line(const MeasuredPair& pair) {
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, " %.6g %.6g %lld\n", pair.latency_us, pair.bandwidth_Bps,
                static_cast<long long>(pair.at_s));
  return pair.a + " " + pair.b + numbers;
}

std::vector<MeasuredPair> read_measured_pairs(std::string_view text, const std::string& file) {
  const std::vector<TextLine> lines = text_lines(text);
  const std::string_view first = measured_pairs_header.substr(0, measured_pairs_header.size() - 1);  // no line feed
  const std::vector<std::string_view> columns = split_words(first);
  if (lines.empty() || split_words(lines[0].text) != columns)
    throw Error(file + ": expected a table of placement-measure, whose first line is " + std::string(first));
  std::vector<MeasuredPair> pairs;
  for (const TextLine& line : std::span(lines).subspan(1)) {
    const std::vector<std::string_view> words = split_words(line.text);
    const auto number = [&](std::size_t at, const NumberRange& range) {
      const auto value = parse_real(words[at]);
      return value && range.has(*value) ? *value : 0;
    };
    MeasuredPair pair;
    if (words.size() == columns.size())
      pair = {std::string(std::min(words[0], words[1])), std::string(std::max(words[0], words[1])),
              number(2, live_range::latency_us), number(3, live_range::rate_Bps),
              static_cast<std::int64_t>(number(4, live_range::seconds))};
    if (pair.a == pair.b || pair.latency_us < 0.001 || pair.bandwidth_Bps < 1 || pair.at_s < 1)
      fail_at(file, line.number,
              "'" + shown(line.text) + "': expected two different nodes and three numbers above 0 and in range");
    if (pairs.size() == most_measured_pairs)
      fail_at(file, line.number, "more than " + std::to_string(most_measured_pairs) + " pairs");
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace placement
