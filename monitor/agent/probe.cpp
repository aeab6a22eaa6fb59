// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/agent/probe.hpp"

#include <algorithm>

#include "common/policy/config.hpp"
#include "common/util/median.hpp"

namespace placement::agent {

constexpr double pause_s = 0.01;             // time between two exchanges
constexpr double patience_s = 0.25;          // time to wait for an answer
constexpr double ask_s = 0.1;                // time between two requests for the report
constexpr std::uint32_t greetings = 4;       // pings that may be sent before a train
constexpr std::uint32_t spare_answers = 64;  // answers to pings and requests beyond the packets of the lease
constexpr std::size_t sent_at_once = 64;
constexpr std::int64_t quiet_ns = 30'000'000;   // a train has ended when nothing arrives for this time
constexpr std::uint32_t question = UINT32_MAX;  // index of a ping that asks for the report
constexpr std::size_t least_arrivals = 8;
constexpr std::size_t packets_of_piece = 13;
constexpr std::size_t most_pieces = 101;

double train_rate_Bps(std::vector<TrainArrival> arrivals, std::uint32_t packets, std::uint32_t packet_bytes) {
  std::ranges::stable_sort(arrivals, [](const TrainArrival& a, const TrainArrival& b) { return a.at_ns < b.at_ns; });
  const auto begin =
      std::ranges::find_if(arrivals, [&](const TrainArrival& arrival) { return arrival.index >= packets / 4; });
  const auto counted = static_cast<std::size_t>(arrivals.end() - begin);
  if (counted < least_arrivals) return unknown_value;
  // A sender that waits for its processor leaves a gap. A token bucket fills in the gap and then passes packets at
  // once. The median over pieces is affected by neither.
  const std::size_t pieces = std::clamp<std::size_t>(counted / packets_of_piece, 1, most_pieces);
  std::vector<double> rates;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const TrainArrival& first = begin[static_cast<std::ptrdiff_t>(piece * (counted - 1) / pieces)];
    const TrainArrival& last = begin[static_cast<std::ptrdiff_t>((piece + 1) * (counted - 1) / pieces)];
    const auto between = (piece + 1) * (counted - 1) / pieces - piece * (counted - 1) / pieces;
    const double seconds = static_cast<double>(last.at_ns - first.at_ns) / 1e9;
    if (seconds > 0) rates.push_back(static_cast<double>(between) * (packet_bytes + frame_overhead_bytes) / seconds);
  }
  return rates.empty() ? unknown_value : median(rates);
}

static_assert(usual_train_packets * protocol::max_datagram == probe_train_bytes);

Prober::Prober(double bytes_per_minute)
    : bytes_per_minute_(bytes_per_minute),
      budget_(bytes_per_minute / 60, bytes_per_minute / 2) {}

protocol::ProbeResult Prober::result_of(const protocol::ProbeLease& lease, protocol::ProbeOutcome outcome) const {
  return {.lease = lease.id, .kind = lease.kind, .peer = lease.peer, .outcome = outcome};
}

bool Prober::active(double now_s) const { return probe_ && !probe_->done && now_s < probe_->end_s; }

std::optional<protocol::ProbeResult> Prober::begin(const protocol::ProbeLease& lease, const Conditions& conditions,
                                                   double now_s) {
  if (!conditions.lease_is_new || !(bytes_per_minute_ > 0)) return result_of(lease, protocol::ProbeOutcome::refused);
  if (active(now_s) || result_ || conditions.busy) return result_of(lease, protocol::ProbeOutcome::busy);
  const double cost = static_cast<double>(lease.packets) * lease.packet_bytes;
  // Each end is charged for the whole probe, because received packets disturb the node too.
  if (!budget_.take(now_s, cost)) return result_of(lease, protocol::ProbeOutcome::over_budget);
  const bool initiator = lease.role == protocol::ProbeRole::initiator;
  probe_ = Probe{};
  probe_->lease = lease;
  probe_->channel =
      protocol::SealedChannel(lease.id, lease.key, initiator ? protocol::Side::first : protocol::Side::second);
  probe_->stage = initiator ? Stage::waiting : Stage::serving;
  probe_->end_s = now_s + lease.expires_in_ms / 1e3;
  probe_->next_s = initiator ? now_s + lease.start_in_ms / 1e3 : probe_->end_s;
  return std::nullopt;
}

