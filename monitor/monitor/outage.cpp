// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/outage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "common/util/short_number.hpp"

namespace placement::monitor {

namespace {

// For the score, a forecast is never closer than this to 0 or 1.
constexpr double least_probability = 1e-7;

double over_slots(double slot_probability, double slots) {
  return -std::expm1(slots * std::log1p(-std::clamp(slot_probability, 0.0, 1.0 - 1e-12)));
}

// The frequency of outages over a moving window, which is kept as sums over a fixed number of parts.
class WindowEstimator : public OutageEstimator {
 public:
  WindowEstimator(std::int32_t nodes, const OutageSettings& settings)
      : slots_per_part_(std::max(1.0, std::round(settings.window_s / outage_slot_s / parts))),
        nodes_(static_cast<std::size_t>(nodes)) {}

  std::string_view name() const override { return "window"; }
  double slot_probability(std::int32_t node, double, const SlotSeen& open) const override {
    const Node& n = nodes_[static_cast<std::size_t>(node)];
    float outages = static_cast<float>(open.outages), slots = static_cast<float>(open.share);
    for (const Part& part : n.ring) {
      outages += part.outages;
      slots += part.slots;
    }
    return slots > 0 ? std::min(1.0, static_cast<double>(outages / std::max(slots, 1.0F))) : 0.0;
  }
  void see(std::int32_t node, const SlotSeen& slot) override {
    Node& n = nodes_[static_cast<std::size_t>(node)];
    if (n.age >= slots_per_part_) {
      n.age = 0;
      n.at = (n.at + 1) % parts;
      n.ring[n.at] = {};
    }
    ++n.age;
    n.ring[n.at].outages += static_cast<float>(slot.outages);
    n.ring[n.at].slots += static_cast<float>(slot.share);
  }

 private:
  static constexpr std::size_t parts = 30;
  struct Part {
    float outages = 0, slots = 0;
  };
  struct Node {
    std::array<Part, parts> ring{};
    std::size_t at = 0;
    double age = 0;
  };
  double slots_per_part_;
  std::vector<Node> nodes_;
};

// An exponentially weighted mean that starts at the rate of all nodes; each slot moves it towards what was seen.
class EwmaEstimator : public OutageEstimator {
 public:
  EwmaEstimator(std::int32_t nodes, const OutageSettings& settings)
      : keep_(std::exp2(-outage_slot_s / settings.half_life_s)),
        outages_(static_cast<std::size_t>(nodes)),
        weight_(static_cast<std::size_t>(nodes)) {}

  std::string_view name() const override { return "ewma"; }
  double slot_probability(std::int32_t node, double common_rate, const SlotSeen& open) const override {
    const auto i = static_cast<std::size_t>(node);
    const double keep = kept(open);
    return after(keep, outages_[i], open.failed()) + (1 - after(keep, weight_[i], true)) * common_rate;
  }
  void see(std::int32_t node, const SlotSeen& slot) override {
    const auto i = static_cast<std::size_t>(node);
    const double keep = kept(slot);
    outages_[i] = after(keep, outages_[i], slot.failed());
    weight_[i] = after(keep, weight_[i], true);
  }

 private:
  double kept(const SlotSeen& slot) const { return std::pow(keep_, slot.share); }  // unobserved time changes nothing
  static double after(double keep, double mean, bool seen) { return keep * mean + (1 - keep) * seen; }

  double keep_;
  std::vector<double> outages_, weight_;
};

// A Beta prior around the rate of all nodes, and the node's own slots, in which old ones count less. Each outage
// counts, so that a node that fails twice within a slot is worse than one that fails once.
class BetaEstimator : public OutageEstimator {
 public:
  BetaEstimator(std::int32_t nodes, const OutageSettings& settings)
      : keep_(std::exp2(-outage_slot_s / settings.half_life_s)),
        prior_(settings.prior_outages),
        outages_(static_cast<std::size_t>(nodes)),
        slots_(static_cast<std::size_t>(nodes)) {}

