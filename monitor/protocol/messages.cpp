// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/messages.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/state/live_range.hpp"
#include "monitor/protocol/message_fields.hpp"

namespace placement::protocol {

namespace {

using wire::Reader;
using wire::whole;
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
  out.u8(static_cast<std::uint8_t>(kind));
  return out;
}

// Writes a number; one outside of its range is written as "not known".
void put_real(Writer& out, double value, const NumberRange& range) { out.real(range.has(value) ? value : unknown_value); }

// Returns a reader after the first byte, or one that is not good if the message is of another kind.
Reader body(ByteView message, MessageKind kind) {
  Reader in(message);
  in.require(message.size() <= max_message && in.u8() == static_cast<std::uint8_t>(kind));
  return in;
}

void write_term(Writer& out, const LeaderTerm& term) {
  out.u64(term.term);
  out.name(term.publisher);
  out.u32(term.age_ms);
  out.u32(term.remaining_ms);
}

LeaderTerm read_term(Reader& in) {
  LeaderTerm term;
  term.term = in.u64();
  term.publisher = in.name(true);
  term.age_ms = in.u32();
  term.remaining_ms = in.u32();
  in.require((term.term == 0) == term.publisher.empty());
  return term;
}

}  // namespace

std::string to_string(const NetAddress& address) {
  const auto& ip = address.ip;
  const bool v4 = std::all_of(ip.begin(), ip.begin() + 10, [](auto b) { return b == 0; }) && ip[10] == 255 && ip[11] == 255;
  std::string text;
  if (v4) {
    for (std::size_t i = 12; i < 16; ++i) text += (i > 12 ? "." : "") + std::to_string(ip[i]);
  } else {
    constexpr char digits[] = "0123456789abcdef";
    text = "[";
    for (std::size_t i = 0; i < 16; i += 2) {
      if (i > 0) text += ':';
      const unsigned group = ip[i] << 8 | ip[i + 1];
      bool begun = false;
      for (int shift = 12; shift >= 0; shift -= 4) {
        const unsigned digit = group >> shift & 15;
        begun = begun || digit != 0 || shift == 0;
        if (begun) text += digits[digit];
      }
    }
    text += ']';
  }
  return text + ":" + std::to_string(address.port);
}

Bytes encode(const Heartbeat& heartbeat) {
  Writer out = begin(MessageKind::heartbeat);
  out.raw(heartbeat.boot_id);
  out.u64(heartbeat.agent_start_id);
  out.u64(heartbeat.number);
  out.u64(static_cast<std::uint64_t>(heartbeat.sent_at_ms));
  out.u32(heartbeat.uptime_s);
  out.u32(heartbeat.flags & all_heartbeat_flags);
  put_real(out, heartbeat.link_Bps, live_range::rate_Bps);
  out.raw(heartbeat.probe_address.ip);
  out.u16(heartbeat.probe_address.port);
  each_attribute(heartbeat.state, [&](double value, const NumberRange& range) { put_real(out, value, range); });
  write_term(out, heartbeat.heard);
  out.pad(heartbeat_message_bytes);
  return out.take();
}

std::optional<Heartbeat> decode_heartbeat(ByteView message) {
  Reader in = body(message, MessageKind::heartbeat);
  in.require(message.size() == heartbeat_message_bytes);
  Heartbeat heartbeat;
  in.raw(heartbeat.boot_id);
  heartbeat.agent_start_id = in.u64();
  heartbeat.number = in.u64();
  heartbeat.sent_at_ms = static_cast<std::int64_t>(in.u64());
  heartbeat.uptime_s = in.u32();
  heartbeat.flags = in.u32();
  heartbeat.link_Bps = in.real(live_range::rate_Bps);
  in.raw(heartbeat.probe_address.ip);
  heartbeat.probe_address.port = in.u16();
  each_attribute(heartbeat.state, [&](double& value, const NumberRange& range) { value = in.real(range); });
  heartbeat.heard = read_term(in);
  in.zeros();
  in.require(heartbeat.number > 0 && heartbeat.sent_at_ms >= 0 && (heartbeat.flags & ~all_heartbeat_flags) == 0);
  return whole(in, std::move(heartbeat));
}

Bytes encode(const HeartbeatAck& ack) {
  Writer out = begin(MessageKind::heartbeat_ack);
  out.u64(ack.number);
  write_term(out, ack.publisher);
  const std::size_t jobs = std::min(ack.single_node_jobs.size(), max_single_node_jobs);
  out.u8(static_cast<std::uint8_t>(jobs));
  for (std::size_t i = 0; i < jobs; ++i) out.u32(ack.single_node_jobs[i]);
  return out.take();
}

std::optional<HeartbeatAck> decode_heartbeat_ack(ByteView message) {
  Reader in = body(message, MessageKind::heartbeat_ack);
  HeartbeatAck ack;
  ack.number = in.u64();
  ack.publisher = read_term(in);
  const std::size_t jobs = in.u8();
  in.require(jobs <= max_single_node_jobs);
  for (std::size_t i = 0; in.good() && i < jobs; ++i) ack.single_node_jobs.push_back(in.u32());
  return whole(in, std::move(ack));
}

Bytes encode(const ProbeLease& lease) {
  Writer out = begin(MessageKind::lease);
  out.u64(lease.id);
  out.u64(lease.term);
  out.u8(static_cast<std::uint8_t>(lease.kind));
  out.u8(static_cast<std::uint8_t>(lease.role));
  out.name(lease.peer);
  out.raw(lease.peer_address.ip);
  out.u16(lease.peer_address.port);
  out.raw(lease.key);
  out.u32(lease.start_in_ms);
  out.u32(lease.expires_in_ms);
  out.u16(lease.packets);
  out.u16(lease.packet_bytes);
  out.u64(lease.max_bytes);
  return out.take();
}

