// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/geometry.hpp"

#include <algorithm>
#include <cmath>

#include "common/util/random.hpp"
#include "common/util/sequence.hpp"

namespace placement::tofa {

namespace {

constexpr std::size_t axes = 3;
constexpr std::int32_t pivots = 12;  // ranks from which distances are measured
constexpr std::size_t arcs_sampled = 1024;
constexpr std::size_t points_sampled = 1024;
constexpr double unit = 1 << 16;  // the scale of points by distance, which are stored as integers

using Point = std::array<double, axes>;

std::int32_t ring(std::int32_t delta, std::int32_t size) {
  delta = std::abs(delta);
  return std::min(delta, size - delta);
}

// ---- by number

struct Pair {
  std::int32_t a, b;
  std::int64_t weight;
};

std::vector<Pair> sampled_pairs(const mapping::Graph& graph) {
  std::vector<Pair> pairs;
  const std::size_t step = graph.arc.size() / arcs_sampled + 1;
  std::size_t seen = 0;
  for (std::int32_t v = 0; v < graph.vertices(); ++v)
    for (const mapping::Arc& arc : graph.arcs(v))
      if (seen++ % step == 0) pairs.push_back({v, arc.to, arc.weight});
  return pairs;
}

std::int64_t steps_in_box(const std::vector<Pair>& pairs, std::int32_t a, std::int32_t b, std::int32_t c) {
  std::int64_t total = 0;
  for (const Pair& pair : pairs)
    total += pair.weight * (ring(pair.a % a - pair.b % a, a) + ring(pair.a / a % b - pair.b / a % b, b) +
                            ring(pair.a / a / b - pair.b / a / b, c));
  return total;
}

// ---- by distance

// Returns the arcs that have at least half the weight of the heaviest arc of one of their ends.
mapping::Graph heavy_part(const mapping::Graph& graph) {
  std::vector<std::int32_t> heaviest(graph.vertices(), 0);
  for (std::int32_t v = 0; v < graph.vertices(); ++v)
    for (const mapping::Arc& arc : graph.arcs(v)) heaviest[v] = std::max(heaviest[v], arc.weight);
  mapping::Graph heavy;
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    for (const mapping::Arc& arc : graph.arcs(v))
      if (arc.weight >= std::min(heaviest[v], heaviest[arc.to]) / 2) heavy.arc.push_back(arc);
    heavy.row.push_back(std::ssize(heavy.arc));
  }
  return heavy;
}

// Sets `distance` to the hops from vertex `from`, -1 without a path. Returns whether all vertices are reached.
bool distances_from(const mapping::Graph& graph, std::int32_t from, std::vector<std::int32_t>& distance,
                    const mapping::WorkBudget& watch) {
  std::fill(distance.begin(), distance.end(), -1);
  std::vector<std::int32_t> queue{from};
  queue.reserve(distance.size());
  distance[from] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    watch.spend(std::ssize(graph.arcs(queue[head])) + 1);
    for (const mapping::Arc& arc : graph.arcs(queue[head]))
      if (distance[arc.to] < 0) {
        distance[arc.to] = distance[queue[head]] + 1;
        queue.push_back(arc.to);
      }
  }
  return queue.size() == distance.size();
}

// Returns the coordinates of the rows along their first `dimensions` principal components, each scaled to variance 1.
std::vector<Point> whitened(const std::vector<std::array<double, pivots>>& rows, std::size_t dimensions,
                            std::uint64_t seed) {
  std::array<std::array<double, pivots>, pivots> covariance{};
  for (const auto& row : rows)
    for (std::int32_t i = 0; i < pivots; ++i)
      for (std::int32_t j = 0; j < pivots; ++j) covariance[i][j] += row[i] * row[j];
  Random random(seed);
  std::array<std::array<double, pivots>, axes> direction{};
  std::vector<Point> points(rows.size(), Point{});
  for (std::size_t k = 0; k < dimensions; ++k) {
    auto& v = direction[k];
    for (double& x : v) x = static_cast<double>(random.below(1000)) - 499.5;
    double norm = 0;
    for (int round = 0; round < 60; ++round) {  // power iteration, orthogonal to the earlier directions
      for (std::size_t other = 0; other < k; ++other) {
        double along = 0;
        for (std::int32_t i = 0; i < pivots; ++i) along += v[i] * direction[other][i];
        for (std::int32_t i = 0; i < pivots; ++i) v[i] -= along * direction[other][i];
      }
      std::array<double, pivots> next{};
      norm = 0;
      for (std::int32_t i = 0; i < pivots; ++i) {
        for (std::int32_t j = 0; j < pivots; ++j) next[i] += covariance[i][j] * v[j];
        norm += next[i] * next[i];
      }
      norm = std::sqrt(norm);
      if (!(norm > 1e-9)) break;
      for (std::int32_t i = 0; i < pivots; ++i) v[i] = next[i] / norm;
    }
    const double variance = norm / static_cast<double>(rows.size());
    if (!(variance > 1e-6)) continue;  // the ranks need fewer axes
    const double scale = 1 / std::sqrt(variance);
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::int32_t i = 0; i < pivots; ++i) points[r][k] += rows[r][i] * v[i] * scale;
  }
  return points;
}

// Returns the fourth moment of the points after a rotation (cosine c, sine s) of the axes i and j. The fourth moment of
// an evenly filled box is least along its own axes, because the distribution there is flattest.
double fourth_moment(const std::vector<Point>& points, std::size_t step, std::size_t i, std::size_t j, double c,
                     double s) {
  double sum = 0;
  for (std::size_t p = 0; p < points.size(); p += step) {
    const double x = c * points[p][i] - s * points[p][j];
    const double y = s * points[p][i] + c * points[p][j];
    sum += x * x * x * x + y * y * y * y;
  }
  return sum;
}

