// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/matrix_facts.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "tools/output/json.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

constexpr double most_of_it = 0.9;  // share of the traffic

Spread spread_of(std::vector<std::int64_t> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {values.front(), values[(values.size() - 1) / 2], values.back()};
}

// Returns how many of the values, the largest first, are needed for this share of their sum.
std::int64_t needed(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end(), std::greater<>());
  const double wanted =
      most_of_it * static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
  std::int64_t count = 0;
  double sum = 0;
  for (const std::int64_t value : values) {
    if (sum >= wanted) break;
    sum += static_cast<double>(value);
    ++count;
  }
  return count;
}

Regularity regularity_of(const CommMatrix& matrix, const std::vector<CommEdge>& edges) {
  std::vector<std::int64_t> neighbours, traffic, weights;
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    neighbours.push_back(static_cast<std::int64_t>(matrix.neighbours(rank).size()));
    const auto row = matrix.weights(rank);
    traffic.push_back(std::accumulate(row.begin(), row.end(), std::int64_t{0}));
  }
  std::vector<std::int64_t> by_distance(static_cast<std::size_t>(std::max(matrix.ranks(), 0)));
  for (const CommEdge& edge : edges) {
    weights.push_back(edge.weight);
    by_distance[static_cast<std::size_t>(edge.b - edge.a)] += edge.weight;
  }
  return {spread_of(std::move(neighbours)), spread_of(std::move(traffic)), needed(std::move(by_distance)),
          needed(std::move(weights))};
}

std::string line(const char* name, const std::string& text) { return formatted("%-10s", name) + text + "\n"; }

std::string words(const Spread& spread) {
  return std::to_string(spread.least) + " to " + std::to_string(spread.most) + ", median " +
         std::to_string(spread.median);
}

void write_spread(JsonWriter& json, const char* name, const Spread& spread) {
  json.key(name).begin_object().member("least", spread.least, "median", spread.median, "most", spread.most);
  json.end_object();
}

}  // namespace

MatrixFacts facts_of(const CommMatrix& matrix, const MatrixInfo& info, std::size_t heaviest) {
  MatrixFacts facts;
  facts.ranks = matrix.ranks();
  facts.pairs = matrix.pairs();
  const double all = 0.5 * matrix.ranks() * (matrix.ranks() - 1.0);
  facts.density = all > 0 ? static_cast<double>(matrix.pairs()) / all : 0;
  facts.total = matrix.total_weight();
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank)
    if (matrix.neighbours(rank).empty()) ++facts.silent;
  facts.heaviest = matrix.edges();
  facts.regularity = regularity_of(matrix, facts.heaviest);
  facts.info = info;
  const auto heavier = [](const CommEdge& x, const CommEdge& y) {
    return x.weight != y.weight ? x.weight > y.weight : std::pair(x.a, x.b) < std::pair(y.a, y.b);
  };
  const auto count = static_cast<std::ptrdiff_t>(std::min(heaviest, facts.heaviest.size()));
  std::partial_sort(facts.heaviest.begin(), facts.heaviest.begin() + count, facts.heaviest.end(), heavier);
  facts.heaviest.resize(static_cast<std::size_t>(count));
  return facts;
}

std::string format_facts(const MatrixFacts& facts) {
  const Regularity& regular = facts.regularity;
  const auto counted = [](std::int64_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  std::string text = line("format", to_string(facts.info.format)) + line("ranks", std::to_string(facts.ranks));
  text += line("pairs", formatted("%lld (density %.6g)", static_cast<long long>(facts.pairs), facts.density));
  text += line("total", std::to_string(facts.total));
  text += line("symmetric", facts.info.symmetric ? "yes" : "no: both directions were added");
  if (facts.info.scale_power != 0)
    text += line("scale", "fractions: all values times 10^" + std::to_string(facts.info.scale_power) +
                              (facts.info.rounded ? ", rounded" : ""));
  if (facts.silent > 0) text += line("silent", std::to_string(facts.silent) + " ranks without traffic");
  if (facts.total > 0) {
    text += line("partners", words(regular.neighbours) + " of a rank");
    text += line("traffic", words(regular.traffic) + " of a rank");
    text += line("regular", "90 % of the traffic is in " + counted(regular.distances, "difference") +
                                " of rank numbers, and in " + counted(regular.pairs, "pair"));
  }
  for (const CommEdge& edge : facts.heaviest)
    text +=
        line("heaviest", std::to_string(edge.a) + " - " + std::to_string(edge.b) + ": " + std::to_string(edge.weight));
  for (const std::string& note : facts.info.notes) text += line("note", note);
  return text;
}

std::string facts_as_json(const MatrixFacts& facts) {
  const MatrixInfo& info = facts.info;
  JsonWriter json;
  json.begin_object().member("format", to_string(info.format), "ranks", facts.ranks, "pairs", facts.pairs);
  json.member("density", facts.density, "total", facts.total, "symmetric", info.symmetric);
  json.member("scale_power", info.scale_power, "rounded", info.rounded, "silent_ranks", facts.silent);
  write_spread(json, "neighbours", facts.regularity.neighbours);
  write_spread(json, "traffic", facts.regularity.traffic);
  json.member("distances_of_90_percent", facts.regularity.distances, "pairs_of_90_percent", facts.regularity.pairs);
  json.objects("heaviest", facts.heaviest,
               [&](const CommEdge& edge) { json.member("a", edge.a, "b", edge.b, "weight", edge.weight); });
  json.list("notes", info.notes);
  return json.end_object().take();
}

}  // namespace placement::tools