protocol::Bytes Prober::Probe::seal(const protocol::ProbePacket& packet) {
  return channel.seal(protocol::encode(packet, lease.packet_bytes - protocol::seal_overhead));
}

void Prober::ping(double now_s, ProbeIo& io) {
  // The packet is sealed before the time is taken, because the time for sealing is not part of the latency.
  const protocol::Bytes datagram = probe_->seal(
      {.kind = protocol::ProbePacket::Kind::ping, .index = probe_->stage == Stage::asking ? question : probe_->index});
  probe_->ping_ns = io.now_ns();
  io.send(datagram, probe_->lease.peer_address);
  probe_->pinged = true;
  probe_->next_s = now_s + (probe_->stage == Stage::asking ? ask_s : patience_s);
}

void Prober::run(double now_s, ProbeIo& io) {
  if (!probe_ || probe_->done) return;
  Probe& probe = *probe_;
  if (now_s >= probe.end_s) {
    if (probe.stage != Stage::serving && !result_) finish_exchanges();
    probe.done = true;
    return;
  }
  if (probe.stage == Stage::sending) {
    send_train(now_s, io);
    return;
  }
  if (now_s < probe.next_s || probe.stage == Stage::serving) return;
  if (probe.stage == Stage::waiting) {
    probe.stage = Stage::exchanging;
  } else if (probe.stage == Stage::exchanging && probe.pinged) {
    ++probe.index;  // the last ping was not answered; go on with the next one
  }
  const bool latency = probe.lease.kind == protocol::ProbeKind::latency;
  if (probe.stage == Stage::exchanging && probe.index >= (latency ? probe.lease.packets : greetings)) {
    finish_exchanges();
    return;
  }
  ping(now_s, io);
}

void Prober::send_train(double now_s, ProbeIo& io) {
  Probe& probe = *probe_;
  for (std::uint32_t k = 0; probe.index == 0 && k < probe.lease.packets; ++k)
    probe.sealed.push_back(probe.seal({.kind = protocol::ProbePacket::Kind::train, .index = k}));
  for (std::size_t i = 0; i < sent_at_once && probe.index < probe.lease.packets; ++i) {
    if (!io.send(probe.sealed[probe.index], probe.lease.peer_address)) {
      probe.next_s = now_s + ask_s;  // run() is called earlier if the socket can send before that
      return;
    }
    ++probe.index;
  }
  probe.next_s = now_s;
  if (probe.index < probe.lease.packets) return;
  probe.sealed = {};
  probe.stage = Stage::asking;
  probe.next_s = now_s + ask_s;
}

void Prober::take_pong(const protocol::ProbePacket& packet, std::int64_t arrived_ns, double now_s, ProbeIo& io) {
  Probe& probe = *probe_;
  if (probe.stage != Stage::exchanging || !probe.pinged || packet.index != probe.index) return;
  probe.pinged = false;
  const double trip_us = static_cast<double>(arrived_ns - probe.ping_ns - std::int64_t{packet.held_ns}) / 1e3;
  if (probe.lease.kind != protocol::ProbeKind::latency) {
    // The peer is there and has the lease too. Large amounts of data are sent only after this check.
    probe.stage = Stage::sending;
    probe.index = 0;
    send_train(now_s, io);
    return;
  }
  // The first exchange does not count, because it may have waited for the resolution of an address. If a host's clock
  // was set during an exchange, the trip can seem negative or longer than the patience. Then it does not count either.
  if ((packet.index > 0 || probe.lease.packets == 1) && trip_us > 0 && trip_us <= patience_s * 1e6)
    probe.latencies_us.push_back(trip_us / 2);
  ++probe.index;
  if (probe.index >= probe.lease.packets)
    finish_exchanges();
  else
    probe.next_s = now_s + pause_s;
}

