// SPDX-License-Identifier: GPL-2.0-or-later
#include "pattern/pattern.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "common/policy/policy_spec.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::pattern {

namespace {

constexpr const char* matrix_key = "matrix";
constexpr const char* word_key = "pattern";
constexpr const char* grid_key = "grid";
constexpr const char* grid_examples = "grid=8x4x4 or grid=auto";

constexpr Key all_keys[] = {
    {word_key, "traffic pattern that replaces a matrix: ring, tree (binomial) or alltoall"},
    {grid_key, "halo exchange on a grid: sides such as 8x4x4, or auto, with :periodic or without"},
    {"tp", "ranks of tensor parallelism, as Megatron-LM numbers them (1)"},
    {"pp", "stages of pipeline parallelism (1)"},
    {"dp", "ranks of data parallelism (number of ranks divided by the others)"},
    {"cp", "ranks of context parallelism (1)"},
    {"ep", "ranks of expert parallelism, a divisor of cp * dp (1)"},
    {"order", "order of the dimensions, fastest-changing first (tp-cp-ep-dp-pp)"},
    {"layers", "layers of the model (96)"},
    {"hidden", "elements of a token (12288)"},
    {"seq", "tokens of a sequence (2048)"},
    {"batch", "sequences of an iteration (1536)"},
};

struct Word {
  std::string_view name;
  Pattern::Kind kind;
};
constexpr Word words[] = {
    {"ring", Pattern::Kind::ring}, {"tree", Pattern::Kind::tree}, {"alltoall", Pattern::Kind::all_to_all}};

const Word* find_word(std::string_view name) {
  const auto found = std::find_if(std::begin(words), std::end(words),
                                  [name](const Word& word) { return equal_any_case(word.name, name); });
  return found == std::end(words) ? nullptr : found;
}

bool divides_ranks(std::string_view key) {
  return key == "tp" || key == "pp" || key == "dp" || key == "cp" || key == "ep";
}

std::vector<std::int32_t> sides_of(const Grid& grid, std::int32_t ranks) {
  return grid.sides.empty() ? balanced_sides(ranks, grid.dimensions) : grid.sides;
}

std::vector<CommEdge> edges_of(const Pattern& pattern, std::int32_t ranks) {
  std::vector<CommEdge> edges;
  switch (pattern.kind) {
    case Pattern::Kind::ring: return grid_edges({ranks}, true);
    case Pattern::Kind::tree:
      for (std::int32_t rank = 1; rank < ranks; ++rank) edges.push_back({rank & (rank - 1), rank, 1});
      return edges;
    case Pattern::Kind::all_to_all:
      for (std::int32_t a = 0; a < ranks; ++a)
        for (std::int32_t b = a + 1; b < ranks; ++b) edges.push_back({a, b, 1});
      return edges;
    case Pattern::Kind::grid: return grid_edges(sides_of(pattern.grid, ranks), pattern.grid.periodic);
    case Pattern::Kind::parallelism: return parallelism_edges(fitted(pattern.parallelism, ranks));
  }
  return edges;
}

}  // namespace

std::span<const Key> keys() { return all_keys; }

bool is_key(std::string_view name) {
  return std::any_of(std::begin(all_keys), std::end(all_keys), [name](const Key& key) { return key.name == name; });
}

bool is_word(std::string_view word) { return find_word(word) != nullptr; }

std::string meant_by_key(std::string_view word) {
  const std::string key = lower_case(word);
  if (key == grid_key) return grid_examples;
  return divides_ranks(key) ? key + "=8" : "";
}

bool take_word(Parameters& parameters) {
  const auto matrix = parameters.find(matrix_key);
  if (matrix == parameters.end() || !is_word(matrix->second)) return false;
  const std::string word = lower_case(matrix->second);
  parameters.erase(matrix);
  if (const auto [other, alone] = parameters.emplace(word_key, word); !alone)
    throw Error("two patterns: " + word + " and " + shown(other->second) + ": use only one");
  return true;
}

std::optional<Pattern> pattern_of(const Parameters& parameters) {
  Pattern pattern;
  std::vector<std::string> given;  // one key of each pattern
  std::string detail;              // a further key of a parallelism
  for (const auto& [key, value] : parameters) {
    if (!is_key(key)) continue;
    if (key == word_key || key == grid_key)
      given.push_back(key + "=" + value);
    else if (!divides_ranks(key))
      detail = key;
    else if (pattern.kind != Pattern::Kind::parallelism)
      given.push_back(key + "=" + value), pattern.kind = Pattern::Kind::parallelism;
  }
  if (given.size() > 1) throw Error("two patterns: " + shown(given[0]) + " and " + shown(given[1]) + ": use only one");
  if (!detail.empty() && pattern.kind != Pattern::Kind::parallelism)
    throw Error(detail + "= requires tp=, pp=, dp=, cp= or ep=");
  if (given.empty()) return std::nullopt;
  if (const auto matrix = parameters.find(matrix_key); matrix != parameters.end())
    throw Error("a matrix and a pattern: " + shown(matrix->second) + " and " + shown(given[0]) + ": use only one");
  if (pattern.kind == Pattern::Kind::parallelism) {
    pattern.parallelism = parse_parallelism(parameters);
  } else if (const auto grid = parameters.find(grid_key); grid != parameters.end()) {
    pattern.kind = Pattern::Kind::grid;
    pattern.grid = parse_grid(grid->second);
  } else {
    const std::string& name = parameters.find(word_key)->second;
    const Word* const word = find_word(name);
    const std::string meant =
        name.find('=') != name.npos && is_key(name.substr(0, name.find('='))) ? name : meant_by_key(name);
    if (!word && !meant.empty())
      throw Error("pattern=" + shown(name) + ": write " + shown(meant) + " without pattern=");
    if (!word) throw Error("pattern=" + shown(name) + ": expected ring, tree or alltoall");
    pattern.kind = word->kind;
  }
  return pattern;
}

