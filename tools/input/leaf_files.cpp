// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/leaf_files.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement::tools {

constexpr std::size_t max_leaf_file_bytes = 512 << 20;

// Returns the number in `word`, from 0 to first_line.size() - 1. Throws Error when it is out of range or was listed
// before. `first_line` has the line of each number that was listed, or 0.
static std::int32_t take_number(const char* what, std::string_view word, const std::string& file, std::int64_t line,
                                std::vector<std::int64_t>& first_line) {
  const std::optional<std::int64_t> number = parse_integer(word);
  if (!number || *number < 0 || *number >= std::ssize(first_line))
    fail_at(file, line,
            std::string(what) + " '" + shown(word) + "': expected a number from 0 to " +
                std::to_string(std::ssize(first_line) - 1));
  std::int64_t& first = first_line[*number];
  if (first != 0)
    fail_at(
        file, line,
        std::string(what) + " " + std::to_string(*number) + " is listed twice, first in line " + std::to_string(first));
  first = line;
  return static_cast<std::int32_t>(*number);
}

std::vector<std::int32_t> read_available(const std::string& path, std::int32_t leaves) {
  std::vector<std::int32_t> usable;
  if (path.empty() || path == "-") {
    usable.resize(static_cast<std::size_t>(leaves));
    std::iota(usable.begin(), usable.end(), 0);
    return usable;
  }
  const std::string text = read_input_file(path, max_leaf_file_bytes);
  std::vector<std::int64_t> first_line(static_cast<std::size_t>(leaves));
  for (const TextLine& line : text_lines(text))
    usable.push_back(take_number("leaf", line.text, path, line.number, first_line));
  std::ranges::sort(usable);
  return usable;
}

std::vector<std::int32_t> read_mapping(const std::string& path, std::int32_t ranks, std::int32_t leaves) {
  const std::string text = read_input_file(path, max_leaf_file_bytes);
  std::vector<std::int32_t> leaf_of_rank(static_cast<std::size_t>(ranks), -1);
  std::vector<std::int64_t> line_of_rank(leaf_of_rank.size()), line_of_leaf(static_cast<std::size_t>(leaves));
  for (const TextLine& line : text_lines(text)) {
    const std::vector<std::string_view> words = split_words(line.text);
    if (words.size() != 2) fail_at(path, line.number, "'" + shown(line.text) + "' is not of the form \"rank leaf\"");
    const std::int32_t rank = take_number("rank", words[0], path, line.number, line_of_rank);
    leaf_of_rank[rank] = take_number("leaf", words[1], path, line.number, line_of_leaf);
  }
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    if (leaf_of_rank[rank] == -1) throw Error(path + ": rank " + std::to_string(rank) + " is missing");
  return leaf_of_rank;
}

std::string format_mapping(std::span<const std::int32_t> leaf_of_rank) {
  std::string text;
  for (std::size_t rank = 0; rank < leaf_of_rank.size(); ++rank)
    text += std::to_string(rank) + " " + std::to_string(leaf_of_rank[rank]) + "\n";
  return text;
}

}  // namespace placement::tools
