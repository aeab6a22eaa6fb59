// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/messages.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "common/state/live_range.hpp"
#include "monitor/protocol/message_fields.hpp"

namespace placement::protocol {

namespace {

using wire::Of;
using wire::Reader;
using wire::Writer;

// Calls `visit` for each attribute that is sent, in the order of the message, with its allowed range. The ranges are
// those of the snapshot. So no node can send a number for which the snapshot of all nodes would be rejected.
template <typename State, typename Visit>
void each_attribute(State& state, Visit visit) {
  visit(state.cores, live_range::cores);
  visit(state.sockets, live_range::sockets);
  visit(state.frequency_MHz, live_range::frequency_MHz);
  visit(state.memory_MiB, live_range::memory_MiB);
  const auto means = [&](auto& of, const NumberRange& range) {
    visit(of.minutes_1, range);
    visit(of.minutes_5, range);
    visit(of.minutes_15, range);
  };
  means(state.cpu_load, live_range::load);
  means(state.slurm_load, live_range::load);
  means(state.cpu_utilisation, live_range::share);
  means(state.memory_available_MiB, live_range::memory_MiB);
  means(state.flow_rate_Bps, live_range::rate_Bps);
  means(state.users, live_range::users);
  means(state.cpu_pressure, live_range::share);
  means(state.memory_pressure, live_range::share);
  means(state.io_pressure, live_range::share);
}

Writer begin(MessageKind kind) {
  Writer out;
  out.choice(kind, kind);
  return out;
}

// Returns a reader after the first byte, or one that is not good if the message is of another kind.
Reader body(ByteView message, MessageKind kind) {
  Reader in(message);
  in.require(message.size() <= max_message && message_kind(message) == kind);
  in.choice(kind, kind);
  return in;
}

}  // namespace

static void fields(auto& io, Of<NetAddress> auto& address) {
  io.raw(address.ip);
  io.number(address.port);
}

static void fields(auto& io, Of<Heartbeat> auto& heartbeat) {
  io.raw(heartbeat.boot_id);
  io.number(heartbeat.agent_start_id);
  io.number(heartbeat.number);
  io.number(heartbeat.sent_at_ms);
  io.number(heartbeat.uptime_s);
  io.bits(heartbeat.flags, all_heartbeat_flags);
  io.real(heartbeat.link_Bps, live_range::rate_Bps);
  fields(io, heartbeat.probe_address);
  each_attribute(heartbeat.state, [&](auto& value, const NumberRange& range) { io.real(value, range); });
  io.name(heartbeat.follows, true);
  io.pad(heartbeat_message_bytes);
  io.require(heartbeat.number > 0 && heartbeat.sent_at_ms >= 0);
}

static void fields(auto& io, Of<HeartbeatAck> auto& ack) {
  io.number(ack.number);
  io.flag(ack.next_to_slurmctld);
  const std::size_t jobs = io.count(ack.single_node_jobs, max_single_node_jobs);
  for (std::size_t i = 0; i < jobs; ++i) io.number(ack.single_node_jobs[i]);
}

static void fields(auto& io, Of<ProbeLease> auto& lease) {
  io.number(lease.id);
  io.choice(lease.kind, ProbeKind::bulk);
  io.choice(lease.role, ProbeRole::responder);
  io.name(lease.peer);
  fields(io, lease.peer_address);
  io.raw(lease.key);
  io.number(lease.start_in_ms);
  io.number(lease.expires_in_ms);
  io.number(lease.packets);
  io.number(lease.packet_bytes);
  io.number(lease.max_bytes);
  io.require(lease.peer_address.port != 0 && lease.packets >= 1 && lease.packets <= max_probe_packets &&
             lease.packet_bytes >= min_probe_packet && lease.packet_bytes <= max_datagram && lease.expires_in_ms >= 1 &&
             lease.expires_in_ms <= max_lease_ms && lease.start_in_ms < lease.expires_in_ms);
}

static void fields(auto& io, Of<ProbeResult> auto& result) {
  io.number(result.lease);
  io.choice(result.kind, ProbeKind::bulk);
  io.name(result.peer);
  io.choice(result.outcome, ProbeOutcome::refused);
  io.number(result.sent);
  io.number(result.received);
  io.real(result.min_latency_us, live_range::latency_us);
  io.real(result.median_latency_us, live_range::latency_us);
  io.real(result.bandwidth_Bps, live_range::rate_Bps);
  io.real(result.other_flow_Bps, live_range::rate_Bps);
  io.number(result.bytes);
  io.require(!(result.min_latency_us > result.median_latency_us));
}

static void fields(auto& io, Of<ProbePacket> auto& packet) {
  io.choice(packet.kind, ProbePacket::Kind::report);
  io.number(packet.index);
  io.number(packet.held_ns);
  io.number(packet.received);
  io.exact(packet.rate_Bps);  // with 64 bits, more exactly than other reals, because the receiver computes with it
  io.zeros();
}

static void fields(auto& io, Of<SettingsMessage> auto& settings) {
  auto size = static_cast<std::uint16_t>(settings.text.size());
  io.number(size);
  io.rest(settings.text, [](std::uint8_t c) { return c == '\n' || (c >= ' ' && c <= '~'); });
  io.require(settings.text.size() == size);
}

static void fields(auto& io, Of<SettingsTaken> auto& taken) {
  io.number(taken.agent_start_id);
  io.number(taken.checksum);
}

std::string to_string(const NetAddress& address) {
  const auto& ip = address.ip;
  const bool v4 =
      std::all_of(ip.begin(), ip.begin() + 10, [](auto b) { return b == 0; }) && ip[10] == 255 && ip[11] == 255;
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(v4 ? AF_INET : AF_INET6, ip.data() + (v4 ? 12 : 0), text, sizeof text);
  return (v4 ? std::string(text) : "[" + std::string(text) + "]") + ":" + std::to_string(address.port);
}

Bytes encode(const Heartbeat& heartbeat) { return written(begin(MessageKind::heartbeat), heartbeat); }
Bytes encode(const HeartbeatAck& ack) { return written(begin(MessageKind::heartbeat_ack), ack); }
Bytes encode(const ProbeLease& lease) { return written(begin(MessageKind::lease), lease); }
Bytes encode(const ProbeResult& result) { return written(begin(MessageKind::probe_result), result); }
Bytes encode(const SettingsTaken& taken) { return written(begin(MessageKind::settings_taken), taken); }
Bytes encode_accept() { return begin(MessageKind::accept).take(); }

Bytes encode(const SettingsMessage& settings) {
  return written(begin(MessageKind::settings), SettingsMessage{settings.text.substr(0, max_settings_text)});
}

Bytes encode(const ProbePacket& packet, std::size_t message_bytes) {
  Writer out = begin(MessageKind::probe_packet);
  fields(out, packet);
  out.pad(std::min(message_bytes, max_message));
  return out.take();
}

std::optional<Heartbeat> decode_heartbeat(ByteView message) {
  return wire::read<Heartbeat>(body(message, MessageKind::heartbeat));
}
std::optional<HeartbeatAck> decode_heartbeat_ack(ByteView message) {
  return wire::read<HeartbeatAck>(body(message, MessageKind::heartbeat_ack));
}
std::optional<ProbeLease> decode_lease(ByteView message) {
  return wire::read<ProbeLease>(body(message, MessageKind::lease));
}
std::optional<ProbeResult> decode_probe_result(ByteView message) {
  return wire::read<ProbeResult>(body(message, MessageKind::probe_result));
}
std::optional<ProbePacket> decode_probe_packet(ByteView message) {
  return wire::read<ProbePacket>(body(message, MessageKind::probe_packet));
}
std::optional<SettingsMessage> decode_settings(ByteView message) {
  return wire::read<SettingsMessage>(body(message, MessageKind::settings));
}
std::optional<SettingsTaken> decode_settings_taken(ByteView message) {
  return wire::read<SettingsTaken>(body(message, MessageKind::settings_taken));
}

std::optional<MessageKind> message_kind(ByteView message) {
  Reader in(message);
  MessageKind kind{};
  in.choice(kind, MessageKind::settings_taken);
  return in.good() ? std::optional(kind) : std::nullopt;
}

}  // namespace placement::protocol
