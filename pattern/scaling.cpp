// SPDX-License-Identifier: GPL-2.0-or-later
#include "pattern/scaling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "common/util/error.hpp"
#include "pattern/grid.hpp"
#include "pattern/pattern.hpp"

namespace placement::pattern {

namespace {

// The pairs of a structure on a number of ranks, in classes of pairs that have equal traffic, such as the dimensions of
// a grid.
struct Structure {
  std::vector<std::vector<CommEdge>> classes;  // empty: the structure does not exist for this number of ranks
  std::string text;
};

using MakeStructure = std::function<Structure(std::int32_t ranks)>;

Structure line(std::int32_t ranks, bool periodic) {
  if (periodic && ranks < 3) return {};
  return {{grid_edges({ranks}, periodic)}, periodic ? "a ring" : "a chain"};
}

Structure grid(std::int32_t ranks, std::int32_t dimensions, bool periodic, bool smallest_first) {
  std::vector<std::int32_t> sides = balanced_sides(ranks, dimensions);
  if (sides.empty() || sides.back() < 2) return {};
  if (smallest_first) std::reverse(sides.begin(), sides.end());
  Structure structure;
  structure.text = periodic ? "a periodic grid of " : "a grid of ";
  for (std::size_t k = 0; k < sides.size(); ++k) {
    structure.classes.push_back(grid_edges_along(sides, k, periodic));
    structure.text += (k == 0 ? "" : " x ") + std::to_string(sides[k]);
  }
  return structure;
}

// Returns a binomial tree or a hypercube. In both, the class of a pair is the bit in which its ranks differ.
Structure by_bits(std::int32_t ranks, bool tree) {
  if (!tree && !std::has_single_bit(static_cast<std::uint32_t>(ranks))) return {};
  Structure structure{{}, tree ? "a binomial tree" : "a hypercube"};
  for (std::int64_t bit = 1; bit < ranks; bit *= 2) {
    std::vector<CommEdge>& edges = structure.classes.emplace_back();
    const std::int64_t step = tree ? 2 * bit : 1;
    for (std::int64_t rank = 0; rank < ranks; rank += step)
      if ((rank & bit) == 0 && rank + bit < ranks)
        edges.push_back({static_cast<std::int32_t>(rank), static_cast<std::int32_t>(rank + bit), 1});
  }
  return structure;
}

Structure all_pairs(std::int32_t ranks) {
  if (static_cast<std::int64_t>(ranks) * (ranks - 1) / 2 > most_pairs) return {};
  Structure structure{{{}}, "all pairs"};
  for (std::int32_t a = 0; a < ranks; ++a)
    for (std::int32_t b = a + 1; b < ranks; ++b) structure.classes[0].push_back({a, b, 1});
  return structure;
}

std::vector<MakeStructure> structures() {
  std::vector<MakeStructure> all;
  for (const bool periodic : {true, false}) all.push_back([=](std::int32_t ranks) { return line(ranks, periodic); });
  for (const std::int32_t dimensions : {2, 3})
    for (const bool periodic : {true, false})
      for (const bool smallest_first : {false, true})
        all.push_back([=](std::int32_t ranks) { return grid(ranks, dimensions, periodic, smallest_first); });
  for (const bool tree : {false, true}) all.push_back([=](std::int32_t ranks) { return by_bits(ranks, tree); });
  all.emplace_back(all_pairs);
  return all;
}

// How a structure fits a matrix.
struct Fit {
  double irregular = 1;              // part of the traffic that differs from the structure
  std::vector<double> class_weight;  // the mean traffic of the pairs of each class
};

Fit fit_of(const CommMatrix& matrix, const Structure& structure) {
  const auto total = static_cast<double>(matrix.total_weight());
  Fit fit;
  double within = 0, differing = 0;
  for (const std::vector<CommEdge>& edges : structure.classes) {
    double sum = 0;
    std::vector<double> weights;
    for (const CommEdge& edge : edges) {
      weights.push_back(static_cast<double>(matrix.weight(edge.a, edge.b)));
      sum += weights.back();
    }
    const double mean = edges.empty() ? 0 : sum / static_cast<double>(edges.size());
    for (const double weight : weights) differing += std::abs(weight - mean);
    within += sum;
    fit.class_weight.push_back(mean);
  }
  fit.irregular = (total - within + differing) / total;
  return fit;
}

// Returns the matrix of a structure. A class without a weight, as in a larger hypercube with more bits, gets the last
// weight.
CommMatrix weighted(std::int32_t ranks, const Structure& structure, const std::vector<double>& class_weight) {
  std::vector<CommEdge> edges;
  for (std::size_t k = 0; k < structure.classes.size(); ++k) {
    const double weight = class_weight[std::min(k, class_weight.size() - 1)];
    for (CommEdge edge : structure.classes[k]) {
      edge.weight = std::llround(weight);
      edges.push_back(edge);
    }
  }
  return CommMatrix::from_edges(ranks, std::move(edges));
}

struct FittingStructure {
  MakeStructure make;
  Fit fit;
  std::string text;  // name of the structure on the ranks of the matrix
};

// Returns the share of the grid dimension with the least mean traffic, 0 to 1. A share near 0 means that the traffic
// consists of chains. Then the sides of a grid do not determine how long the chains are with another number of ranks.
double least_share(const Fit& fit) {
  double sum = 0;
  for (const double weight : fit.class_weight) sum += weight;
  return std::ranges::min(fit.class_weight) / sum;
}

// Returns whether a class of pairs has at most a hundredth of the traffic of the next busier one. An example is the
// noise of a barrier. Bits of a hypercube or a tree may differ by a factor of two.
bool has_silent_class(const Fit& fit) {
  std::vector<double> weight = fit.class_weight;
  std::ranges::sort(weight);
  for (std::size_t k = 1; k < weight.size(); ++k)
    if (weight[k - 1] <= weight[k] / 100) return true;
  return false;
}

constexpr double equal_fits = 1e-9;  // structures fit equally if Fit::irregular differs by less

std::optional<ScaledMatrix> made_of(const FittingStructure& fitting, std::int32_t ranks) {
  const Structure target = fitting.make(ranks);
  if (target.classes.empty()) return std::nullopt;
  try {
    return ScaledMatrix{weighted(ranks, target, fitting.fit.class_weight), target.text};
  } catch (const Error&) {  // the total traffic would overflow
    return std::nullopt;
  }
}

}  // namespace

std::optional<ScaledMatrix> scaled_matrix(const CommMatrix& matrix, std::int32_t ranks, std::string* why_not) {
  const auto refuse = [&](std::string why) -> std::optional<ScaledMatrix> {
    if (why_not) *why_not = std::move(why);
    return std::nullopt;
  };
  if (matrix.total_weight() <= 0) return refuse("its ranks do not communicate");
  if (matrix.ranks() < 4) return refuse("it has fewer than 4 ranks, too few to recognize a structure");
  std::vector<FittingStructure> fitting;
  std::string chains;  // the first fitting structure that has a dimension without traffic
  double least = most_irregular_traffic;
  for (const MakeStructure& make : structures()) {
    const Structure structure = make(matrix.ranks());
    if (structure.classes.empty()) continue;
    FittingStructure found{make, fit_of(matrix, structure), structure.text};
    if (found.fit.irregular > most_irregular_traffic) continue;
    if (has_silent_class(found.fit)) {
      if (chains.empty()) chains = structure.text;
      continue;
    }
    least = std::min(least, found.fit.irregular);
    fitting.push_back(std::move(found));
  }
  std::erase_if(fitting, [&](const FittingStructure& one) { return one.fit.irregular > least + equal_fits; });
  if (fitting.empty() && !chains.empty())
    return refuse("its traffic uses only some dimensions of " + chains + ", so their lengths on " +
                  std::to_string(ranks) + " ranks are unknown");
  if (fitting.empty()) return refuse("its traffic has no regular structure");
  // A cube of eight ranks, for example, is a grid, a periodic grid and a hypercube, which differ on sixteen ranks.
  std::optional<ScaledMatrix> scaled;
  bool square = false;  // `scaled` has the largest side first; the smallest side first fits equally well
  for (const FittingStructure& candidate : fitting) {
    std::optional<ScaledMatrix> made = made_of(candidate, ranks);
    const bool differs = scaled && !(made && made->matrix == scaled->matrix);
    if (differs && made && candidate.text == fitting.front().text) {
      if (least_share(candidate.fit) <= most_irregular_traffic)
        return refuse("its traffic uses only some dimensions of " + candidate.text + ", which may become " +
                      scaled->structure + " or " + made->structure + " on " + std::to_string(ranks) + " ranks");
      square = true;
      continue;
    }
    if (differs)
      return refuse("its traffic fits " + fitting.front().text + " and " + candidate.text + ", which differ on " +
                    std::to_string(ranks) + " ranks");
    if (!made)
      return refuse("its traffic is " + candidate.text + ", which does not exist for " + std::to_string(ranks) +
                    " ranks");
    if (!scaled) scaled = std::move(made);
  }
  if (square) scaled->structure += ", with the largest side first, as MPI_Dims_create() returns it";
  return scaled;
}

}  // namespace placement::pattern
