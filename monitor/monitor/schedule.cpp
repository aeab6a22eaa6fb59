// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/util/random.hpp"

namespace placement::monitor {

constexpr double same_peers_s = 3600;

// Pairs neighbours in the list. If the number is odd, the last one rests.
static void pair_up(const std::vector<std::int32_t>& list, std::vector<ProbePair>& pairs) {
  for (std::size_t i = 0; i + 1 < list.size(); i += 2) pairs.push_back(ordered_pair(list[i], list[i + 1]));
}

ProbeSchedule::ProbeSchedule(std::span<const std::int32_t> leaf_of_node, const ScheduleSettings& settings)
    : settings_(settings),
      leaf_(leaf_of_node.begin(), leaf_of_node.end()),
      all_pairs_(static_cast<std::int32_t>(leaf_.size()) <= settings.all_pairs_nodes),
      latency_{Measurement::latency, settings.latency_period_s, settings.latency_round_s, -1, 0, 0, 0, {}, 0, 0, {}},
      bandwidth_{
          Measurement::bandwidth, settings.bandwidth_period_s, settings.bandwidth_round_s, -1, 0, 0, 0, {}, 0, 0, {}},
      busy_until_s_(-std::numeric_limits<double>::infinity()) {
  std::int32_t leaves = 0;
  for (const std::int32_t leaf : leaf_) leaves = std::max(leaves, leaf + 1);
  members_.resize(static_cast<std::size_t>(leaves));
  for (std::size_t i = 0; i < leaf_.size(); ++i) members_[leaf_[i]].push_back(static_cast<std::int32_t>(i));
}

// Computes the length of one cycle. A round in which pairs wait for uplinks is far longer than the least length.
double ProbeSchedule::cycle_s(const Track& track) const {
  const auto nodes = static_cast<std::int32_t>(leaf_.size());
  std::vector<std::vector<ProbePair>> sampled;
  if (!all_pairs_) sampled = sampled_rounds(track, std::vector<bool>(leaf_.size(), true));
  const std::size_t rounds = all_pairs_ ? static_cast<std::size_t>(tournament_rounds(nodes)) : sampled.size();
  double sum_s = 0;
  for (std::size_t at = 0; at < rounds; ++at) {
    std::vector<ProbePair> pairs = all_pairs_ ? tournament_round(nodes, static_cast<std::int32_t>(at)) : sampled[at];
    while (!pairs.empty()) {
      Round round{track.measurement, {}, {}, track.least_s};
      std::vector<ProbePair> rest;
      place_pairs(pairs, round, rest);
      sum_s += round.lasts_s;
      pairs = std::move(rest);
    }
  }
  return sum_s;
}

double ProbeSchedule::period_s(Measurement measurement) const {
  const Track& track = measurement == Measurement::latency ? latency_ : bandwidth_;
  // The two measurements share the time.
  const double need = cycle_s(latency_) / latency_.period_s + cycle_s(bandwidth_) / bandwidth_.period_s;
  return track.period_s * std::max(1.0, need);
}

std::vector<std::vector<ProbePair>> ProbeSchedule::sampled_rounds(const Track& track,
                                                                  const std::vector<bool>& usable) const {
  // The pairs stay for an hour, so that each gets a series of values and few pairs have to be remembered.
  Random random(settings_.seed ^ static_cast<std::uint64_t>(std::floor(track.began_s / same_peers_s)) << 8);
  std::vector<std::vector<ProbePair>> rounds;
  const auto add = [&rounds, this](const std::vector<ProbePair>& pairs) {
    for (std::size_t from = 0; from < pairs.size(); from += static_cast<std::size_t>(settings_.pairs_at_once)) {
      const std::size_t to = std::min(pairs.size(), from + static_cast<std::size_t>(settings_.pairs_at_once));
      rounds.emplace_back(pairs.begin() + from, pairs.begin() + to);
    }
  };
  std::vector<std::int32_t> representatives, everybody;
  std::vector<ProbePair> within;
  // The choice includes nodes that are away. Otherwise a node that leaves or returns would change all pairs.
  for (const std::vector<std::int32_t>& members : members_) {
    std::vector<std::int32_t> list = members;
    random.shuffle(list);
    const auto there = std::ranges::find_if(list, [&usable](std::int32_t node) { return usable[node]; });
    if (!list.empty()) representatives.push_back(there != list.end() ? *there : list.front());
    everybody.insert(everybody.end(), list.begin(), list.end());
    pair_up(list, within);
  }
  const auto leaves = static_cast<std::int32_t>(representatives.size());
  for (std::int32_t r = 0; r < tournament_rounds(leaves); ++r) {
    std::vector<ProbePair> pairs = tournament_round(leaves, r);
    for (ProbePair& pair : pairs) pair = ordered_pair(representatives[pair.a], representatives[pair.b]);
    add(pairs);
  }
  add(within);
  for (std::int32_t i = 0; i < settings_.random_peers; ++i) {
    random.shuffle(everybody);
    std::vector<ProbePair> pairs;
    pair_up(everybody, pairs);
    add(pairs);
  }
  return rounds;
}

void ProbeSchedule::begin_cycle(Track& track, double now_s, const std::vector<bool>& usable) {
  // Rounds that were missed, by a pause or by long rounds, are not made up for.
  track.began_s = track.cycle < 0 ? now_s : std::max(track.began_s + track.period_s, now_s);
  track.next_s = track.began_s;
  ++track.cycle;
  track.at = 0;
  if (all_pairs_) {
    track.count = static_cast<std::size_t>(tournament_rounds(static_cast<std::int32_t>(leaf_.size())));
  } else {
    track.rounds = sampled_rounds(track, usable);
    track.count = track.rounds.size();
  }
  track.every_s = std::max(track.least_s, track.period_s / static_cast<double>(std::max<std::size_t>(track.count, 1)));
}

// Puts pairs into the round with their start times. Pairs for which the round would become too long go into `rest`.
void ProbeSchedule::place_pairs(const std::vector<ProbePair>& pairs, Round& round, std::vector<ProbePair>& rest) const {
  const double probe_s = round.measurement == Measurement::bandwidth ? settings_.bandwidth_probe_s : 0;
  const double latest_s = settings_.longest_round_s - round.lasts_s;
  std::vector<double> free_s(members_.size(), 0);  // when the uplink of each leaf switch becomes free
  double longer_s = 0;
  for (const ProbePair& pair : pairs) {
    double& a = free_s[leaf_[pair.a]];
    double& b = free_s[leaf_[pair.b]];
    const double start_s = &a != &b ? std::max(a, b) : 0;
    if (start_s > 0 && start_s > latest_s) {  // the first pair is always taken
      rest.push_back(pair);
      continue;
    }
    if (&a != &b) a = b = start_s + probe_s;
    longer_s = std::max(longer_s, start_s);
    round.pairs.push_back(pair);
    round.start_s.push_back(start_s);
  }
  round.lasts_s += longer_s;
}

// Returns the pairs of the next round. Pairs that were left over do not count as a step of the cycle.
std::vector<ProbePair> ProbeSchedule::next_pairs(Track& track) const {
  if (!track.rest.empty()) return std::exchange(track.rest, {});
  const std::size_t at = track.at++;
  track.next_s += track.every_s;
  return all_pairs_ ? tournament_round(static_cast<std::int32_t>(leaf_.size()), static_cast<std::int32_t>(at))
                    : track.rounds[at];
}

ProbeSchedule::Round ProbeSchedule::next(double now_s, const std::vector<bool>& usable) {
  if (now_s < busy_until_s_) return {};
  for (Track* track : {&bandwidth_, &latency_})
    if (track->over() && (track->cycle < 0 || now_s >= track->began_s + track->period_s))
      begin_cycle(*track, now_s, usable);
  for (;;) {
    // When there is too little time for both, the measurement that is further behind its pace comes first.
    Track* due = nullptr;
    double lateness = 0;
    for (Track* track : {&bandwidth_, &latency_})
      if (!track->over() && now_s >= track->next_s)
        if (const double late = (now_s - track->next_s) / track->every_s; !due || late > lateness) {
          due = track;
          lateness = late;
        }
    if (!due) return {};
    std::vector<ProbePair> pairs = next_pairs(*due);
    std::erase_if(pairs, [&usable](const ProbePair& pair) { return !usable[pair.a] || !usable[pair.b]; });
    if (pairs.empty()) continue;  // an empty round takes no time
    Round round{due->measurement, {}, {}, due->least_s};
    place_pairs(pairs, round, due->rest);
    busy_until_s_ = now_s + round.lasts_s;
    return round;
  }
}

}  // namespace placement::monitor
