// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/matrix_facts.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "common/util/short_number.hpp"
#include "tools/output/json.hpp"

namespace placement::tools {

namespace {

constexpr double most_of_it = 0.9;  // share of the traffic
constexpr double shares[] = {0.1, 0.3, 0.5};

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

std::string line(const char* name, const std::string& text) {
  char field[16];
  std::snprintf(field, sizeof field, "%-10s", name);
  return field + text + "\n";
}

std::string words(const Spread& spread) {
  return std::to_string(spread.least) + " to " + std::to_string(spread.most) + ", median " +
         std::to_string(spread.median);
}

std::string format_gain(const PlacementGain& gain) {
  std::string text = line("topology", gain.topology);
  text += line("natural", to_string(gain.natural_cost) + " hop-bytes, in natural order");
  text += line("placed",
               to_string(gain.cost) + " hop-bytes by " + gain.policy + ", " + in_percent(gain.ratio()) + " of that");
  std::string times, communicating;
  for (const double share : shares) {
    times += (times.empty() ? "" : ", ") + in_percent(gain.time(share));
    communicating += (communicating.empty() ? "" : ", ") + in_percent(share);
  }
  return text +
         line("run time", times + " of that in natural order where " + communicating + " of it is communication");
}

void write_spread(JsonWriter& json, const char* name, const Spread& spread) {
  json.key(name).begin_object().member("least", spread.least).member("median", spread.median);
  json.member("most", spread.most).end_object();
}

void write_gain(JsonWriter& json, const PlacementGain& gain) {
  json.key("gain").begin_object().member("topology", gain.topology).member("policy", gain.policy);
  json.member("natural_cost", gain.natural_cost).member("cost", gain.cost).member("ratio", gain.ratio());
  json.key("run_time").begin_array();
  for (const double share : shares)
    json.begin_object().member("communication", share).member("time", gain.time(share)).end_object();
  json.end_array().end_object();
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

double PlacementGain::ratio() const {
  return natural_cost > 0 ? static_cast<double>(cost) / static_cast<double>(natural_cost) : 1;
}

std::string format_facts(const MatrixFacts& facts, const std::optional<PlacementGain>& gain) {
  char density[32];
  std::snprintf(density, sizeof density, "%.6g", facts.density);
  std::string text = line("format", to_string(facts.info.format)) + line("ranks", std::to_string(facts.ranks));
  text += line("pairs", std::to_string(facts.pairs) + " (density " + density + ")");
  text += line("total", std::to_string(facts.total));
  text += line("symmetric", facts.info.symmetric ? "yes" : "no: both directions were added");
  if (facts.info.scale_power != 0)
    text += line("scale", "fractions: all values times 10^" + std::to_string(facts.info.scale_power) +
                              (facts.info.rounded ? ", rounded" : ""));
  if (facts.silent > 0) text += line("silent", std::to_string(facts.silent) + " ranks without traffic");
  if (facts.total > 0) {
    text += line("partners", words(facts.regularity.neighbours) + " of a rank");
    text += line("traffic", words(facts.regularity.traffic) + " of a rank");
    text += line("regular", "90 % of the traffic is in " + std::to_string(facts.regularity.distances) +
                                (facts.regularity.distances == 1 ? " difference" : " differences") +
                                " of rank numbers, and in " + std::to_string(facts.regularity.pairs) +
                                (facts.regularity.pairs == 1 ? " pair" : " pairs"));
  }
  for (const CommEdge& edge : facts.heaviest)
    text +=
        line("heaviest", std::to_string(edge.a) + " - " + std::to_string(edge.b) + ": " + std::to_string(edge.weight));
  for (const std::string& note : facts.info.notes) text += line("note", note);
  if (gain) text += format_gain(*gain);
  return text;
}

std::string facts_as_json(const MatrixFacts& facts, const std::optional<PlacementGain>& gain) {
  JsonWriter json;
  json.begin_object()
      .member("format", to_string(facts.info.format))
      .member("ranks", facts.ranks)
      .member("pairs", facts.pairs)
      .member("density", facts.density)
      .member("total", facts.total)
      .member("symmetric", facts.info.symmetric)
      .member("scale_power", facts.info.scale_power)
      .member("rounded", facts.info.rounded)
      .member("silent_ranks", facts.silent);
  write_spread(json, "neighbours", facts.regularity.neighbours);
  write_spread(json, "traffic", facts.regularity.traffic);
  json.member("distances_of_90_percent", facts.regularity.distances)
      .member("pairs_of_90_percent", facts.regularity.pairs);
  json.key("heaviest").begin_array();
  for (const CommEdge& edge : facts.heaviest)
    json.begin_object().member("a", edge.a).member("b", edge.b).member("weight", edge.weight).end_object();
  json.end_array().key("notes").begin_array();
  for (const std::string& note : facts.info.notes) json.value(note);
  json.end_array();
  if (gain) write_gain(json, *gain);
  return json.end_object().take();
}

}  // namespace placement::tools
