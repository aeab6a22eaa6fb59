// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/outage.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "common/util/error.hpp"

namespace placement::monitor {

namespace {

constexpr std::int64_t slots_of_day = 24;

// Returns the probability of an outage within this number of slots.
double over_slots(double slot_probability, double slots) {
  return -std::expm1(slots * std::log1p(-std::clamp(slot_probability, 0.0, 1.0 - 1e-12)));
}

}  // namespace

OutageEstimator::OutageEstimator(std::int32_t nodes, std::string_view name, const OutageSettings& settings)
    : settings_(settings),
      aged_(static_cast<std::size_t>(nodes)) {
  if (name == "beta")
    kind_ = Kind::beta;
  else if (name == "moving-average")
    kind_ = Kind::moving_average;
  else if (name == "weighted-moving-average")
    kind_ = Kind::weighted_moving_average;
  else
    throw Error("there is no outage estimator '" + std::string(name) +
                "': beta, moving-average or weighted-moving-average");
}

void OutageEstimator::see(std::span<const SlotSeen> slot) {
  const double keep = std::exp2(-outage_slot_s / settings_.half_life_s);
  if (kind_ == Kind::moving_average && slots_seen_++ % slots_of_day == 0) {
    days_.emplace_back(aged_.size());
    if (days_.size() > settings_.window_days) days_.pop_front();
  }
  for (std::size_t i = 0; i < slot.size(); ++i) {
    aged_[i] = {keep * aged_[i].outages, keep * aged_[i].slots};
    aged_[i].add(slot[i]);
    if (!days_.empty()) days_.back()[i].add(slot[i]);
    all_nodes_.add(slot[i]);
  }
}

OutageEstimator::Sums OutageEstimator::of_node(std::size_t node) const {
  if (kind_ != Kind::moving_average) return aged_[node];
  Sums sums;
  for (const std::vector<Sums>& day : days_) {
    sums.outages += day[node].outages;
    sums.slots += day[node].slots;
  }
  return sums;
}

double OutageEstimator::all_nodes_rate(const Sums& all) const {
  const double prior = 0.5;
  return (prior + all.outages) / (prior * settings_.first_guess_s / outage_slot_s + all.slots);
}

std::vector<double> OutageEstimator::probabilities(std::span<const SlotSeen> open, double horizon_s) const {
  Sums all = all_nodes_;
  for (const SlotSeen& seen : open) all.add(seen);
  const double rate = all_nodes_rate(all), prior = settings_.prior_outages;
  std::vector<double> result;
  for (std::size_t i = 0; i < open.size(); ++i) {
    Sums node = of_node(i);
    node.add(open[i]);
    double slot_probability = rate;
    if (kind_ != Kind::beta)
      slot_probability = node.outages / std::max(node.slots, 1.0);
    else if (all.outages > 0)
      slot_probability = (prior + node.outages) / (prior / rate + node.slots);
    result.push_back(over_slots(std::min(1.0, slot_probability), horizon_s / outage_slot_s));
  }
  return result;
}

void for_each_slot(std::span<const std::string> names, std::span<const SpanRecord> spans,
                   std::span<const OutageRecord> outages, double begin_s, double end_s,
                   const std::function<void(std::span<const SlotSeen>)>& call) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < names.size(); ++i) index.emplace(names[i], i);
  // A time of one node, for sorting: a span, or the beginning of an outage.
  struct Piece {
    double began_s, ended_s;
    std::size_t node;
  };
  std::vector<Piece> pieces, failures;
  for (const SpanRecord& span : spans)
    if (const auto found = index.find(span.node); found != index.end())
      pieces.push_back({span.began_at_s, span.ended_at_s, found->second});
  for (const OutageRecord& outage : outages)
    if (const auto found = index.find(outage.node); found != index.end() && outage.counted)
      failures.push_back({outage.began_at_s, outage.began_at_s, found->second});
  const auto earlier = [](const Piece& a, const Piece& b) { return a.began_s < b.began_s; };
  std::stable_sort(pieces.begin(), pieces.end(), earlier);
  std::stable_sort(failures.begin(), failures.end(), earlier);

  std::vector<SlotSeen> slot(names.size());
  std::vector<Piece> open;  // pieces that reach into the present slot
  std::size_t next = 0, next_failure = 0;
  for (; next_failure < failures.size() && failures[next_failure].began_s < begin_s; ++next_failure) continue;
  for (double from = begin_s; from + outage_slot_s <= end_s; from += outage_slot_s) {
    const double to = from + outage_slot_s;
    std::fill(slot.begin(), slot.end(), SlotSeen{});
    for (; next < pieces.size() && pieces[next].began_s < to; ++next) open.push_back(pieces[next]);
    std::erase_if(open, [from](const Piece& piece) { return piece.ended_s <= from; });
    for (const Piece& piece : open)
      slot[piece.node].share +=
          std::max(0.0, std::min(piece.ended_s, to) - std::max(piece.began_s, from)) / outage_slot_s;
    for (; next_failure < failures.size() && failures[next_failure].began_s < to; ++next_failure)
      slot[failures[next_failure].node] = {1, slot[failures[next_failure].node].outages + 1};
    for (SlotSeen& seen : slot) seen.share = std::min(seen.share, 1.0);
    call(slot);
  }
}

}  // namespace placement::monitor
