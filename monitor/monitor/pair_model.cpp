// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/pair_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>

#include "common/state/live_range.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/util/median.hpp"

namespace placement::monitor {

namespace {

// A correction from this many values counts half, so that one unusual pair is not taken for a property of a node.
constexpr double shrinkage = 2;
// A node has a slow link when all its pairs, at least least_for_bound, are below this share of their class.
constexpr std::size_t least_for_bound = 2;
constexpr double slow_share = 0.8;
constexpr double forget_pause_s = 60;  // between two searches for old pairs that are to make room

double median_if_any(std::vector<double>& values) { return values.empty() ? unknown_value : median(values); }

double shrunk_median(std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  return values.empty() ? 0 : median(values) * n / (n + shrinkage);
}

std::uint64_t key_of(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(std::min(a, b)) << 32 | static_cast<std::uint32_t>(std::max(a, b));
}

const NumberRange& range_of(Measurement measurement) {
  return measurement == Measurement::latency ? live_range::latency_us : live_range::rate_Bps;
}

// Limits a value to the range of the snapshot, which rejects others. A modelled value can be outside of that range.
float told_us(double value) { return static_cast<float>(std::min(value, live_range::latency_us.most)); }
float told_Bps(double value) { return static_cast<float>(std::min(value, live_range::rate_Bps.most)); }

struct Sample {
  std::int32_t a, b;
  double value, at_s;
};

}  // namespace

// The model of one attribute. Latency is the sum of its parts. Bandwidth is too, in logarithms, and has a bound per
// node.
struct PairModel::Fit {
  Fit(const PairModel& model, std::vector<Sample> all, bool of_logarithms);

  // Returns the value without measurements of the pair itself; NaN when there is no measurement at all.
  double modelled(std::int32_t leaf, std::int32_t other) const;
  const PairModel& model;
  std::vector<Sample> samples;
  bool logarithms;
  std::map<std::int32_t, double> classes;  // value of each hop class, as a logarithm if `logarithms`
  std::vector<double> of_leaf;
  std::vector<double> of_node;  // latency: added for each end; bandwidth: the bound, or infinite
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> cells;  // samples of each pair of leaves
  double median_at_s = unknown_value;
};

PairModel::Fit::Fit(const PairModel& m, std::vector<Sample> all, bool of_logarithms)
    : model(m),
      samples(std::move(all)),
      logarithms(of_logarithms),
      of_leaf(static_cast<std::size_t>(m.switches_.leaves), 0.0),
      of_node(m.switches_.leaf_of_node.size(), of_logarithms ? std::numeric_limits<double>::infinity() : 0.0) {
  const auto number = [this](double value) { return logarithms ? std::log(value) : value; };
  std::map<std::int32_t, std::vector<double>> by_class;
  std::vector<double> times;
  for (const Sample& sample : samples) {
    by_class[model.hops(sample.a, sample.b)].push_back(number(sample.value));
    times.push_back(sample.at_s);
  }
  for (auto& [hops, values] : by_class) classes[hops] = median_if_any(values);
  median_at_s = median_if_any(times);

  std::map<std::int32_t, std::vector<double>> by_node;
  for (const Sample& sample : samples) {
    const double residual = number(sample.value) - classes[model.hops(sample.a, sample.b)];
    by_node[sample.a].push_back(residual);
    by_node[sample.b].push_back(residual);
  }
  if (!logarithms) {
    for (auto& [node, values] : by_node) of_node[static_cast<std::size_t>(node)] = std::max(0.0, shrunk_median(values));
  } else {
    std::map<std::int32_t, double> best;
    for (const Sample& sample : samples)
      for (const std::int32_t node : {sample.a, sample.b}) best[node] = std::max(best[node], sample.value);
    for (const auto& [node, values] : by_node)
      if (values.size() >= least_for_bound && *std::max_element(values.begin(), values.end()) < std::log(slow_share))
        of_node[static_cast<std::size_t>(node)] = best[node];
  }

  // The rest is attributed to the switches. A pair that a slow node explains is no measure of them.
  std::map<std::int32_t, std::vector<double>> by_leaf;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    const double a = of_node[static_cast<std::size_t>(sample.a)], b = of_node[static_cast<std::size_t>(sample.b)];
    double residual = number(sample.value) - classes[model.hops(sample.a, sample.b)];
    if (logarithms) {
      if (std::isfinite(std::min(a, b)) && sample.value <= 1.1 * std::min(a, b)) continue;
    } else {
      residual -= a + b;
    }
    const std::int32_t p = model.switches_.leaf_of_node[static_cast<std::size_t>(sample.a)];
    const std::int32_t q = model.switches_.leaf_of_node[static_cast<std::size_t>(sample.b)];
    cells[{std::min(p, q), std::max(p, q)}].push_back(i);
    by_leaf[p].push_back(residual / 2);
    by_leaf[q].push_back(residual / 2);
  }
  for (auto& [leaf, values] : by_leaf) of_leaf[static_cast<std::size_t>(leaf)] = shrunk_median(values);
}

