// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/fault_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "common/state/outage_file.hpp"
#include "common/util/median.hpp"

namespace placement::tofa {

namespace {

constexpr double share_of_busiest_link = 0.25;  // its share of the communication time; hop-bytes have the rest
constexpr double published_outage = 0.02;       // from this outage probability on, a link weighs 100 more

double median_or_0(std::vector<double> values) { return values.empty() ? 0 : upper_median(std::span(values)); }

}  // namespace

void AnyFailure::add(double probability) {
  const double p = std::clamp(probability, 0.0, 1.0);
  surely_ = surely_ || p == 1.0;
  hazard_ += p == 1.0 ? certain : std::min(certain, -std::log1p(-p));
}

double AnyFailure::probability() const { return surely_ ? 1.0 : -std::expm1(-hazard_); }

Assessment assess(const TorusTopology& torus, const CommMatrix& matrix, std::span<const std::int32_t> position,
                  std::span<const double> outage, const RouteFaults* faults) {
  Assessment result;
  std::vector<char> touched(torus.positions(), 0);
  std::vector<Cost> load(torus.links(), 0);
  for (const std::int32_t at : position) touched[at] = 1;
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    const auto partners = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    for (std::size_t k = 0; k < partners.size(); ++k) {  // each pair twice, once each way
      const std::int32_t from = position[rank];
      const std::int32_t to = position[partners[k]];
      std::int32_t hops = 0;
      torus.walk(from, to, [&](std::int32_t link, std::int32_t next) {
        touched[next] = 1;
        load[link] += weights[k];
        ++hops;
      });
      if (partners[k] > rank) result.hop_bytes += static_cast<Cost>(weights[k]) * hops;
      if (faults) result.weighted_twice += static_cast<Cost>(weights[k]) * faults->weight(from, to);
    }
  }
  for (const Cost l : load) result.link_load_twice = std::max(result.link_load_twice, l);
  if (!faults) result.weighted_twice = 2 * result.hop_bytes;
  AnyFailure failure;
  for (std::size_t at = 0; at < touched.size(); ++at) {
    if (!touched[at]) continue;
    ++result.nodes_touched;
    if (outage.empty() || !(outage[at] > 0)) continue;
    ++result.suspects_touched;
    failure.add(outage[at]);
  }
  result.abort_probability = failure.probability();
  result.hazard = failure.hazard();
  return result;
}

Cost hop_bytes(const TorusTopology& torus, const CommMatrix& matrix, std::span<const std::int32_t> position) {
  Cost cost = 0;
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    const auto partners = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    for (std::size_t k = 0; k < partners.size(); ++k)
      if (partners[k] > rank)
        cost += static_cast<Cost>(weights[k]) * torus.distance(position[rank], position[partners[k]]);
  }
  return cost;
}

double expected_seconds(double job_seconds, double abort_probability) {
  if (abort_probability >= 1) return std::numeric_limits<double>::infinity();
  return job_seconds / (1 - abort_probability);
}

FaultModel::FaultModel(const ClusterView& view, double job_seconds) {
  std::unordered_map<std::string_view, double> live;
  if (!view.outages && view.live && view.torus) {
    for (const NodeState& state : view.live->nodes) {
      const double outage = outage_of(state, view.live->outage_horizon_s, job_seconds);
      if (outage != 0) live.emplace(state.name, outage);
    }
  }
  for (const NodeView& node : view.nodes) {
    double outage = 0;
    if (view.outages)
      outage = view.outages->of(node.name);
    else if (view.live && node.state >= 0 && static_cast<std::size_t>(node.state) < view.live->nodes.size())
      outage = outage_of(view.live->nodes[node.state], view.live->outage_horizon_s, job_seconds);
    node_outage_.push_back(outage);
  }
  if (view.torus) {
    position_outage_.assign(view.torus->positions(), 0.0);
    std::vector<double> all;
    const bool none_fails = !view.outages && live.empty();
    for (std::int32_t node = 0; node < view.torus->nodes() && !none_fails; ++node) {
      double outage = 0;
      if (view.outages) {
        outage = view.outages->of(view.torus->name(node));
      } else if (const auto found = live.find(view.torus->name(node)); found != live.end()) {
        outage = found->second;
      }
      position_outage_[view.torus->position(node)] = outage;
      all.push_back(outage);
    }
    median_ = median_or_0(std::move(all));
    for (const double outage : position_outage_) any_suspect_ = any_suspect_ || is_suspect(outage);
  } else {
    median_ = median_or_0(node_outage_);
  }
  for (const double outage : node_outage_) any_suspect_ = any_suspect_ || is_suspect(outage);
}

RouteFaults FaultModel::route_faults(const TorusTopology& torus) const {
  std::vector<bool> suspect(torus.positions(), false);
  std::vector<std::int32_t> extra(suspect.size(), 0);
  for (std::size_t at = 0; at < suspect.size(); ++at) {
    suspect[at] = is_suspect(position_outage_[at]);
    if (suspect[at])
      extra[at] = static_cast<std::int32_t>(100 * std::min(1.0, position_outage_[at] / published_outage));
  }
  return RouteFaults(torus, std::move(suspect), extra);
}

ExpectedTimeObjective::ExpectedTimeObjective(const TorusTopology& torus, const FaultModel& fault_model,
                                             const RouteFaults& faults, const CommMatrix& matrix,
                                             std::span<const std::int32_t> reference, double communication_share)
    : torus_(torus),
      fault_model_(fault_model),
      faults_(faults.suspects() > 0 ? &faults : nullptr),
      matrix_(matrix),
      share_(communication_share) {
  reference_ = assess(reference);
  const std::vector<double>& outage = fault_model.of_positions();
  for (std::size_t at = 0; at < outage.size(); ++at) {
    if (!(outage[at] > 0)) continue;
    if (hazard_.empty()) hazard_.assign(outage.size(), 0.0);
    AnyFailure failure;
    failure.add(outage[at]);
    hazard_[at] = failure.hazard();
    may_fail_.push_back(static_cast<std::int32_t>(at));
  }
}

Assessment ExpectedTimeObjective::assess(std::span<const std::int32_t> position) const {
  return placement::tofa::assess(torus_, matrix_, position, fault_model_.of_positions(), faults_);
}

double ExpectedTimeObjective::log_expected_time(const Assessment& assessment) const {
  return log_expected_time(static_cast<double>(assessment.weighted_twice) / 2,
                           static_cast<double>(assessment.link_load_twice) / 2, assessment.hazard);
}

double ExpectedTimeObjective::log_expected_time(double weighted_hop_bytes, double link_load, double hazard) const {
  const auto ratio = [](double value, double reference) {
    return reference == 0 ? (value == 0 ? 1.0 : 2.0) : value / reference;
  };
  const double communication =
      (1 - share_of_busiest_link) * ratio(weighted_hop_bytes, static_cast<double>(reference_.hop_bytes)) +
      share_of_busiest_link * ratio(link_load, static_cast<double>(reference_.link_load_twice) / 2);
  return std::log(std::max(1e-9, 1 - share_ + share_ * communication)) + hazard;
}

}  // namespace placement::tofa