void turn_to_box(std::vector<Point>& points, std::size_t dimensions, const mapping::WorkBudget& watch) {
  constexpr int angles = 45;  // angles that are tried, two degrees apart
  constexpr double step_cosine = 0.99939082701909573, step_sine = 0.034899496702500969;
  const std::size_t step = points.size() / points_sampled + 1;
  for (int sweep = 0; sweep < 4; ++sweep)
    for (std::size_t i = 0; i < dimensions; ++i)
      for (std::size_t j = i + 1; j < dimensions; ++j) {
        double c = 1, s = 0, best_c = 1, best_s = 0;
        double least = fourth_moment(points, step, i, j, 1, 0);
        for (int k = 1; k < angles; ++k) {
          const double next_c = c * step_cosine - s * step_sine;
          s = s * step_cosine + c * step_sine;
          c = next_c;
          watch.spend(static_cast<std::int64_t>(points.size() / step));
          const double moment = fourth_moment(points, step, i, j, c, s);
          if (moment >= least) continue;
          least = moment;
          best_c = c;
          best_s = s;
        }
        for (Point& p : points) {
          const double x = best_c * p[i] - best_s * p[j];
          p[j] = best_s * p[i] + best_c * p[j];
          p[i] = x;
        }
      }
}

}  // namespace

std::optional<RankPoints> points_by_number(const mapping::Graph& graph, const mapping::WorkBudget& watch) {
  const std::int32_t n = graph.vertices();
  const std::vector<Pair> pairs = sampled_pairs(graph);
  if (pairs.empty()) return std::nullopt;
  std::int64_t weight = 0;
  for (const Pair& pair : pairs) weight += pair.weight;
  std::int64_t least = -1;
  std::int32_t best_a = n, best_b = 1;
  for (std::int32_t a = 1; a <= n; ++a) {
    if (n % a != 0) continue;
    for (std::int32_t b = 1; b <= n / a; ++b) {
      if (n / a % b != 0) continue;
      watch.spend(std::ssize(pairs) * 4);
      const std::int64_t steps = steps_in_box(pairs, a, b, n / a / b);
      if (least >= 0 && steps >= least) continue;
      least = steps;
      best_a = a;
      best_b = b;
    }
  }
  if (least > 2 * weight) return std::nullopt;
  RankPoints points(static_cast<std::size_t>(n));
  for (std::int32_t v = 0; v < n; ++v) points[v] = {v % best_a, v / best_a % best_b, v / best_a / best_b};
  return points;
}

std::optional<RankPoints> points_by_distance(const mapping::Graph& graph, std::size_t dimensions, std::uint64_t seed,
                                             const mapping::WorkBudget& watch) {
  const auto n = static_cast<std::size_t>(graph.vertices());
  if (n < 8) return std::nullopt;
  const mapping::Graph heavy = heavy_part(graph);
  std::vector<std::array<double, pivots>> rows(n);
  std::vector<std::int32_t> distance(n), nearest(n, INT32_MAX);
  if (!distances_from(heavy, 0, distance, watch)) return std::nullopt;
  // The first pivot is the rank farthest from rank 0; each other pivot is the rank farthest from all pivots before it.
  auto pivot = static_cast<std::int32_t>(std::max_element(distance.begin(), distance.end()) - distance.begin());
  for (std::int32_t k = 0; k < pivots; ++k) {
    distances_from(heavy, pivot, distance, watch);
    double mean = 0;
    for (const std::int32_t d : distance) mean += d;
    mean /= static_cast<double>(n);
    for (std::size_t v = 0; v < n; ++v) {
      rows[v][k] = distance[v] - mean;
      nearest[v] = std::min(nearest[v], distance[v]);
    }
    pivot = static_cast<std::int32_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
  }
  std::vector<Point> points = whitened(rows, dimensions, seed);
  turn_to_box(points, dimensions, watch);
  RankPoints result(n);
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t d = 0; d < axes; ++d)
      result[v][d] = static_cast<std::int32_t>(std::lround(std::clamp(points[v][d], -1e3, 1e3) * unit));
  return result;
}

std::vector<std::int32_t> map_points(const RankPoints& points, const std::array<std::size_t, 3>& axis_of,
                                     const SlotCuts& cuts, const mapping::WorkBudget& watch) {
  std::vector<std::int32_t> ranks = numbers(points.size());
  for (const SlotCuts::Part& part : cuts.parts) {
    if (part.middle < 0) continue;
    watch.spend(part.end - part.begin);
    const std::size_t axis = axis_of[std::min(part.dimension, axes - 1)];
    const std::size_t next = (axis + 1) % axes;
    const std::size_t last = (axis + 2) % axes;
    const auto before = [&](std::int32_t a, std::int32_t b) {
      const auto &p = points[a], &q = points[b];
      if (p[axis] != q[axis]) return p[axis] < q[axis];
      if (p[next] != q[next]) return p[next] < q[next];
      return p[last] != q[last] ? p[last] < q[last] : a < b;
    };
    std::nth_element(ranks.begin() + part.begin, ranks.begin() + part.middle, ranks.begin() + part.end, before);
  }
  std::vector<std::int32_t> slot_of_rank(points.size());
  for (std::size_t k = 0; k < ranks.size(); ++k) slot_of_rank[ranks[k]] = cuts.slots[k];
  return slot_of_rank;
}

}  // namespace placement::tofa