void Prober::take_report(const protocol::ProbePacket& packet) {
  if (probe_->stage != Stage::asking) return;
  const bool good = packet.rate_Bps > 0;
  finish(good ? protocol::ProbeOutcome::measured : protocol::ProbeOutcome::no_answer);
  if (good) result_->bandwidth_Bps = packet.rate_Bps;
}

void Prober::finish(protocol::ProbeOutcome outcome) {
  Probe& probe = *probe_;
  result_ = result_of(probe.lease, outcome);
  if (outcome == protocol::ProbeOutcome::measured && !probe.latencies_us.empty())
    result_->median_latency_us = median(probe.latencies_us);
  probe.done = true;
  probe.sealed = {};
}

void Prober::finish_exchanges() {
  finish(probe_->latencies_us.empty() ? protocol::ProbeOutcome::no_answer : protocol::ProbeOutcome::measured);
}

void Prober::serve(const protocol::ProbePacket& packet, std::int64_t arrived_ns, ProbeIo& io) {
  Probe& probe = *probe_;
  if (packet.kind == protocol::ProbePacket::Kind::train && probe.lease.kind != protocol::ProbeKind::latency) {
    if (packet.index < probe.lease.packets && probe.arrivals.size() < probe.lease.packets)
      probe.arrivals.push_back({packet.index, arrived_ns});
    return;
  }
  if (packet.kind != protocol::ProbePacket::Kind::ping) return;
  if (probe.answers >= static_cast<std::uint32_t>(probe.lease.packets) + spare_answers) return;
  protocol::ProbePacket answer{.kind = protocol::ProbePacket::Kind::pong, .index = packet.index};
  if (packet.index == question) {
    if (probe.arrivals.empty()) return;
    if (probe.arrivals.size() < probe.lease.packets && io.now_ns() - probe.arrivals.back().at_ns < quiet_ns) return;
    answer.kind = protocol::ProbePacket::Kind::report;
    answer.rate_Bps = train_rate_Bps(probe.arrivals, probe.lease.packets, probe.lease.packet_bytes);
  } else {
    answer.held_ns = static_cast<std::uint32_t>(std::clamp<std::int64_t>(io.now_ns() - arrived_ns, 0, UINT32_MAX));
  }
  ++probe.answers;
  io.send(probe.seal(answer), probe.lease.peer_address);
  // This end still answers until the lease ends, but another probe may begin.
  const bool last_exchange =
      probe.lease.kind == protocol::ProbeKind::latency && packet.index + 1 == probe.lease.packets;
  if (packet.index == question || last_exchange) probe.done = true;
}

void Prober::receive(protocol::ByteView datagram, const protocol::NetAddress& from, std::int64_t arrived_ns,
                     double now_s, ProbeIo& io) {
  if (!probe_ || now_s >= probe_->end_s || from != probe_->lease.peer_address) return;
  const std::optional<protocol::Bytes> message = probe_->channel.open(datagram);
  if (!message) return;
  const std::optional<protocol::ProbePacket> packet = protocol::decode<protocol::ProbePacket>(*message);
  if (!packet) return;
  if (probe_->stage == Stage::serving) {
    serve(*packet, arrived_ns, io);
    return;
  }
  if (probe_->done) return;
  if (packet->kind == protocol::ProbePacket::Kind::pong) take_pong(*packet, arrived_ns, now_s, io);
  if (packet->kind == protocol::ProbePacket::Kind::report) take_report(*packet);
}

bool Prober::wants_to_send() const { return probe_ && !probe_->done && probe_->stage == Stage::sending; }

double Prober::next_s() const {
  if (!probe_ || probe_->done) return std::numeric_limits<double>::infinity();
  return std::min(probe_->end_s, probe_->next_s);
}

}  // namespace placement::agent
