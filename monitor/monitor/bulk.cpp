// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/bulk.hpp"

#include <algorithm>
#include <cmath>

#include "monitor/agent/probe.hpp"

namespace placement::monitor {

namespace {

constexpr double question_s = 0.2;                         // time for the report after the stream
constexpr double longest_s = longest_bulk_s - question_s;  // longest stream, on a link that has become slower
constexpr std::size_t most_pairs = 400000;  // largest number of pairs that are remembered, as in PairModel

}  // namespace

BulkStream BulkTurns::take(ProbePair pair, double rate_Bps, double budget_Bpm, double now_s) {
  if (in_round_ >= settings_.at_once || !(rate_Bps > 0) || !(budget_Bpm > 0)) return {};
  const double most = budget_Bpm * settings_.node_pause_s / 60 * settings_.budget_share;
  const double bytes = std::min(rate_Bps * settings_.stream_s, most);
  const auto packets =
      static_cast<std::uint16_t>(std::min(std::floor(bytes / static_cast<double>(protocol::max_datagram)),
                                          static_cast<double>(protocol::max_probe_packets)));
  if (packets < 2 * agent::usual_train_packets) return {};
  const auto pause_over = [now_s](const auto& times, auto key, double pause_s) {
    const auto found = times.find(key);
    return found == times.end() || now_s - found->second >= pause_s;
  };
  const std::uint64_t key = static_cast<std::uint64_t>(pair.a) << 32 | static_cast<std::uint32_t>(pair.b);
  if (!pause_over(pair_at_s_, key, settings_.every_s) || !pause_over(node_at_s_, pair.a, settings_.node_pause_s) ||
      !pause_over(node_at_s_, pair.b, settings_.node_pause_s))
    return {};
  if (pair_at_s_.size() >= most_pairs)
    std::erase_if(pair_at_s_, [&](const auto& entry) { return now_s - entry.second >= settings_.every_s; });
  pair_at_s_[key] = node_at_s_[pair.a] = node_at_s_[pair.b] = now_s;
  ++in_round_;
  const double stream_s = static_cast<double>(packets) *
                          (static_cast<double>(protocol::max_datagram) + agent::frame_overhead_bytes) / rate_Bps;
  return {packets, std::min(2 * stream_s, longest_s) + question_s};
}

}  // namespace placement::monitor
