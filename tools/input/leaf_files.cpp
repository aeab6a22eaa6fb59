// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/leaf_files.hpp"

#include <numeric>
#include <optional>

#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement::tools {

namespace {

constexpr std::size_t max_file_bytes = 512 << 20;

// Remembers the line in which each number was listed first.
class SeenAt {
 public:
  SeenAt(const char* what, std::int32_t count, const std::string& file)
      : what_(what),
        file_(file),
        line_(static_cast<std::size_t>(count), 0) {}

  // Returns the number in `word`. Throws Error when it is out of range or was listed before.
  std::int32_t take(std::string_view word, std::int64_t line) {
    const std::optional<std::int64_t> number = parse_integer(word);
    const auto count = static_cast<std::int64_t>(line_.size());
    if (!number || *number < 0 || *number >= count)
      fail_at(file_, line,
              std::string(what_) + " '" + shown(word) + "': it takes a number from 0 to " + std::to_string(count - 1));
    std::int64_t& first = line_[static_cast<std::size_t>(*number)];
    if (first != 0)
      fail_at(file_, line,
              std::string(what_) + " " + std::to_string(*number) + " is listed twice, first in line " +
                  std::to_string(first));
    first = line;
    return static_cast<std::int32_t>(*number);
  }

  bool has(std::size_t number) const { return line_[number] != 0; }

 private:
  const char* what_;
  std::string file_;
  std::vector<std::int64_t> line_;
};

}  // namespace

std::vector<std::int32_t> read_available(const std::string& path, std::int32_t leaves) {
  std::vector<std::int32_t> usable;
  if (path.empty() || path == "-") {
    usable.resize(static_cast<std::size_t>(leaves));
    std::iota(usable.begin(), usable.end(), 0);
    return usable;
  }
  const std::string text = read_input_file(path, max_file_bytes);
  SeenAt seen("leaf", leaves, path);
  for (const TextLine& line : text_lines(text)) seen.take(line.text, line.number);
  for (std::int32_t leaf = 0; leaf < leaves; ++leaf)
    if (seen.has(static_cast<std::size_t>(leaf))) usable.push_back(leaf);
  return usable;
}

std::vector<std::int32_t> read_mapping(const std::string& path, std::int32_t ranks, std::int32_t leaves) {
  const std::string text = read_input_file(path, max_file_bytes);
  std::vector<std::int32_t> leaf_of_rank(static_cast<std::size_t>(ranks), -1);
  SeenAt seen_rank("rank", ranks, path);
  SeenAt seen_leaf("leaf", leaves, path);
  for (const TextLine& line : text_lines(text)) {
    const std::vector<std::string_view> words = split_words(line.text);
    if (words.size() != 2) fail_at(path, line.number, "'" + shown(line.text) + "' is not of the form \"rank leaf\"");
    const std::int32_t rank = seen_rank.take(words[0], line.number);
    leaf_of_rank[rank] = seen_leaf.take(words[1], line.number);
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
