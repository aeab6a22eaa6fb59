// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/pair_model.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>

#include "common/util/median.hpp"

namespace placement::monitor {

namespace {

// A correction from this many values counts half, so that one unusual pair is not taken for a property of a node.
constexpr double shrinkage = 2;
// A node has a slow link when all its pairs, at least least_for_bound, are below this share of their class.
constexpr std::size_t least_for_bound = 2;
constexpr double slow_share = 0.8;
constexpr double forget_pause_s = 60;  // least time between two removals of old pairs

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

// Limits a value to the range that a snapshot accepts. A modelled value can be outside this range.
float told_us(double value) { return static_cast<float>(std::min(value, live_range::latency_us.most)); }
float told_Bps(double value) { return static_cast<float>(std::min(value, live_range::rate_Bps.most)); }

// Returns the source of a cell whose two values have the sources `a` and `b`: the less certain one.
PairSource less_certain(PairSource a, PairSource b) {
  return a == PairSource::mpi ? b : b == PairSource::mpi ? a : std::max(a, b);
}

}  // namespace

// The model of one attribute: latency, or the logarithm of bandwidth, as a sum of parts. Nodes can limit bandwidth.
struct PairModel::Fit {
  Fit(const PairModel& model, Measurement measurement, double now_s);

  // Returns the value by the model alone for a pair of leaf switches; NaN without any measurement.
  double modelled(std::int32_t leaf, std::int32_t other) const;
  const PairModel& model;
  std::vector<Sample> samples;  // the present values, ordered by a, then b
  bool logarithms;
  std::map<std::int32_t, double> classes;  // value of each hop class, as a logarithm if `logarithms`
  std::vector<double> of_leaf;
  std::vector<double> of_node;  // latency: added for each end; bandwidth: the bound, or infinite
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> cells;  // samples of each pair of leaves
  double median_at_s = unknown_value;
};

PairModel::Fit::Fit(const PairModel& m, Measurement measurement, double now_s)
    : model(m),
      samples(m.present_values(measurement, now_s)),
      logarithms(measurement == Measurement::bandwidth),
      of_leaf(static_cast<std::size_t>(m.switches_.leaves), 0.0),
      of_node(m.switches_.leaf_of_node.size(), logarithms ? std::numeric_limits<double>::infinity() : 0.0) {
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
    for (auto& [node, values] : by_node) of_node[node] = std::max(0.0, shrunk_median(values));
  } else {
    std::map<std::int32_t, double> best;
    for (const Sample& sample : samples)
      for (const std::int32_t node : {sample.a, sample.b}) best[node] = std::max(best[node], sample.value);
    for (const auto& [node, values] : by_node)
      if (values.size() >= least_for_bound && *std::ranges::max_element(values) < std::log(slow_share))
        of_node[node] = best[node];
  }

  // The rest is attributed to the switches. A pair with a slow node says nothing about them.
  std::map<std::int32_t, std::vector<double>> by_leaf;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    const double a = of_node[sample.a], b = of_node[sample.b];
    double residual = number(sample.value) - classes[model.hops(sample.a, sample.b)];
    if (logarithms) {
      if (std::isfinite(std::min(a, b)) && sample.value <= 1.1 * std::min(a, b)) continue;
    } else {
      residual -= a + b;
    }
    const std::int32_t p = model.switches_.leaf_of_node[sample.a];
    const std::int32_t q = model.switches_.leaf_of_node[sample.b];
    cells[{std::min(p, q), std::max(p, q)}].push_back(i);
    by_leaf[p].push_back(residual / 2);
    by_leaf[q].push_back(residual / 2);
  }
  for (auto& [leaf, values] : by_leaf) of_leaf[leaf] = shrunk_median(values);
}

double PairModel::Fit::modelled(std::int32_t leaf, std::int32_t other) const {
  const std::int32_t hops = model.switches_.hops_between(leaf, other);
  if (classes.empty()) return unknown_value;
  // Uses the class itself or the nearest one. If two are equally near, uses the class with more hops: it promises less.
  auto nearest = classes.begin();
  for (auto it = classes.begin(); it != classes.end(); ++it)
    if (std::abs(it->first - hops) <= std::abs(nearest->first - hops)) nearest = it;
  const double sum = nearest->second + of_leaf[leaf] + of_leaf[other];
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
  return switches_.hops_between(switches_.leaf_of_node[a], switches_.leaf_of_node[b]);
}

