// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/matrix/comm_matrix.hpp"
#include "common/policy/policy.hpp"
#include "pattern/grid.hpp"
#include "pattern/parallelism.hpp"

namespace placement::pattern {

// A communication pattern that a user names in place of a matrix.
struct Pattern {
  enum class Kind {
    ring,  // each rank with the next one, the last one with the first
    // A binomial tree, as in broadcasts and reductions: rank r exchanges data with the rank whose number is r without
    // its lowest set bit.
    tree,
    all_to_all,  // each rank with each other
    grid,
    parallelism,
  };
  Kind kind = Kind::ring;
  Grid grid;                // of Kind::grid
  Parallelism parallelism;  // of Kind::parallelism
};

// A key that defines a pattern or a detail of one.
struct Key {
  std::string_view name;
  std::string_view help;  // one line for --help
};

// Returns all keys of patterns.
std::span<const Key> keys();

// Returns whether `name` is the key of a pattern.
bool is_key(std::string_view name);

// Returns whether `word` alone names a pattern: ring, tree or alltoall, in any case.
bool is_word(std::string_view word);

// Returns complete forms of a pattern, for a user who wrote only its key: "grid=8x4x4 or grid=auto" for grid, and
// "dp=8" for dp. Returns an empty text if `word` is not the first key of a pattern. Case does not matter.
std::string meant_by_key(std::string_view word);

// Replaces matrix=WORD by pattern=WORD if the word alone names a pattern. Returns true if it did.
bool take_word(Parameters& parameters);

// Returns the pattern that the keys of `parameters` define, if any. Throws Error for two patterns, for a pattern and a
// matrix, and for a wrong value. The message names the correct form.
std::optional<Pattern> pattern_of(const Parameters& parameters);

// Parses a pattern as written after -m POLICY=, such as "ring" or "tp=8,pp=4". Throws Error when it is not a pattern;
// the message names the known ones.
Pattern parse_pattern(std::string_view text);

// Returns whether parse_pattern() reads the text.
bool is_pattern(std::string_view text);

// Returns the text of the pattern, which parse_pattern() reads.
std::string to_string(const Pattern& pattern);

// Returns the names of all patterns with ", " between them; one that is close to `near` comes first.
std::string known_patterns(std::string_view near = {});

// Returns the number of ranks that the pattern fixes; nothing if it suits any number.
std::optional<std::int32_t> fixed_ranks(const Pattern& pattern);

// Returns the possible numbers of ranks of a job, such as "any number of ranks" or "a multiple of 4 ranks".
std::string possible_ranks(const Pattern& pattern);

// Returns a sentence on the layout of the pattern on this number of ranks; empty if the pattern itself states the
// layout.
std::string layout_note(const Pattern& pattern, std::int32_t ranks);

// The most pairs of a matrix that matrix_of() makes.
inline constexpr std::int64_t most_pairs = std::int64_t{1} << 22;

// Returns the number of pairs of the pattern's matrix. In a parallelism, a pair that two edges join counts twice.
// `ranks` is at least 1. Throws Error when the pattern does not suit this number; the message has both numbers.
std::int64_t pair_count(const Pattern& pattern, std::int32_t ranks);

// Returns the matrix of the pattern. Each pair has weight 1, except in Kind::parallelism, where weights are bytes.
// Throws Error when `ranks`, 1 to CommMatrix::max_ranks, does not suit the pattern, or for more than most_pairs pairs.
CommMatrix matrix_of(const Pattern& pattern, std::int32_t ranks);

}  // namespace placement::pattern
