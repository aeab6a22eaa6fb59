// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/util/tournament.hpp"

namespace placement::monitor {

enum class Measurement : std::uint8_t { latency, bandwidth };

struct ScheduleSettings {
  double latency_period_s = 60;
  double bandwidth_period_s = 300;
  // Least length of a round. A probe has to end, and its result to arrive, before its nodes meet others.
  double latency_round_s = 0.5;
  double bandwidth_round_s = 2;
  double bandwidth_probe_s = 0.25;     // time for a packet train and its answer, on a link of 10 Mbit/s
  double longest_round_s = 55;         // a probe that would end later moves to another round, because leases are short
  std::int32_t all_pairs_nodes = 128;  // up to this number of nodes all pairs are measured
  std::int32_t random_peers =
      2;  // with more nodes: random partners per node and period, in addition to one on its leaf switch
  std::int32_t pairs_at_once = 256;  // a round with more pairs is divided into several
  std::uint64_t seed = 1;
};

// Decides which pairs are measured at what time. With up to all_pairs_nodes nodes, a period is one tournament of all
// nodes. A larger cluster has a tournament of one node per leaf switch, rounds of random pairs, and a round within leaf
// switches. Random choices are kept for an hour. Pairs that would share an uplink measure bandwidth one after another.
// Only one round runs at a time, so that no node is in two probes at once. A round that is too long for a lease
// continues in another round. If the rounds take longer than the period, the period becomes longer.
class ProbeSchedule {
 public:
  // `leaf_of_node` is the leaf switch of each node, from 0. It is 0 for all nodes when the switches are not known.
  ProbeSchedule(std::span<const std::int32_t> leaf_of_node, const ScheduleSettings& settings);

  struct Round {
    Measurement measurement = Measurement::latency;
    std::vector<ProbePair> pairs;  // only of usable nodes
    std::vector<double> start_s;   // of each pair, since the beginning of the round
    double lasts_s = 0;            // the leases end then, and no other round begins before
  };
  // Returns the next round if one is due, else a round without pairs. `usable` has one entry per node: whether it can
  // be probed now. `now_s` must never be less than in the call before.
  Round next(double now_s, const std::vector<bool>& usable);

  bool all_pairs() const { return all_pairs_; }  // there are at most all_pairs_nodes nodes
  // Returns the least length of a period with all nodes usable, in seconds.
  double period_s(Measurement measurement) const;

 private:
  struct Track {  // the schedule of one measurement
    Measurement measurement;
    double period_s, least_s;
    std::int64_t cycle = -1;
    double began_s = 0, next_s = 0, every_s = 0;
    std::vector<std::vector<ProbePair>> rounds;  // of this cycle; used only with more than all_pairs_nodes nodes
    std::size_t at = 0, count = 0;
    std::vector<ProbePair> rest;  // pairs of the last round for which there was no time

    bool over() const { return at >= count && rest.empty(); }
  };
  void begin_cycle(Track& track, double now_s, const std::vector<bool>& usable);
  std::vector<std::vector<ProbePair>> sampled_rounds(const Track& track, const std::vector<bool>& usable) const;
  double cycle_s(const Track& track) const;
  std::vector<ProbePair> next_pairs(Track& track) const;
  void place_pairs(const std::vector<ProbePair>& pairs, Round& round, std::vector<ProbePair>& rest) const;

  ScheduleSettings settings_;
  std::vector<std::int32_t> leaf_;
  std::vector<std::vector<std::int32_t>> members_;  // nodes of each leaf switch
  bool all_pairs_;
  Track latency_, bandwidth_;
  double busy_until_s_;
};

}  // namespace placement::monitor
