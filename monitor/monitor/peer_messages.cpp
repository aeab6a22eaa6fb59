// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/peer_messages.hpp"

#include <algorithm>
#include <cmath>

#include "monitor/protocol/message_fields.hpp"

namespace placement::monitor {

namespace {

using protocol::wire::Reader;
using protocol::wire::Writer;

constexpr std::size_t max_row = 1 + protocol::max_wire_name + 3 * 8 + 1 + 1 + 16;  // an outage with the longest name
static_assert(1 + 8 + 2 + max_peer_rows * max_row <= protocol::max_message);
static_assert(1 + 1 + max_peer_measurements * 13 <= protocol::max_message);

constexpr std::uint64_t open_end = ~std::uint64_t{0};

// Writes a time as milliseconds since 1970. A time that is not known is written as all ones.
void put_time(Writer& out, double seconds) {
  out.u64(std::isnan(seconds) || seconds < 0 ? open_end : static_cast<std::uint64_t>(std::llround(seconds * 1000)));
}

double take_time(Reader& in, bool may_be_open) {
  const std::uint64_t ms = in.u64();
  if (ms == open_end) {
    in.require(may_be_open);
    return unknown_value;
  }
  in.require(ms < std::uint64_t{1} << 50);
  return static_cast<double>(ms) / 1000;
}

void put_kind(Writer& out, PeerMessageKind kind) { out.u8(static_cast<std::uint8_t>(kind)); }

bool take_kind(Reader& in, PeerMessageKind kind) { return in.u8() == static_cast<std::uint8_t>(kind); }

}  // namespace

std::optional<PeerMessageKind> peer_message_kind(protocol::ByteView message) {
  if (message.empty() || message[0] < static_cast<std::uint8_t>(PeerMessageKind::state) ||
      message[0] > static_cast<std::uint8_t>(PeerMessageKind::pairs))
    return std::nullopt;
  return static_cast<PeerMessageKind>(message[0]);
}

protocol::Bytes encode(const PeerState& state) {
  Writer out;
  put_kind(out, PeerMessageKind::state);
  out.u8(state.order);
  out.raw(state.history);
  out.u64(state.last_change);
  out.u64(state.publisher.term);
  out.name(state.publisher.publisher);
  out.u32(state.publisher.age_ms);
  out.u32(state.publisher.remaining_ms);
  return out.take();
}

std::optional<PeerState> decode_peer_state(protocol::ByteView message) {
  Reader in(message);
  in.require(take_kind(in, PeerMessageKind::state));
  PeerState state;
  state.order = in.u8();
  in.raw(state.history);
  state.last_change = in.u64();
  in.require(state.last_change < std::uint64_t{1} << 62);
  state.publisher.term = in.u64();
  state.publisher.publisher = in.name(true);
  state.publisher.age_ms = in.u32();
  state.publisher.remaining_ms = in.u32();
  if (!in.done()) return std::nullopt;
  return state;
}

protocol::Bytes encode(const PeerAsk& ask) {
  Writer out;
  put_kind(out, PeerMessageKind::ask);
  out.u64(ask.after);
  out.pad(protocol::max_message);
  return out.take();
}

std::optional<PeerAsk> decode_peer_ask(protocol::ByteView message) {
  Reader in(message);
  in.require(take_kind(in, PeerMessageKind::ask) && message.size() == protocol::max_message);
  const PeerAsk ask{in.u64()};
  in.require(ask.after < std::uint64_t{1} << 62);
  in.zeros();
  if (!in.done()) return std::nullopt;
  return ask;
}

protocol::Bytes encode(const History::Changes& changes) {
  Writer out;
  put_kind(out, PeerMessageKind::changes);
  out.u64(static_cast<std::uint64_t>(changes.cursor));
  out.u8(static_cast<std::uint8_t>(changes.outages.size()));
  out.u8(static_cast<std::uint8_t>(changes.spans.size()));
  for (const OutageRecord& outage : changes.outages) {
    out.name(outage.node);
    put_time(out, outage.began_at_s);
    put_time(out, outage.ended_at_s);
    put_time(out, outage.noticed_at_s);
    out.u8(outage.counted);
    out.name(std::string_view(outage.cause).substr(0, 16));
  }
  for (const SpanRecord& span : changes.spans) {
    out.name(span.node);
    put_time(out, span.began_at_s);
    put_time(out, span.ended_at_s);
  }
  return out.take();
}

std::optional<History::Changes> decode_peer_changes(protocol::ByteView message) {
  Reader in(message);
  in.require(take_kind(in, PeerMessageKind::changes));
  History::Changes changes;
  const std::uint64_t cursor = in.u64();
  in.require(cursor < std::uint64_t{1} << 62);
  changes.cursor = static_cast<std::int64_t>(cursor);
  const std::size_t outages = in.u8(), spans = in.u8();
  for (std::size_t i = 0; i < outages && in.good(); ++i) {
    OutageRecord outage;
    outage.node = in.name();
    outage.began_at_s = take_time(in, false);
    outage.ended_at_s = take_time(in, true);
    outage.noticed_at_s = take_time(in, true);
    const std::uint8_t counted = in.u8();
    in.require(counted <= 1);
    outage.counted = counted != 0;
    outage.cause = in.name();
    in.require(!(outage.ended_at_s < outage.began_at_s));
    changes.outages.push_back(std::move(outage));
  }
  for (std::size_t i = 0; i < spans && in.good(); ++i) {
    SpanRecord span;
    span.node = in.name();
    span.began_at_s = take_time(in, false);
    span.ended_at_s = take_time(in, false);
    in.require(span.ended_at_s >= span.began_at_s);
    changes.spans.push_back(std::move(span));
  }
  if (!in.done()) return std::nullopt;
  return changes;
}

protocol::Bytes encode(const std::vector<PeerMeasurement>& pairs) {
  Writer out;
  put_kind(out, PeerMessageKind::pairs);
  const std::size_t count = std::min(pairs.size(), max_peer_measurements);
  out.u8(static_cast<std::uint8_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    out.u32(static_cast<std::uint32_t>(pairs[i].a));
    out.u32(static_cast<std::uint32_t>(pairs[i].b));
    out.u8(pairs[i].measurement == Measurement::latency ? 1 : 2);
    out.real(pairs[i].value);
  }
  return out.take();
}

std::optional<std::vector<PeerMeasurement>> decode_peer_pairs(protocol::ByteView message) {
  Reader in(message);
  in.require(take_kind(in, PeerMessageKind::pairs));
  const std::size_t count = in.u8();
  in.require(count <= max_peer_measurements);
  std::vector<PeerMeasurement> pairs;
  for (std::size_t i = 0; i < count && in.good(); ++i) {
    const std::uint32_t a = in.u32(), b = in.u32();
    in.require(a < 1U << 30 && b < 1U << 30);
    const std::uint8_t kind = in.u8();
    in.require(kind == 1 || kind == 2);
    pairs.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                     kind == 1 ? Measurement::latency : Measurement::bandwidth, in.real()});
  }
  if (!in.done()) return std::nullopt;
  return pairs;
}

}  // namespace placement::monitor