double PairModel::Fit::modelled(std::int32_t leaf, std::int32_t other) const {
  const std::int32_t hops = model.switches_.hops_between(leaf, other);
  if (classes.empty()) return unknown_value;
  // The class itself or the nearest one is used; of two equally near ones that with more hops, which promises less.
  auto nearest = classes.begin();
  for (auto it = classes.begin(); it != classes.end(); ++it)
    if (std::abs(it->first - hops) <= std::abs(nearest->first - hops)) nearest = it;
  const double sum =
      nearest->second + of_leaf[static_cast<std::size_t>(leaf)] + of_leaf[static_cast<std::size_t>(other)];
  return logarithms ? std::exp(sum) : std::max(0.0, sum);
}

PairModel::PairModel(NodeSwitches switches, const PairModelSettings& settings)
    : switches_(std::move(switches)),
      settings_(settings) {}

void PairModel::take_switches(NodeSwitches switches, const PairModelSettings& settings) {
  switches_ = std::move(switches);
  settings_ = settings;
}

std::int32_t PairModel::hops(std::int32_t a, std::int32_t b) const {
  return switches_.hops_between(switches_.leaf_of_node[static_cast<std::size_t>(a)],
                                switches_.leaf_of_node[static_cast<std::size_t>(b)]);
}

void PairModel::add(std::int32_t a, std::int32_t b, Measurement measurement, double value, double now_s) {
  if (a == b || !(value > 0) || !range_of(measurement).has(value)) return;
  if (!pairs_.contains(key_of(a, b)) && !has_room(now_s)) {
    ++dropped_;
    return;
  }
  Pair& pair = pairs_[key_of(a, b)];
  pair.a = std::min(a, b);
  pair.b = std::max(a, b);
  if (measurement == Measurement::latency) {
    pair.latency_us.add(value);
    pair.latency_at_s = now_s;
  } else {
    pair.bandwidth_Bps.add(value);
    pair.bandwidth_at_s = now_s;
    // A single train may give too large a value, so the peak follows the forecast.
    const double told = pair.bandwidth_Bps.predict(Forecast::Predictor::median);
    if (!(pair.peak_bandwidth_Bps >= told)) pair.peak_bandwidth_Bps = told;
  }
}

// Returns whether one more pair can be remembered. A search for old pairs takes long, so it is made once a minute.
bool PairModel::has_room(double now_s) {
  if (pairs_.size() >= settings_.most_pairs && now_s - forgot_s_ >= forget_pause_s) forget_old(now_s);
  return pairs_.size() < settings_.most_pairs;
}

std::vector<PairModel::Pair> PairModel::pairs() const {
  std::vector<Pair> all;
  for (const auto& [key, pair] : pairs_) all.push_back(pair);
  std::sort(all.begin(), all.end(), [](const Pair& x, const Pair& y) { return key_of(x.a, x.b) < key_of(y.a, y.b); });
  return all;
}

const PairModel::Pair* PairModel::find(std::int32_t a, std::int32_t b) const {
  const auto found = pairs_.find(key_of(a, b));
  return found == pairs_.end() ? nullptr : &found->second;
}

void PairModel::forget_old(double now_s) {
  forgot_s_ = now_s;
  std::erase_if(pairs_,
                [this, now_s](const auto& entry) { return !(now_s - entry.second.newest_s() <= settings_.keep_s); });
}

// Returns the attribute of two nodes. Each of them is a group.
PairModel::PairForecast PairModel::forecast_pair(const Fit& fit, std::int32_t a, std::int32_t b, double now_s) const {
  if (const Pair* const pair = find(a, b)) {
    const double at_s = fit.logarithms ? pair->bandwidth_at_s : pair->latency_at_s;
    if (now_s - at_s <= settings_.keep_s)
      return {(fit.logarithms ? pair->bandwidth_Bps : pair->latency_us).value(), now_s - at_s, pair->peak_bandwidth_Bps,
              PairSource::measured};
  }
  PairForecast forecast = forecast_model(fit, switches_.leaf_of_node[static_cast<std::size_t>(a)],
                                         switches_.leaf_of_node[static_cast<std::size_t>(b)], now_s);
  const double end_a = fit.of_node[static_cast<std::size_t>(a)], end_b = fit.of_node[static_cast<std::size_t>(b)];
  if (!fit.logarithms)
    forecast.value += end_a + end_b;
  else if (!std::isnan(forecast.value))
    forecast.value = std::min({forecast.value, end_a, end_b});
  return forecast;
}

