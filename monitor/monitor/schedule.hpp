// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace placement {

struct ProbePair {
  std::int32_t a = 0;
  std::int32_t b = 0;

  bool operator==(const ProbePair&) const = default;
};

// One round of a tournament in which each of n meets each other once [NLA §8]: n - 1 rounds for an even
// n, n for an odd one, in which one rests. The pairs of a round are disjoint, a < b.
std::int32_t tournament_rounds(std::int32_t n);
std::vector<ProbePair> tournament_round(std::int32_t n, std::int32_t round);

enum class Measurement : std::uint8_t { latency, bandwidth };

// A pair's bandwidth is measured by so many packets, and that takes so much longer than a train.
struct BulkStream {
  std::uint16_t packets = 0;  // 0: a packet train
  double lasts_s = 0;         // at most longest_bulk_s
};
inline constexpr double longest_bulk_s = 2.2;

struct ScheduleSettings {
  double latency_period_s = 60;
  double bandwidth_period_s = 300;
  // No round is shorter: a probe has to end, and its result to arrive, before its nodes meet others.
  double latency_round_s = 0.5;
  double bandwidth_round_s = 2;
  double bandwidth_probe_s = 0.25;      // a packet train and its answer, on a link of 10 Mbit/s
  double longest_round_s = 55;          // what would end later waits for a further round: leases are short
  std::int32_t all_pairs_nodes = 128;   // up to so many nodes all pairs are measured
  std::int32_t random_peers = 2;        // beyond: per node and period, besides one within its leaf
  std::int32_t pairs_at_once = 256;     // more pairs of a round are spread over several
  std::uint64_t seed = 1;
};

// Which pairs are to be measured when. With few nodes a period is one tournament of all. Beyond
// all_pairs_nodes a period is: a tournament of one node of each leaf switch; rounds in which the nodes
// are paired at random; a round in which they are paired within their leaf. What is drawn at random
// stays for an hour.
// Pairs of a round whose nodes are on different leaf switches measure bandwidth one after another where they
// would share a leaf's uplink: together they would find it half as wide. A bulk stream makes its round longer; a
// round that would be too long for a lease is continued by another.
// Only one round is under way at a time, of whichever measurement, so that no node is in two probes at
// once. Periods that are too short for their rounds are stretched.
class ProbeSchedule {
 public:
  // leaf_of_node: 0, 1, .. per node; all 0 when nothing is known of switches.
  ProbeSchedule(std::span<const std::int32_t> leaf_of_node, const ScheduleSettings& settings);

  struct Round {
    Measurement measurement = Measurement::latency;
    std::vector<ProbePair> pairs;  // between usable nodes alone
    std::vector<double> start_s;   // of each pair, from the round's begin
    std::vector<BulkStream> bulk;  // of each pair; no packets with latency
    double lasts_s = 0;            // leases end then, and no other round begins before
  };
  // The next round if one is due, else one without pairs. usable: one per node, whether it can be
  // probed now. Called with a clock that does not run backwards. `bulk` is asked for each pair of a round
  // that measures bandwidth, once.
  using AskBulk = std::function<BulkStream(ProbePair)>;
  Round next(double now_s, const std::vector<bool>& usable, const AskBulk& bulk = {});

  bool all_pairs() const { return all_pairs_; }
  // How long a period takes at least when all nodes are there and no bulk stream is sent.
  double period_s(Measurement measurement) const;

 private:
  struct Track {  // of one measurement
    Measurement measurement;
    double period_s, least_s;
    std::int64_t cycle = -1;
    double began_s = 0, next_s = 0, every_s = 0;
    std::vector<std::vector<ProbePair>> rounds;  // of this cycle, beyond all_pairs_nodes
    std::size_t at = 0, count = 0;
    std::vector<ProbePair> rest;  // of the last round: what there was no time for

    bool over() const { return at >= count && rest.empty(); }
  };
  void begin_cycle(Track& track, double now_s, const std::vector<bool>& usable);
  std::vector<std::vector<ProbePair>> sampled_rounds(const Track& track, const std::vector<bool>& usable) const;
  std::size_t rounds_in_cycle() const;
  double cycle_s(const Track& track) const;
  std::vector<ProbePair> next_pairs(Track& track) const;
  void place_pairs(const std::vector<ProbePair>& pairs, const AskBulk& bulk, Round& round,
                   std::vector<ProbePair>& rest) const;
  double every_s(const Track& track, std::size_t rounds) const;

  ScheduleSettings settings_;
  std::vector<std::int32_t> leaf_;
  std::vector<std::vector<std::int32_t>> members_;  // of each leaf
  bool all_pairs_;
  Track latency_, bandwidth_;
  double busy_until_s_;
};

}  // namespace placement
