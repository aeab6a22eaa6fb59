// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/messages.hpp"

#include <arpa/inet.h>

#include "common/state/node_fields.hpp"
#include "monitor/protocol/message_fields.hpp"

namespace placement::protocol {

namespace {

using wire::Of;

// The attributes of a node that are sent. Their ranges are those of the snapshot. So no node can send a number for
// which the snapshot of all nodes would be rejected. The age and the numbers from the history of outages are not sent.
constexpr auto sent_fields = std::span(node_fields).subspan(1, node_fields.size() - 3);

}  // namespace

static void fields(auto& io, Of<NetAddress> auto& address) {
  io.raw(address.ip);
  io.number(address.port);
}

static void fields(auto& io, Of<Heartbeat> auto& heartbeat) {
  io.constant(MessageKind::heartbeat);
  io.number(heartbeat.boot_id);
  io.number(heartbeat.agent_start_id);
  io.number(heartbeat.number);
  io.number(heartbeat.uptime_s);
  io.bits(heartbeat.flags, all_heartbeat_flags);
  fields(io, heartbeat.probe_address);
  for (const NodeField& field : sent_fields) {
    double value = field.get(heartbeat.state);
    io.real(value, field.range);
    if constexpr (std::remove_reference_t<decltype(io)>::reads) field.set(heartbeat.state, value);
  }
  io.name(heartbeat.follows, true);
  io.number(heartbeat.settings);
  io.pad(heartbeat_message_bytes);
  io.require(heartbeat.number > 0);
}

static void fields(auto& io, Of<HeartbeatAck> auto& ack) {
  io.constant(MessageKind::heartbeat_ack);
  io.number(ack.number);
  io.flag(ack.next_to_slurmctld);
  const std::size_t jobs = io.count(ack.single_node_jobs, max_single_node_jobs);
  for (std::size_t i = 0; i < jobs; ++i) io.number(ack.single_node_jobs[i]);
}

static void fields(auto& io, Of<ProbeLease> auto& lease) {
  io.constant(MessageKind::lease);
  io.number(lease.id);
  io.choice(lease.kind, ProbeKind::train);
  io.choice(lease.role, ProbeRole::responder);
  io.name(lease.peer);
  fields(io, lease.peer_address);
  io.raw(lease.key);
  io.number(lease.start_in_ms);
  io.number(lease.expires_in_ms);
  io.number(lease.packets);
  io.number(lease.packet_bytes);
  io.require(lease.peer_address.port != 0 && lease.packets >= 1 && lease.packets <= max_probe_packets &&
             lease.packet_bytes >= min_probe_packet && lease.packet_bytes <= max_datagram && lease.expires_in_ms >= 1 &&
             lease.expires_in_ms <= max_lease_ms && lease.start_in_ms < lease.expires_in_ms);
}

static void fields(auto& io, Of<ProbeResult> auto& result) {
  io.constant(MessageKind::probe_result);
  io.number(result.lease);
  io.choice(result.kind, ProbeKind::train);
  io.name(result.peer);
  io.choice(result.outcome, ProbeOutcome::refused);
  io.real(result.median_latency_us, live_range::latency_us);
  io.real(result.bandwidth_Bps, live_range::rate_Bps);
}

static void fields(auto& io, Of<ProbePacket> auto& packet) {
  io.constant(MessageKind::probe_packet);
  io.choice(packet.kind, ProbePacket::Kind::report);
  io.number(packet.index);
  io.number(packet.held_ns);
  io.exact(packet.rate_Bps);  // with 64 bits, more exactly than other reals, because the receiver computes with it
  io.zeros();
}

static void fields(auto& io, Of<SettingsMessage> auto& settings) {
  io.constant(MessageKind::settings);
  auto size = static_cast<std::uint16_t>(settings.text.size());
  io.number(size);
  io.rest(settings.text, [](std::uint8_t c) { return c == '\n' || (c >= ' ' && c <= '~'); });
  io.require(settings.text.size() == size);
}

static void fields(auto& io, Of<Accept> auto&) { io.constant(MessageKind::accept); }

static void head(auto& io, FrameKind kind) {
  for (const char letter : {'S', 'P', 'L', 'W'}) io.constant(letter);
  io.constant(wire_version);
  io.constant(kind);
  io.constant(0);
  io.constant(0);
  io.at_most(max_datagram);
}

static void fields(auto& io, Of<HelloFrame> auto& frame) {
  head(io, FrameKind::hello);
  io.raw(frame.nonce);
  io.pad(handshake_bytes);
}

static void fields(auto& io, Of<ChallengeFrame> auto& frame) {
  head(io, FrameKind::challenge);
  io.raw(frame.nonce);
  io.raw(frame.cookie);
  io.pad(handshake_bytes);
}

static void fields(auto& io, Of<JoinFrame> auto& frame) {
  head(io, FrameKind::join);
  io.raw(frame.nonce);
  io.raw(frame.cookie);
  io.name(frame.name);
  // The credential has only the characters that munge uses, so that it can be passed on as a C string.
  io.rest(frame.credential, [](std::uint8_t c) { return c > ' ' && c < 127; });
  io.require(!frame.credential.empty());
}

static void fields(auto& io, Of<RefusedFrame> auto& frame) {
  head(io, FrameKind::refused);
  io.raw(frame.nonce);
  io.number(frame.reason);
}

static void fields(auto& io, Of<ResetFrame> auto& frame) {
  head(io, FrameKind::reset);
  io.number(frame.session);
}

static void fields(auto& io, Of<SealedHeader> auto& header) {
  head(io, FrameKind::sealed);
  io.number(header.session);
  io.number(header.sequence);
  io.leave_more_than(seal_tag_bytes);
}

static void fields(auto& io, Of<JoinSecret> auto& secret) {
  io.raw(secret.nonce);
  io.raw(secret.cookie);
  io.raw(secret.secret);
  io.name(secret.name);
}

std::optional<FrameKind> frame_kind(ByteView datagram) {
  constexpr std::size_t place = 5;
  if (datagram.size() <= place || datagram[place] < static_cast<std::uint8_t>(FrameKind::hello) ||
      datagram[place] > static_cast<std::uint8_t>(FrameKind::sealed))
    return std::nullopt;
  return static_cast<FrameKind>(datagram[place]);
}

std::string to_string(const NetAddress& address) {
  const bool v4 = address.is_v4();
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(v4 ? AF_INET : AF_INET6, address.ip.data() + (v4 ? 12 : 0), text, sizeof text);
  return (v4 ? std::string(text) : "[" + std::string(text) + "]") + ":" + std::to_string(address.port);
}

Bytes encode(const ProbePacket& packet, std::size_t message_bytes) {
  Bytes bytes = encode(packet);
  bytes.resize(std::max(bytes.size(), std::min(message_bytes, max_message)));
  return bytes;
}

template struct Codec<Accept>;
template struct Codec<Heartbeat>;
template struct Codec<HeartbeatAck>;
template struct Codec<ProbeLease>;
template struct Codec<ProbeResult>;
template struct Codec<ProbePacket>;
template struct Codec<SettingsMessage>;
template struct Codec<HelloFrame>;
template struct Codec<ChallengeFrame>;
template struct Codec<JoinFrame>;
template struct Codec<RefusedFrame>;
template struct Codec<ResetFrame>;
template struct Codec<SealedHeader>;
template struct Codec<JoinSecret>;

}  // namespace placement::protocol