std::optional<ProbeLease> decode_lease(ByteView message) {
  Reader in = body(message, MessageKind::lease);
  ProbeLease lease;
  lease.id = in.u64();
  lease.term = in.u64();
  lease.kind = in.choice(ProbeKind::bulk);
  lease.role = in.choice(ProbeRole::responder);
  lease.peer = in.name();
  in.raw(lease.peer_address.ip);
  lease.peer_address.port = in.u16();
  in.raw(lease.key);
  lease.start_in_ms = in.u32();
  lease.expires_in_ms = in.u32();
  lease.packets = in.u16();
  lease.packet_bytes = in.u16();
  lease.max_bytes = in.u64();
  in.require(lease.peer_address.port != 0 && lease.packets >= 1 && lease.packets <= max_probe_packets &&
             lease.packet_bytes >= min_probe_packet && lease.packet_bytes <= max_datagram &&
             lease.expires_in_ms >= 1 && lease.expires_in_ms <= max_lease_ms &&
             lease.start_in_ms < lease.expires_in_ms);
  return whole(in, std::move(lease));
}

Bytes encode(const ProbeResult& result) {
  Writer out = begin(MessageKind::probe_result);
  out.u64(result.lease);
  out.u8(static_cast<std::uint8_t>(result.kind));
  out.name(result.peer);
  out.u8(static_cast<std::uint8_t>(result.outcome));
  out.u32(result.sent);
  out.u32(result.received);
  put_real(out, result.min_latency_us, live_range::latency_us);
  put_real(out, result.median_latency_us, live_range::latency_us);
  put_real(out, result.bandwidth_Bps, live_range::rate_Bps);
  put_real(out, result.other_flow_Bps, live_range::rate_Bps);
  out.u64(result.bytes);
  return out.take();
}

std::optional<ProbeResult> decode_probe_result(ByteView message) {
  Reader in = body(message, MessageKind::probe_result);
  ProbeResult result;
  result.lease = in.u64();
  result.kind = in.choice(ProbeKind::bulk);
  result.peer = in.name();
  result.outcome = in.choice(ProbeOutcome::refused);
  result.sent = in.u32();
  result.received = in.u32();
  result.min_latency_us = in.real(live_range::latency_us);
  result.median_latency_us = in.real(live_range::latency_us);
  result.bandwidth_Bps = in.real(live_range::rate_Bps);
  result.other_flow_Bps = in.real(live_range::rate_Bps);
  result.bytes = in.u64();
  in.require(!(result.min_latency_us > result.median_latency_us));
  return whole(in, std::move(result));
}

Bytes encode(const ProbePacket& packet, std::size_t message_bytes) {
  Writer out = begin(MessageKind::probe_packet);
  out.u8(static_cast<std::uint8_t>(packet.kind));
  out.u32(packet.index);
  out.u32(packet.held_ns);
  out.u32(packet.received);
  // This rate is sent with 64 bits, more exactly than other reals, because the receiver computes with it.
  out.u64(std::bit_cast<std::uint64_t>(packet.rate_Bps >= 0 ? packet.rate_Bps + 0.0 : unknown_value));
  out.pad(std::min(message_bytes, max_message));
  return out.take();
}

std::optional<ProbePacket> decode_probe_packet(ByteView message) {
  Reader in = body(message, MessageKind::probe_packet);
  ProbePacket packet;
  packet.kind = in.choice(ProbePacket::Kind::report);
  packet.index = in.u32();
  packet.held_ns = in.u32();
  packet.received = in.u32();
  packet.rate_Bps = std::bit_cast<double>(in.u64());
  in.zeros();
  if (std::isnan(packet.rate_Bps)) packet.rate_Bps = unknown_value;
  in.require(!(packet.rate_Bps < 0) && !std::isinf(packet.rate_Bps) && !std::signbit(packet.rate_Bps));
  return whole(in, std::move(packet));
}

Bytes encode(const SettingsMessage& settings) {
  Writer out = begin(MessageKind::settings);
  const std::string_view text = std::string_view(settings.text).substr(0, max_settings_text);
  out.u16(static_cast<std::uint16_t>(text.size()));
  out.text(text);
  return out.take();
}

std::optional<SettingsMessage> decode_settings(ByteView message) {
  Reader in = body(message, MessageKind::settings);
  const std::size_t size = in.u16();
  const ByteView text = in.rest();
  in.require(text.size() == size && std::all_of(text.begin(), text.end(), [](std::uint8_t c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  return whole(in, SettingsMessage{std::string(text.begin(), text.end())});
}

Bytes encode(const SettingsTaken& taken) {
  Writer out = begin(MessageKind::settings_taken);
  out.u64(taken.agent_start_id);
  out.u64(taken.checksum);
  return out.take();
}

std::optional<SettingsTaken> decode_settings_taken(ByteView message) {
  Reader in = body(message, MessageKind::settings_taken);
  SettingsTaken taken;
  taken.agent_start_id = in.u64();
  taken.checksum = in.u64();
  return whole(in, std::move(taken));
}

Bytes encode_accept() { return begin(MessageKind::accept).take(); }

std::optional<MessageKind> message_kind(ByteView message) {
  Reader in(message);
  const MessageKind kind = in.choice(MessageKind::settings_taken);
  return in.good() ? std::optional(kind) : std::nullopt;
}

}  // namespace placement::protocol
