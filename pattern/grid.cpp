// SPDX-License-Identifier: GPL-2.0-or-later
#include "pattern/grid.hpp"

#include <algorithm>

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::pattern {

namespace {

constexpr std::size_t most_sides = 8;

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw Error("grid=" + shown(text) + ": " + why +
              "; expected sides (grid=8x4x4) or grid=auto, auto2 or auto3, then optionally :periodic");
}

// Appends `sides_left` sides with the product `ranks` to `chosen`. No side exceeds the previous one; the first does not
// exceed `largest`. Returns false, and leaves `chosen` unchanged, if no sides fit.
bool balance(std::int32_t ranks, std::int32_t sides_left, std::int32_t largest, std::vector<std::int32_t>& chosen) {
  if (sides_left == 1) {
    if (ranks > largest) return false;
    chosen.push_back(ranks);
    return true;
  }
  std::vector<std::int32_t> divisors;
  for (std::int32_t d = 1; static_cast<std::int64_t>(d) * d <= ranks; ++d)
    if (ranks % d == 0) divisors.insert(divisors.end(), {d, ranks / d});
  std::sort(divisors.begin(), divisors.end());
  for (const std::int32_t side : divisors) {
    if (side > largest) return false;
    chosen.push_back(side);
    if (balance(ranks / side, sides_left - 1, side, chosen)) return true;
    chosen.pop_back();
  }
  return false;
}

}  // namespace

Grid parse_grid(std::string_view text) {
  Grid grid;
  std::string shape = lower_case(text);
  if (const std::size_t colon = shape.find(':'); colon != std::string::npos) {
    if (shape.substr(colon) != ":periodic") refuse(text, "'" + shown(shape.substr(colon)) + "' is not :periodic");
    grid.periodic = true;
    shape.resize(colon);
  }
  if (shape == "auto" || shape == "auto3") return grid;
  if (shape == "auto2") {
    grid.dimensions = 2;
    return grid;
  }
  std::int64_t product = 1;
  for (const std::string_view part : split_at(shape, 'x')) {
    const auto side = parse_integer(part);
    if (!side || *side < 1) refuse(text, "'" + shown(part) + "' is not a side of a grid");
    if (*side > CommMatrix::max_ranks || (product *= *side) > CommMatrix::max_ranks)
      refuse(text, "more than " + std::to_string(CommMatrix::max_ranks) + " places");
    grid.sides.push_back(static_cast<std::int32_t>(*side));
  }
  if (grid.sides.size() > most_sides) refuse(text, "more than " + std::to_string(most_sides) + " sides");
  return grid;
}

std::string to_string(const Grid& grid) {
  std::string text = joined(grid.sides, "x", [](std::int32_t side) { return std::to_string(side); });
  if (text.empty()) text = grid.dimensions == 2 ? "auto2" : "auto";
  return text + (grid.periodic ? ":periodic" : "");
}

std::int32_t places(const Grid& grid) {
  std::int32_t product = grid.sides.empty() ? 0 : 1;
  for (const std::int32_t side : grid.sides) product *= side;
  return product;
}

std::vector<std::int32_t> balanced_sides(std::int32_t ranks, std::int32_t dimensions) {
  std::vector<std::int32_t> sides;
  balance(ranks, dimensions, ranks, sides);
  return sides;
}

std::vector<CommEdge> grid_edges_along(const std::vector<std::int32_t>& sides, std::size_t side, bool periodic) {
  std::vector<CommEdge> edges;
  const std::int32_t length = sides[side];
  std::int32_t ranks = 1, stride = 1;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    ranks *= sides[k];
    if (k > side) stride *= sides[k];
  }
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::int32_t at = rank / stride % length;
    if (at + 1 < length)
      edges.push_back({rank, rank + stride, 1});
    else if (periodic && length > 2)
      edges.push_back({rank - at * stride, rank, 1});
  }
  return edges;
}

std::vector<CommEdge> grid_edges(const std::vector<std::int32_t>& sides, bool periodic) {
  std::vector<CommEdge> edges;
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const std::vector<CommEdge> along = grid_edges_along(sides, side, periodic);
    edges.insert(edges.end(), along.begin(), along.end());
  }
  return edges;
}

std::int64_t grid_pairs(const std::vector<std::int32_t>& sides, bool periodic) {
  std::int64_t ranks = 1, pairs = 0;
  for (const std::int32_t side : sides) ranks *= side;
  for (const std::int32_t side : sides) pairs += periodic && side > 2 ? ranks : ranks / side * (side - 1);
  return pairs;
}

CommMatrix chain(std::int32_t ranks) { return CommMatrix::from_edges(ranks, grid_edges({ranks}, false)); }

}  // namespace placement::pattern