// Returns the pair, which may be new; null when there is no room for it.
PairModel::Pair* PairModel::pair_to_measure(std::int32_t a, std::int32_t b, double now_s) {
  if (!pairs_.contains(key_of(a, b)) && !has_room(now_s)) {
    ++dropped_;
    return nullptr;
  }
  Pair& pair = pairs_[key_of(a, b)];
  pair.a = std::min(a, b);
  pair.b = std::max(a, b);
  return &pair;
}

void PairModel::add_mpi(std::int32_t a, std::int32_t b, double latency_us, double bandwidth_Bps, double at_s,
                        double now_s) {
  Pair* const pair = pair_to_measure(a, b, now_s);
  if (pair == nullptr || pair->mpi_at_s >= at_s) return;
  pair->mpi_latency_us = latency_us;
  pair->mpi_bandwidth_Bps = bandwidth_Bps;
  pair->mpi_at_s = at_s;
}

void PairModel::add(std::int32_t a, std::int32_t b, Measurement measurement, double value, double now_s) {
  if (a == b || !(value > 0) || !range_of(measurement).has(value)) return;
  Pair* const found = pair_to_measure(a, b, now_s);
  if (found == nullptr) return;
  Pair& pair = *found;
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

const PairModel::Pair* PairModel::find(std::int32_t a, std::int32_t b) const {
  const auto found = pairs_.find(key_of(a, b));
  return found == pairs_.end() ? nullptr : &found->second;
}

void PairModel::forget_old(double now_s) {
  forgot_s_ = now_s;
  std::erase_if(pairs_, [this, now_s](const auto& entry) {
    const Pair& pair = entry.second;
    return !(now_s - pair.newest_s() <= settings_.keep_s) && !(now_s - pair.mpi_at_s <= settings_.mpi_keep_s);
  });
}

// Returns the attribute of a pair of nodes, for a table in which each node is a group.
PairModel::Sample PairModel::forecast_pair(const Fit& fit, std::int32_t a, std::int32_t b) const {
  const auto key = [](const Sample& sample) { return key_of(sample.a, sample.b); };
  const auto own = std::ranges::lower_bound(fit.samples, key_of(a, b), {}, key);
  if (own != fit.samples.end() && key(*own) == key_of(a, b)) return *own;
  Sample forecast = forecast_model(fit, switches_.leaf_of_node[a], switches_.leaf_of_node[b]);
  const double end_a = fit.of_node[a], end_b = fit.of_node[b];
  if (!fit.logarithms)
    forecast.value += end_a + end_b;
  else if (!std::isnan(forecast.value))
    forecast.value = std::min({forecast.value, end_a, end_b});
  return forecast;
}

// Returns the attribute of a pair of leaf switches: the median of their pairs of nodes, without the nodes' own parts.
PairModel::Sample PairModel::forecast_leaves(const Fit& fit, std::int32_t p, std::int32_t q) const {
  const auto cell = fit.cells.find({std::min(p, q), std::max(p, q)});
  if (cell == fit.cells.end()) return forecast_model(fit, p, q);
  std::vector<double> values, times, peaks;
  PairSource source = PairSource::mpi;  // stays so if all pairs have this source
  for (const std::size_t i : cell->second) {
    const Sample& sample = fit.samples[i];
    const double ends = fit.logarithms ? 0 : fit.of_node[sample.a] + fit.of_node[sample.b];
    values.push_back(std::max(0.0, sample.value - ends));
    times.push_back(sample.at_s);
    if (fit.logarithms) peaks.push_back(sample.peak_Bps);
    source = less_certain(source, sample.source);
  }
  return {p, q, median_if_any(values), median_if_any(times), median_if_any(peaks), source};
}

PairModel::Sample PairModel::forecast_model(const Fit& fit, std::int32_t p, std::int32_t q) const {
  const bool known = fit.samples.empty() || fit.classes.contains(switches_.hops_between(p, q));
  return {p, q, fit.modelled(p, q), fit.median_at_s, unknown_value, known ? PairSource::modelled : PairSource::assumed};
}

// Returns the present value of one attribute, by MPI if there is one, else by probes multiplied by `scale`.
PairModel::Sample PairModel::present(const Pair& pair, Measurement measurement, double scale, double now_s) const {
  const bool latency = measurement == Measurement::latency;
  const Forecast& probes = latency ? pair.latency_us : pair.bandwidth_Bps;
  const double probed_at_s = latency ? pair.latency_at_s : pair.bandwidth_at_s;
  const bool probed = now_s - probed_at_s <= settings_.keep_s;
  Sample now{pair.a, pair.b};
  if (now_s - pair.mpi_at_s <= settings_.mpi_keep_s) {
    now.value = latency ? pair.mpi_latency_us : pair.mpi_bandwidth_Bps;
    now.at_s = pair.mpi_at_s;
    now.source = PairSource::mpi;
    now.predictor = Predictor::last;
    if (probed) now.error = probes.error() / probes.value() * now.value;  // only probes show how much the pair varies
  } else if (probed) {
    now = {pair.a, pair.b, scale * probes.value(), probed_at_s, unknown_value, PairSource::measured};
    now.predictor = probes.best();
    now.error = scale * probes.error();
  }
  if (!latency) now.peak_Bps = std::fmax(scale * pair.peak_bandwidth_Bps, now.value);
  return now;
}

// Returns the median ratio of MPI values to probe values; 1 if no pair has both.
double PairModel::mpi_over_probe(Measurement measurement, double now_s) const {
  const bool latency = measurement == Measurement::latency;
  std::vector<double> ratios;
  for (const auto& [key, pair] : pairs_)
    if (now_s - pair.mpi_at_s <= settings_.mpi_keep_s &&
        now_s - (latency ? pair.latency_at_s : pair.bandwidth_at_s) <= settings_.keep_s)
      ratios.push_back(latency ? pair.mpi_latency_us / pair.latency_us.value()
                               : pair.mpi_bandwidth_Bps / pair.bandwidth_Bps.value());
  return ratios.empty() ? 1 : median(ratios);
}

// Returns the value of each pair that has a present one, ordered by a, then b.
std::vector<PairModel::Sample> PairModel::present_values(Measurement measurement, double now_s) const {
  const double scale = mpi_over_probe(measurement, now_s);
  std::vector<Sample> values;
  for (const auto& [key, pair] : pairs_)
    if (const Sample now = present(pair, measurement, scale, now_s); now.source != PairSource::none)
      values.push_back(now);
  std::ranges::sort(values, {}, [](const Sample& sample) { return key_of(sample.a, sample.b); });
  return values;
}

PairTable PairModel::table(double now_s) const {
  const Fit lt(*this, Measurement::latency, now_s), bw(*this, Measurement::bandwidth, now_s);
  if (lt.samples.empty() && bw.samples.empty()) return {};
  double peak = 0;
  for (const Sample& sample : bw.samples) peak = std::fmax(peak, sample.peak_Bps);

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
      const Sample l = single ? forecast_pair(lt, a, b) : forecast_leaves(lt, a, b);
      const Sample w = single ? forecast_pair(bw, a, b) : forecast_leaves(bw, a, b);
      const double at_s = std::isnan(w.at_s) || l.at_s < w.at_s ? l.at_s : w.at_s;
      arrays.set(a, b,
                 {told_us(l.value), told_Bps(w.value), told_Bps(w.peak_Bps >= w.value ? w.peak_Bps : w.value),
                  less_certain(l.source, w.source), static_cast<float>(std::max(0.0, now_s - at_s))});
      if (l.predictor != Predictor::none || w.predictor != Predictor::none)
        arrays.set_forecast(a, b, {l.predictor, w.predictor, told_us(l.error), told_Bps(w.error)});
    }
  for (std::size_t i = 0; i < nodes && !single; ++i) {
    arrays.node_latency_us.push_back(told_us(lt.of_node[i]));
    // A node without a bound gets the largest bandwidth of all pairs.
    if (!bw.samples.empty()) arrays.node_bandwidth_Bps.push_back(told_Bps(std::min(bw.of_node[i], peak)));
  }
  return pair_table(std::move(arrays));
}

}  // namespace placement::monitor
