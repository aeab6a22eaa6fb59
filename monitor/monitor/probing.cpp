// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/probing.hpp"

#include <algorithm>
#include <tuple>

#include "monitor/agent/probe.hpp"
#include "monitor/monitor/mpi_pairs.hpp"

namespace placement::monitor {

constexpr std::int32_t start_in_ms = 30;  // the responder must have its lease before the initiator starts
constexpr double result_delay_s = 2;      // longest time between the end of a lease and its result
static_assert(ScheduleSettings{}.longest_round_s * 1000 <= protocol::max_lease_ms);

static ScheduleSettings schedule_settings(const Config& config) {
  ScheduleSettings settings;
  settings.latency_period_s = static_cast<double>(config.probe_latency_s);
  settings.bandwidth_period_s = static_cast<double>(config.probe_bandwidth_s);
  settings.all_pairs_nodes = static_cast<std::int32_t>(config.probe_all_pairs_nodes);
  return settings;
}

// A measurement is kept for several turns of its pair, even if these are far apart.
static PairModelSettings pair_settings(const Config& config, const NodeSwitches& switches) {
  PairModelSettings settings;
  settings.all_pairs_nodes = static_cast<std::int32_t>(config.probe_all_pairs_nodes);
  const ProbeSchedule schedule(switches.leaf_of_node, schedule_settings(config));
  settings.mpi_keep_s = mpi_keep_s(config);
  settings.keep_s = std::max(settings.keep_s, 4 * schedule.period_s(Measurement::bandwidth));
  return settings;
}

Probing::Probing(const Config& config, const NodeSwitches& switches, const NodeWatch& watch, MonitorPort& port)
    : config_(config),
      watch_(watch),
      port_(port),
      pairs_(switches, pair_settings(config, switches)),
      schedule_(switches.leaf_of_node, schedule_settings(config)) {}

void Probing::take_switches(const NodeSwitches& switches) {
  if (switches == pairs_.switches()) return;
  pairs_.take_switches(switches, pair_settings(config_, switches));
  schedule_ = ProbeSchedule(switches.leaf_of_node, schedule_settings(config_));
}

bool Probing::usable(std::int32_t node) const {
  const protocol::Heartbeat& beat = watch_.last_beat(node);
  return watch_.usable(node) && (beat.flags & protocol::leaving) == 0 && beat.probe_address.port != 0 &&
         port_.sessions.established(node);
}

void Probing::give_leases(double now_s) {
  std::vector<bool> nodes(static_cast<std::size_t>(watch_.nodes()));
  for (std::int32_t i = 0; i < watch_.nodes(); ++i) nodes[i] = usable(i);
  const ProbeSchedule::Round round = schedule_.next(now_s, nodes);
  for (std::size_t k = 0; k < round.pairs.size(); ++k) give_lease(round, k, now_s);
}

void Probing::drop_old_leases(double now_s) {
  std::erase_if(leases_, [&](const auto& entry) { return now_s > entry.second.until_s + result_delay_s; });
}

void Probing::give_lease(const ProbeSchedule::Round& round, std::size_t which, double now_s) {
  const ProbePair& pair = round.pairs[which];
  protocol::ProbeLease lease;
  lease.id = protocol::random_u64();
  protocol::fill_random(lease.key);
  const bool latency = round.measurement == Measurement::latency;
  lease.kind = latency ? protocol::ProbeKind::latency : protocol::ProbeKind::train;
  lease.packets = latency ? agent::usual_latency_packets : agent::usual_train_packets;
  lease.packet_bytes = latency ? agent::usual_latency_bytes : static_cast<std::uint16_t>(protocol::max_datagram);
  lease.expires_in_ms = static_cast<std::uint32_t>(round.lasts_s * 1000) - 20;
  // The direction is chosen at random, so that both directions are measured.
  const bool turned = (lease.id & 1) != 0;
  const std::int32_t initiator = turned ? pair.b : pair.a, responder = turned ? pair.a : pair.b;
  leases_[lease.id] = {initiator, responder, round.measurement, now_s + round.lasts_s};
  for (const auto& [to, other, role] : {std::tuple(responder, initiator, protocol::ProbeRole::responder),
                                        std::tuple(initiator, responder, protocol::ProbeRole::initiator)}) {
    lease.role = role;
    lease.peer = watch_.name(other);
    lease.peer_address = watch_.last_beat(other).probe_address;
    if (lease.peer_address.ip == protocol::NetAddress{}.ip) lease.peer_address.ip = port_.sessions.address(other).ip;
    lease.start_in_ms = role == protocol::ProbeRole::initiator
                            ? start_in_ms + static_cast<std::uint32_t>(round.start_s[which] * 1000)
                            : 0;
    port_.send(to, protocol::encode(lease));
  }
  ++counts_.leases;
}

void Probing::take_measurement(std::int32_t node, const protocol::ProbeResult& result, double now_s) {
  const bool latency = result.kind == protocol::ProbeKind::latency;
  if (const auto peer = watch_.index(result.peer))
    pairs_.add(node, *peer, latency ? Measurement::latency : Measurement::bandwidth,
               latency ? result.median_latency_us : result.bandwidth_Bps, now_s);
}

void Probing::take_mpi_pairs(std::span<const MeasuredPair> pairs, Moment now) {
  for (const MeasuredPair& pair : pairs) {
    if (!is_present(pair, now.wall_s, mpi_keep_s(config_))) continue;
    const auto a = watch_.index(pair.a), b = watch_.index(pair.b);
    const double at_s = now.steady_s - std::max(0.0, now.wall_s - static_cast<double>(pair.at_s));
    if (a && b) pairs_.add_mpi(*a, *b, pair.latency_us, pair.bandwidth_Bps, at_s, now.steady_s);
  }
}

void Probing::take_result(std::int32_t node, const protocol::ProbeResult& result, bool leads, double now_s) {
  const auto found = leases_.find(result.lease);
  if (found == leases_.end() || found->second.a != node) {
    if (!leads && result.outcome == protocol::ProbeOutcome::measured) take_measurement(node, result, now_s);
    return;
  }
  ++counts_.outcomes[static_cast<std::size_t>(result.outcome)];
  if (result.outcome != protocol::ProbeOutcome::measured) return;
  const Lease lease = found->second;
  leases_.erase(found);
  if (now_s > lease.until_s + result_delay_s) return;
  const double value = lease.measurement == Measurement::latency ? result.median_latency_us : result.bandwidth_Bps;
  pairs_.add(lease.a, lease.b, lease.measurement, value, now_s);
}

}  // namespace placement::monitor