Pattern parse_pattern(std::string_view text) {
  if (text.empty()) throw Error("the pattern is missing: use " + known_patterns());
  std::string_view word;  // an item without a key, which is the name of a pattern
  for (const std::string_view item : split_at(text, ',')) {
    if (item.empty() || item.ends_with('=') || item.starts_with('='))
      throw Error("an empty item in '" + shown(text) + "': use " + known_patterns(text.substr(0, text.find('='))));
    if (item.find('=') != item.npos) continue;
    if (!word.empty()) throw Error("two patterns: " + shown(word) + " and " + shown(item) + ": use only one");
    word = item;
  }
  Parameters parameters = parse_parameters(text);
  take_word(parameters);
  for (const auto& [key, value] : parameters)
    if (!is_key(key)) {
      const std::string_view wrong = key == matrix_key ? value : key;
      throw Error("'" + shown(wrong) + "' is not a pattern: use " + known_patterns(wrong) +
                  (key == matrix_key ? "" : "; keys of a policy follow the policy's name"));
    }
  return *pattern_of(parameters);
}

bool is_pattern(std::string_view text) {
  try {
    parse_pattern(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string to_string(const Pattern& pattern) {
  if (pattern.kind == Pattern::Kind::grid) return "grid=" + to_string(pattern.grid);
  if (pattern.kind == Pattern::Kind::parallelism) return to_string(pattern.parallelism);
  for (const Word& word : words)
    if (word.kind == pattern.kind) return std::string(word.name);
  return {};
}

std::string known_patterns(std::string_view near) {
  constexpr std::string_view stems[] = {"ring", "tree", "alltoall", "grid", "tp"};
  constexpr std::string_view texts[] = {"ring", "tree", "alltoall", grid_examples, "tp=8,pp=4,dp=16"};
  const std::string_view close = near_miss(near, stems);
  std::string first, others;
  for (std::size_t k = 0; k < std::size(stems); ++k) {
    std::string& list = stems[k] == close ? first : others;
    list += (list.empty() ? "" : ", ") + std::string(texts[k]);
  }
  return first + (first.empty() ? "" : ", ") + others;
}

std::optional<std::int32_t> fixed_ranks(const Pattern& pattern) {
  std::int32_t ranks = 0;
  if (pattern.kind == Pattern::Kind::grid) ranks = places(pattern.grid);
  if (pattern.kind == Pattern::Kind::parallelism) ranks = rank_count(pattern.parallelism);
  if (ranks == 0) return std::nullopt;
  return ranks;
}

std::string possible_ranks(const Pattern& pattern) {
  if (const auto ranks = fixed_ranks(pattern)) return std::to_string(*ranks) + " ranks";
  const std::int32_t step = pattern.kind == Pattern::Kind::parallelism ? rank_step(pattern.parallelism) : 1;
  return step > 1 ? "a multiple of " + std::to_string(step) + " ranks" : "any number of ranks";
}

std::string layout_note(const Pattern& pattern, std::int32_t ranks) {
  if (pattern.kind == Pattern::Kind::grid && pattern.grid.sides.empty()) {
    Grid chosen = pattern.grid;
    chosen.sides = balanced_sides(ranks, pattern.grid.dimensions);
    return "grid=" + to_string(pattern.grid) + " is grid=" + to_string(chosen) + ", the most even " +
           std::to_string(pattern.grid.dimensions) + "-D grid of " + std::to_string(ranks) + " ranks" +
           (pattern.grid.dimensions == 3 ? " (grid=auto2 is 2-D)" : "");
  }
  if (pattern.kind == Pattern::Kind::parallelism && pattern.parallelism.size[data] == 0)
    return to_string(pattern) + " is " + to_string(fitted(pattern.parallelism, ranks)) + " with " +
           std::to_string(ranks) + " ranks";
  return {};
}

std::int64_t pair_count(const Pattern& pattern, std::int32_t ranks) {
  if (pattern.kind == Pattern::Kind::parallelism) return edge_count(fitted(pattern.parallelism, ranks));
  if (pattern.kind == Pattern::Kind::all_to_all) return std::int64_t{ranks} * (ranks - 1) / 2;
  if (pattern.kind == Pattern::Kind::tree) return ranks - 1;
  if (pattern.kind == Pattern::Kind::ring) return grid_pairs({ranks}, true);
  if (const std::int32_t all = places(pattern.grid); all > 0 && all != ranks)
    throw Error(to_string(pattern) + " has " + std::to_string(all) + (all == 1 ? " place" : " places") + ", but " +
                std::to_string(ranks) + " tasks are requested");
  return grid_pairs(sides_of(pattern.grid, ranks), pattern.grid.periodic);
}

CommMatrix matrix_of(const Pattern& pattern, std::int32_t ranks) {
  if (ranks < 1 || ranks > CommMatrix::max_ranks)
    throw Error(std::to_string(ranks) + " ranks: expected 1 to " + std::to_string(CommMatrix::max_ranks));
  const std::int64_t pairs = pair_count(pattern, ranks);
  if (pairs > most_pairs)
    throw Error(to_string(pattern) + " of " + std::to_string(ranks) + " ranks has " + std::to_string(pairs) +
                " pairs, but at most " + std::to_string(most_pairs) + " are allowed");
  return CommMatrix::from_edges(ranks, edges_of(pattern, ranks));
}

}  // namespace placement::pattern
