// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "common/matrix/matrix_read.hpp"
#include "common/util/error.hpp"
#include "common/util/random.hpp"
#include "common/util/text.hpp"

namespace placement::sim {

namespace {

constexpr std::int64_t message = 1000;  // weight of a pair in the trees, and largest weight of a random pair

// Returns the largest number of pairs that a random matrix may have: 2^24, which take about 700 MB while the matrix is
// made, or four pairs per rank if that is more.
std::int64_t most_random_pairs(std::int32_t ranks) {
  return std::max<std::int64_t>(std::int64_t{1} << 24, std::int64_t{4} * ranks);
}

std::int64_t random_pairs(std::int32_t ranks, double degree) {
  const double pairs = static_cast<double>(ranks) * (ranks - 1) / 2;
  return std::max<std::int64_t>(std::llround(std::min(degree * ranks / 2, pairs)), 1);
}

std::vector<CommEdge> random_graph(std::int32_t ranks, double degree, std::uint64_t seed) {
  Random random(seed);
  const std::int64_t wanted = random_pairs(ranks, degree);
  std::vector<CommEdge> edges;
  edges.reserve(static_cast<std::size_t>(wanted));
  for (std::int64_t k = 0; k < wanted; ++k) {
    const std::int32_t a = random.below(ranks);
    const std::int32_t b = (a + 1 + random.below(ranks - 1)) % ranks;
    edges.push_back({a, b, 1 + random.below(static_cast<std::int32_t>(message))});
  }
  return edges;
}

std::vector<CommEdge> data_tree(std::int32_t ranks) {
  std::vector<CommEdge> edges;
  for (std::int32_t r = 1; r < ranks; ++r) edges.push_back({(r - 1) / 4, r, message});
  return edges;
}

// Returns the number of pairs; nothing if the pattern does not fit this number of ranks.
std::optional<std::int64_t> pairs_of(const pattern::Pattern& pattern, std::int32_t ranks) {
  try {
    return pattern::pair_count(pattern, ranks);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void check_named(const pattern::Pattern& pattern, std::int32_t ranks) {
  const auto pairs = pairs_of(pattern, ranks);
  if (pairs && *pairs > pattern::most_pairs)
    throw Error("--pattern " + pattern::to_string(pattern) + ": a job of " + std::to_string(ranks) +
                " tasks would have " + std::to_string(*pairs) + " pairs, more than the limit of " +
                std::to_string(pattern::most_pairs));
}

}  // namespace

PatternSpec parse_pattern(std::string_view word) {
  PatternSpec spec;
  const std::string name = lower_case(word.substr(0, word.find('=')));
  if (name == "random") {
    if (name.size() == word.size()) return spec;
    const std::string_view degree = word.substr(name.size() + 1);
    spec.degree = parse_real(degree).value_or(0);
    if (!(spec.degree > 0 && spec.degree <= 1e6))
      throw Error("random=" + shown(degree) +
                  ": expected the mean number of neighbours per rank, above 0 and at most 1e6");
  } else if (equal_any_case(word, "dt")) {
    spec.kind = PatternSpec::Kind::data_tree;
  } else if (word.find('/') != std::string_view::npos) {
    spec.kind = PatternSpec::Kind::folder;
    spec.folder = word;
  } else if (pattern::is_word(name.substr(0, name.find(','))) || pattern::is_key(name)) {
    spec.kind = PatternSpec::Kind::named;
    spec.named = pattern::parse_pattern(word);
  } else {
    throw Error("unknown pattern " + shown(word) +
                ": expected random, random=DEGREE, dt, a folder (./NAME) or "
                "a pattern of srun -m, such as " +
                pattern::known_patterns());
  }
  return spec;
}

PatternSource::PatternSource(const PatternSpec& spec, TrafficWeight weight) : spec_(spec) {
  if (spec.kind != PatternSpec::Kind::folder) return;
  std::vector<std::string> paths;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(spec.folder, failure))
    if (entry.is_regular_file()) paths.push_back(entry.path().string());
  if (failure) throw Error(spec.folder + ": " + failure.message());
  if (paths.empty()) throw Error(spec.folder + ": the folder has no matrix files");
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    auto matrix = std::make_shared<const CommMatrix>(read_matrix(path, {.weight = weight}));
    recorded_[matrix->ranks()].push_back(std::move(matrix));
  }
}

void PatternSource::check(std::int32_t ranks) const {
  if (ranks < 2) return;
  if (spec_.kind == PatternSpec::Kind::named) return check_named(spec_.named, ranks);
  if (spec_.kind != PatternSpec::Kind::random) return;
  const std::int64_t pairs = random_pairs(ranks, spec_.degree);
  const std::int64_t most = most_random_pairs(ranks);
  if (pairs <= most) return;
  throw Error("--pattern random=" + short_number(spec_.degree, 6) + ": a job of " + std::to_string(ranks) +
              " tasks would have " + std::to_string(pairs) + " pairs, more than the limit of " + std::to_string(most) +
              "; use at most random=" + std::to_string(2 * most / ranks) + " for this job");
}

std::shared_ptr<const CommMatrix> PatternSource::matrix(std::int32_t ranks, std::uint64_t seed) const {
  if (ranks < 2) return nullptr;
  check(ranks);
  if (spec_.kind == PatternSpec::Kind::folder) {
    const auto found = recorded_.find(ranks);
    return found == recorded_.end() ? nullptr : found->second[seed % found->second.size()];
  }
  if (spec_.kind == PatternSpec::Kind::named)
    return pairs_of(spec_.named, ranks) ? std::make_shared<const CommMatrix>(pattern::matrix_of(spec_.named, ranks))
                                        : nullptr;
  const bool random = spec_.kind == PatternSpec::Kind::random;
  return std::make_shared<CommMatrix>(
      CommMatrix::from_edges(ranks, random ? random_graph(ranks, spec_.degree, seed) : data_tree(ranks)));
}

}  // namespace placement::sim