  std::string_view name() const override { return "beta"; }
  double slot_probability(std::int32_t node, double common_rate, const SlotSeen& open) const override {
    const auto i = static_cast<std::size_t>(node);
    const double slots = prior_ / std::max(common_rate, least_probability) + slots_[i] + open.share;
    return std::min(1.0, (prior_ + outages_[i] + open.outages) / slots);
  }
  void see(std::int32_t node, const SlotSeen& slot) override {
    const auto i = static_cast<std::size_t>(node);
    outages_[i] = keep_ * outages_[i] + slot.outages;
    slots_[i] = keep_ * slots_[i] + slot.share;
  }

 private:
  double keep_, prior_;
  std::vector<double> outages_, slots_;
};

}  // namespace

std::unique_ptr<OutageEstimator> make_outage_estimator(std::string_view name, std::int32_t nodes,
                                                       const OutageSettings& settings) {
  if (name == "beta") return std::make_unique<BetaEstimator>(nodes, settings);
  if (name == "ewma") return std::make_unique<EwmaEstimator>(nodes, settings);
  if (name == "window") return std::make_unique<WindowEstimator>(nodes, settings);
  throw Error("there is no outage estimator '" + std::string(name) + "': beta, ewma or window");
}

void OutageScore::add(double probability, bool failed) {
  const double p = std::clamp(probability, least_probability, 1 - least_probability);
  weight_ += 1;
  loss_ -= failed ? std::log(p) : std::log1p(-p);
  foretold_ += probability;
  seen_ += failed;
  const double decade = std::floor(std::log10(p)) + static_cast<double>(bins);
  Bin& bin = bins_[static_cast<std::size_t>(std::clamp(decade, 0.0, static_cast<double>(bins - 1)))];
  bin.weight += 1;
  bin.foretold += probability;
  bin.seen += failed;
}

double OutageScore::log_loss() const { return weight_ > 0 ? loss_ / weight_ : unknown_value; }

OutageForecasts::OutageForecasts(std::int32_t nodes, std::string_view wanted, const OutageSettings& settings)
    : settings_(settings),
      wanted_(wanted) {
  make_outage_estimator(wanted, 0, settings);  // throws when there is none
  for (const std::string_view name : outage_estimators)
    entries_.push_back({make_outage_estimator(name, nodes, settings), {}, 0, 0});
}

double OutageForecasts::rate_of(double outages, double slots) const {
  const double prior = 0.5;
  return (prior + outages) / (prior * settings_.first_guess_s / outage_slot_s + slots);
}

double OutageForecasts::all_nodes_rate() const { return rate_of(all_nodes_outages_, all_nodes_slots_); }

void OutageForecasts::see(std::span<const SlotSeen> slot) {
  const double common_rate = all_nodes_rate();
  for (std::size_t i = 0; i < slot.size(); ++i) {
    const auto node = static_cast<std::int32_t>(i);
    const SlotSeen& seen = slot[i];
    const double constant = over_slots(common_rate, seen.share);
    const double loss_of_constant =
        seen.failed() ? -std::log(std::max(constant, least_probability)) : -std::log1p(-std::min(constant, 1.0));
    if (seen.share > 0) constant_.add(constant, seen.failed());
    for (Entry& entry : entries_) {
      if (seen.share > 0) {
        const double p = std::clamp(over_slots(entry.estimator->slot_probability(node, common_rate), seen.share),
                                    least_probability, 1 - least_probability);
        const double difference = loss_of_constant + (seen.failed() ? std::log(p) : std::log1p(-p));
        entry.score.add(p, seen.failed());
        entry.difference += difference;
        entry.squares += difference * difference;
      }
      entry.estimator->see(node, seen);
    }
    all_nodes_outages_ += seen.outages;
    all_nodes_slots_ += seen.share;
  }
}

const OutageForecasts::Entry& OutageForecasts::find(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (entry.estimator->name() == name) return entry;
  throw Error("there is no outage estimator '" + std::string(name) + "': beta, ewma, window or constant");
}

double OutageForecasts::advantage(std::string_view estimator) const {
  const Entry& entry = find(estimator);
  return entry.score.weight() > 0 ? entry.difference / entry.score.weight() : 0;
}

double OutageForecasts::advantage_error(std::string_view estimator) const {
  const Entry& entry = find(estimator);
  const double n = entry.score.weight();
  if (n < 2) return std::numeric_limits<double>::infinity();
  const double mean = entry.difference / n;
  return std::sqrt(std::max(entry.squares / n - mean * mean, 0.0) / (n - 1));
}

bool OutageForecasts::better(const Entry& entry) const {
  const std::string_view name = entry.estimator->name();
  return judged() && advantage(name) > advantage_error(name);
}

std::string_view OutageForecasts::in_use(std::span<const SlotSeen> open) const {
  if (better(find(wanted_))) return wanted_;
  const Entry* best = nullptr;
  for (const Entry& entry : entries_)
    if (better(entry) && (!best || entry.difference > best->difference)) best = &entry;
  if (best) return best->estimator->name();
  return judged() || all_nodes_with(open).outages == 0 ? "constant" : "beta";
}

OutageForecasts::AllNodes OutageForecasts::all_nodes_with(std::span<const SlotSeen> open) const {
  AllNodes all_nodes{all_nodes_outages_, all_nodes_slots_};
  for (const SlotSeen& seen : open) {
    all_nodes.outages += seen.outages;
    all_nodes.slots += seen.share;
  }
  return all_nodes;
}

std::string OutageForecasts::explain(std::span<const SlotSeen> open) const {
  const std::string used(in_use(open));
  const AllNodes all_nodes = all_nodes_with(open);
  const std::string outages =
      short_number(all_nodes.outages) + " outages in " + short_number(all_nodes.slots) + " node-hours";
  if (!judged() && used != "constant")
    return used + ", until there are outages in " + std::to_string(settings_.least_outages) +
           " hours to judge estimators by: " + outages + " so far";
  if (used != "constant")
    return used + ": its log-loss is " + short_number(score(used).log_loss()) + ", the constant rate's " +
           short_number(constant_.log_loss()) + " (" + outages + ")" +
           (used == wanted_ ? "" : "; " + wanted_ + " is no better than the constant");
  if (!judged()) return "the constant rate of all nodes: only " + outages + " so far";
  return "the constant rate of all nodes: no estimator has foretold outages better (" + outages + ")";
}

OutageEstimators OutageForecasts::scores(std::span<const SlotSeen> open) const {
  OutageEstimators told;
  const std::string_view used = in_use(open);
  const auto add = [&](std::string_view name, const OutageScore& score) {
    EstimatorScore one;
    one.name = name;
    one.in_use = name == used;
    one.wanted = name == wanted_;
    one.log_loss = score.log_loss();
    one.foretold = score.foretold();
    one.calibration = score.calibration();
    if (name != "constant" && score.weight() >= 2) {
      one.advantage = advantage(name);
      one.advantage_error = advantage_error(name);
    }
    told.scores.push_back(std::move(one));
  };
  add("constant", constant_);
  for (const Entry& entry : entries_) add(entry.estimator->name(), entry.score);
  told.scored_node_hours = constant_.weight();
  told.seen_outages = constant_.seen();
  told.sentence = explain(open);
  return told;
}

double OutageForecasts::slot_probability(std::string_view estimator, std::int32_t node, double common_rate,
                                         const SlotSeen& open) const {
  return estimator == "constant" ? common_rate : find(estimator).estimator->slot_probability(node, common_rate, open);
}

double OutageForecasts::probability(std::string_view estimator, std::int32_t node, double horizon_s) const {
  return over_slots(slot_probability(estimator, node, all_nodes_rate(), {}), horizon_s / outage_slot_s);
}

std::vector<double> OutageForecasts::probabilities(std::span<const SlotSeen> open, double horizon_s) const {
  const AllNodes all = all_nodes_with(open);
  const double common_rate = rate_of(all.outages, all.slots);
  const std::string_view estimator = in_use(open);
  std::vector<double> result;
  for (std::size_t i = 0; i < open.size(); ++i)
    result.push_back(over_slots(slot_probability(estimator, static_cast<std::int32_t>(i), common_rate, open[i]),
                                horizon_s / outage_slot_s));
  return result;
}

double OutageForecasts::probability(std::int32_t node, double horizon_s) const {
  return probability(in_use(), node, horizon_s);
}

const OutageScore& OutageForecasts::score(std::string_view estimator) const {
  return estimator == "constant" ? constant_ : find(estimator).score;
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