// Returns the attribute of two leaf switches: the median of the pairs between them, without the parts of their nodes.
PairModel::PairForecast PairModel::forecast_leaves(const Fit& fit, std::int32_t p, std::int32_t q, double now_s) const {
  const auto cell = fit.cells.find({std::min(p, q), std::max(p, q)});
  if (cell == fit.cells.end()) return forecast_model(fit, p, q, now_s);
  std::vector<double> values, ages, peaks;
  for (const std::size_t i : cell->second) {
    const Sample& sample = fit.samples[i];
    const double ends = fit.logarithms ? 0
                                       : fit.of_node[static_cast<std::size_t>(sample.a)] +
                                             fit.of_node[static_cast<std::size_t>(sample.b)];
    values.push_back(std::max(0.0, sample.value - ends));
    ages.push_back(now_s - sample.at_s);
    if (fit.logarithms) peaks.push_back(find(sample.a, sample.b)->peak_bandwidth_Bps);
  }
  return {median_if_any(values), median_if_any(ages), median_if_any(peaks), PairSource::measured};
}

PairModel::PairForecast PairModel::forecast_model(const Fit& fit, std::int32_t p, std::int32_t q, double now_s) const {
  const std::int32_t hops = switches_.hops_between(p, q);
  if (fit.samples.empty()) return {unknown_value, unknown_value, unknown_value, PairSource::modelled};
  return {fit.modelled(p, q), now_s - fit.median_at_s, unknown_value,
          fit.classes.contains(hops) ? PairSource::modelled : PairSource::assumed};
}

PairArrays::CellForecast PairModel::forecast_of(const Pair& pair, double now_s) const {
  PairArrays::CellForecast told;
  if (now_s - pair.latency_at_s <= settings_.keep_s) {
    told.latency = pair.latency_us.best();
    told.latency_error_us = told_us(pair.latency_us.error());
  }
  if (now_s - pair.bandwidth_at_s <= settings_.keep_s) {
    told.bandwidth = pair.bandwidth_Bps.best();
    told.bandwidth_error_Bps = told_Bps(pair.bandwidth_Bps.error());
  }
  return told;
}

PairTable PairModel::table(double now_s) const {
  std::vector<Sample> latency, bandwidth;
  double peak = 0;
  for (const Pair& pair : pairs()) {
    if (now_s - pair.latency_at_s <= settings_.keep_s)
      latency.push_back({pair.a, pair.b, pair.latency_us.value(), pair.latency_at_s});
    if (now_s - pair.bandwidth_at_s <= settings_.keep_s) {
      bandwidth.push_back({pair.a, pair.b, pair.bandwidth_Bps.value(), pair.bandwidth_at_s});
      peak = std::max(peak, pair.peak_bandwidth_Bps);
    }
  }
  if (latency.empty() && bandwidth.empty()) return {};
  const Fit lt(*this, std::move(latency), false), bw(*this, std::move(bandwidth), true);

  const std::size_t nodes = switches_.leaf_of_node.size();
  const bool single = nodes <= static_cast<std::size_t>(settings_.all_pairs_nodes);
  const std::size_t groups = single ? nodes : static_cast<std::size_t>(switches_.leaves);
  std::vector<std::int32_t> group_of_node;
  for (std::size_t i = 0; i < nodes; ++i)
    group_of_node.push_back(single ? static_cast<std::int32_t>(i) : switches_.leaf_of_node[i]);
  PairArrays arrays(static_cast<std::int32_t>(groups), std::move(group_of_node));
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t h = g; h < groups; ++h) {
      if (single && g == h) continue;
      const auto a = static_cast<std::int32_t>(g), b = static_cast<std::int32_t>(h);
      const PairForecast l = single ? forecast_pair(lt, a, b, now_s) : forecast_leaves(lt, a, b, now_s);
      const PairForecast w = single ? forecast_pair(bw, a, b, now_s) : forecast_leaves(bw, a, b, now_s);
      const double age_s = std::isnan(w.age_s) || l.age_s > w.age_s ? l.age_s : w.age_s;
      arrays.set(a, b,
                 {told_us(l.value), told_Bps(w.value), told_Bps(w.peak_Bps >= w.value ? w.peak_Bps : w.value),
                  std::max(l.source, w.source),  // the less certain of the two sources
                  static_cast<float>(std::max(0.0, age_s))});
      if (const Pair* const pair = single ? find(a, b) : nullptr) arrays.set_forecast(a, b, forecast_of(*pair, now_s));
    }
  for (std::size_t i = 0; i < nodes && !single; ++i) {
    arrays.node_latency_us.push_back(told_us(lt.of_node[i]));
    // A node without a bound gets the largest bandwidth of all pairs.
    if (!bw.samples.empty()) arrays.node_bandwidth_Bps.push_back(told_Bps(std::min(bw.of_node[i], peak)));
  }
  return pair_table(std::move(arrays));
}

}  // namespace placement::monitor
