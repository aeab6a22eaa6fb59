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

// The spread of a number over the ranks.
struct Spread {
  std::int64_t least = 0, median = 0, most = 0;
};

struct Facts {
  double density = 0;              // pairs with traffic as a share of all pairs, 0 to 1
  std::int64_t silent = 0;         // ranks without any traffic
  Spread neighbours, traffic;      // of a rank; the traffic is that in both directions
  std::int64_t distances = 0;      // least number of differences of rank numbers that carry 90 % of the traffic
  std::int64_t pairs = 0;          // least number of pairs that carry 90 % of the traffic
  std::vector<CommEdge> heaviest;  // by decreasing traffic
};

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

Facts facts_of(const CommMatrix& matrix, std::size_t heaviest) {
  Facts facts;
  std::vector<std::int64_t> neighbours, traffic, weights, by_distance(static_cast<std::size_t>(matrix.ranks()));
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    neighbours.push_back(std::ssize(matrix.neighbours(rank)));
    const auto row = matrix.weights(rank);
    traffic.push_back(std::accumulate(row.begin(), row.end(), std::int64_t{0}));
  }
  facts.heaviest = matrix.edges();
  for (const CommEdge& edge : facts.heaviest) {
    weights.push_back(edge.weight);
    by_distance[static_cast<std::size_t>(edge.b - edge.a)] += edge.weight;
  }
  const double all = 0.5 * matrix.ranks() * (matrix.ranks() - 1.0);
  if (all > 0) facts.density = static_cast<double>(matrix.pairs()) / all;
  facts.silent = std::count(neighbours.begin(), neighbours.end(), 0);
  facts.neighbours = spread_of(std::move(neighbours));
  facts.traffic = spread_of(std::move(traffic));
  facts.distances = needed(std::move(by_distance));
  facts.pairs = needed(std::move(weights));
  const auto heavier = [](const CommEdge& x, const CommEdge& y) {
    return x.weight != y.weight ? x.weight > y.weight : std::pair(x.a, x.b) < std::pair(y.a, y.b);
  };
  const auto count = static_cast<std::ptrdiff_t>(std::min(heaviest, facts.heaviest.size()));
  std::partial_sort(facts.heaviest.begin(), facts.heaviest.begin() + count, facts.heaviest.end(), heavier);
  facts.heaviest.resize(static_cast<std::size_t>(count));
  return facts;
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

std::string as_text(const CommMatrix& matrix, const MatrixInfo& info, const Facts& facts) {
  const auto counted = [](std::int64_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  std::string text = line("format", to_string(info.format)) + line("ranks", std::to_string(matrix.ranks()));
  text += line("pairs", formatted("%lld (density %.6g)", static_cast<long long>(matrix.pairs()), facts.density));
  text += line("total", std::to_string(matrix.total_weight()));
  text += line("symmetric", info.symmetric ? "yes" : "no: both directions were added");
  if (info.scale_power != 0)
    text += line("scale", "fractions: all values times 10^" + std::to_string(info.scale_power) +
                              (info.rounded ? ", rounded" : ""));
  if (facts.silent > 0) text += line("silent", std::to_string(facts.silent) + " ranks without traffic");
  if (matrix.total_weight() > 0) {
    text += line("partners", words(facts.neighbours) + " of a rank");
    text += line("traffic", words(facts.traffic) + " of a rank");
    text += line("regular", "90 % of the traffic is in " + counted(facts.distances, "difference") +
                                " of rank numbers, and in " + counted(facts.pairs, "pair"));
  }
  for (const CommEdge& edge : facts.heaviest)
    text +=
        line("heaviest", std::to_string(edge.a) + " - " + std::to_string(edge.b) + ": " + std::to_string(edge.weight));
  for (const std::string& note : info.notes) text += line("note", note);
  return text;
}

std::string as_json(const CommMatrix& matrix, const MatrixInfo& info, const Facts& facts) {
  JsonWriter json;
  json.begin_object().member("format", to_string(info.format), "ranks", matrix.ranks(), "pairs", matrix.pairs());
  json.member("density", facts.density, "total", matrix.total_weight(), "symmetric", info.symmetric);
  json.member("scale_power", info.scale_power, "rounded", info.rounded, "silent_ranks", facts.silent);
  write_spread(json, "neighbours", facts.neighbours);
  write_spread(json, "traffic", facts.traffic);
  json.member("distances_of_90_percent", facts.distances, "pairs_of_90_percent", facts.pairs);
  json.objects("heaviest", facts.heaviest,
               [&](const CommEdge& edge) { json.member("a", edge.a, "b", edge.b, "weight", edge.weight); });
  json.list("notes", info.notes);
  return json.end_object().take();
}

}  // namespace

std::string matrix_facts(const CommMatrix& matrix, const MatrixInfo& info, std::size_t heaviest, bool json) {
  const Facts facts = facts_of(matrix, heaviest);
  return json ? as_json(matrix, info, facts) : as_text(matrix, info, facts);
}

}  // namespace placement::tools
