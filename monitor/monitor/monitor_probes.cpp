// SPDX-License-Identifier: GPL-2.0-or-later
// Gives leases for probes and takes their results.
#include <algorithm>
#include <tuple>

#include "monitor/agent/probe.hpp"
#include "monitor/monitor/monitor.hpp"
#include "monitor/protocol/probe_limits.hpp"

namespace placement::monitor {

namespace {

constexpr std::int32_t start_in_ms = 30; // the responder must have its lease before the initiator starts
static_assert(ScheduleSettings{}.longest_round_s * 1000 <= protocol::max_lease_ms);

}  // namespace

void Monitor::probe(double now_s) {
  if (!publisher_.publishing()) return;
  std::vector<bool> usable(names_.size());
  for (std::int32_t i = 0; i < watch_.nodes(); ++i) {
    const protocol::Heartbeat& beat = watch_.last_beat(i);
    usable[static_cast<std::size_t>(i)] = watch_.usable(i) &&
                                          (beat.flags & (protocol::probes_refused | protocol::leaving)) == 0 &&
                                          beat.probe_address.port != 0 && sessions_.established(i);
  }
  bulk_.begin_round();
  const ProbeSchedule::Round round =
      schedule_.next(now_s, usable, [this, now_s](const ProbePair& pair) { return bulk_stream(pair, now_s); });
  for (std::size_t k = 0; k < round.pairs.size(); ++k) lease(round, k, now_s);
}

// Returns whether a node has no jobs and little load and traffic, by its last heartbeat and slurmctld's list of jobs.
// The agent checks this again when the lease arrives.
bool Monitor::idle(std::int32_t node) const {
  const protocol::Heartbeat& beat = watch_.last_beat(node);
  return (beat.flags & protocol::jobs_running) == 0 && watch_.jobs(node).empty() &&
         protocol::little_loaded(beat.state.cpu_utilisation.minutes_1, beat.state.flow_rate_Bps.minutes_1,
                                 beat.link_Bps);
}

BulkStream Monitor::bulk_stream(const ProbePair& pair, double now_s) {
  const PairModel::Pair* const known = pairs_.find(pair.a, pair.b);
  if (!known || !idle(pair.a) || !idle(pair.b)) return {};
  const double budget_Bpm = std::min(protocol::probe_budget_Bpm(settings_.config, watch_.last_beat(pair.a).link_Bps),
                                     protocol::probe_budget_Bpm(settings_.config, watch_.last_beat(pair.b).link_Bps));
  return bulk_.take(pair, known->bandwidth_Bps.value(), budget_Bpm, now_s);
}

void Monitor::lease(const ProbeSchedule::Round& round, std::size_t which, double now_s) {
  const ProbePair& pair = round.pairs[which];
  protocol::ProbeLease lease;
  lease.id = protocol::random_u64();
  lease.term = publisher_.term(now_s).term;
  protocol::fill_random(lease.key);
  const bool latency = round.measurement == Measurement::latency;
  const BulkStream bulk = round.bulk[which];
  lease.kind = latency            ? protocol::ProbeKind::latency
               : bulk.packets > 0 ? protocol::ProbeKind::bulk
                                  : protocol::ProbeKind::train;
  lease.packets = latency ? agent::usual_latency_packets : bulk.packets > 0 ? bulk.packets : agent::usual_train_packets;
  lease.packet_bytes = latency ? agent::usual_latency_bytes : static_cast<std::uint16_t>(protocol::max_datagram);
  // The answers and reports in the other direction need room, and a lost packet may be sent again.
  lease.max_bytes = std::uint64_t{lease.packets} * lease.packet_bytes * 2 + 8192;
  lease.expires_in_ms = static_cast<std::uint32_t>(round.lasts_s * 1000) - 20;
  // The direction is chosen at random, so that both directions are measured.
  const bool turned = (lease.id & 1) != 0;
  const std::int32_t initiator = turned ? pair.b : pair.a, responder = turned ? pair.a : pair.b;
  leases_[lease.id] = {initiator, responder, round.measurement, bulk.packets > 0, now_s + round.lasts_s};
  for (const auto& [to, other, role] : {std::tuple(responder, initiator, protocol::ProbeRole::responder),
                                        std::tuple(initiator, responder, protocol::ProbeRole::initiator)}) {
    lease.role = role;
    lease.peer = names_[static_cast<std::size_t>(other)];
    lease.peer_address = watch_.last_beat(other).probe_address;
    if (lease.peer_address.ip == protocol::NetAddress{}.ip) lease.peer_address.ip = sessions_.address(other).ip;
    lease.start_in_ms = role == protocol::ProbeRole::initiator
                            ? start_in_ms + static_cast<std::uint32_t>(round.start_s[which] * 1000)
                            : 0;
    socket_.send(sessions_.seal(to, protocol::encode(lease)), sessions_.address(to));
  }
  ++leases_given_;
  bulk_leases_ += bulk.packets > 0;
}

void Monitor::take_result(std::int32_t node, const protocol::ProbeResult& result, double now_s) {
  const auto found = leases_.find(result.lease);
  if (found == leases_.end() || found->second.a != node) return;
  ++outcomes_[static_cast<std::size_t>(result.outcome)];
  if (result.outcome != protocol::ProbeOutcome::measured) return;
  const Lease lease = found->second;
  leases_.erase(found);
  if (now_s > lease.until_s + 2) return;
  bulk_results_ += lease.bulk;
  const double value = lease.measurement == Measurement::latency ? result.median_latency_us : result.bandwidth_Bps;
  pairs_.add(lease.a, lease.b, lease.measurement, value, now_s);
  measured_.push_back({lease.a, lease.b, lease.measurement, value});
}

}  // namespace placement::monitor
