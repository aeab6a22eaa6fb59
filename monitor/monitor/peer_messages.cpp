// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/peer_messages.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "monitor/protocol/message_fields.hpp"

namespace placement::monitor {

namespace {

using protocol::wire::Of;
using protocol::wire::read;
using protocol::wire::Reader;
using protocol::wire::Writer;
using protocol::wire::written;

constexpr std::size_t most_cause_bytes = 16;
constexpr std::size_t max_row =
    1 + protocol::max_wire_name + 3 * 8 + 1 + 1 + most_cause_bytes;  // an outage with the longest name
static_assert(1 + 8 + 2 + max_peer_rows * max_row <= protocol::max_message);
static_assert(1 + 1 + max_peer_measurements * 13 <= protocol::max_message);

constexpr std::uint64_t open_end = ~std::uint64_t{0};
constexpr std::uint64_t most_ms = std::uint64_t{1} << 50;

// A time is sent as milliseconds since 1970. A time that is not known, which only `may_be_open`, is all ones.
void time(auto& io, auto& seconds, bool may_be_open) {
  const bool open = std::isnan(seconds) || seconds < 0;
  std::uint64_t ms = open ? open_end : static_cast<std::uint64_t>(std::llround(seconds * 1000));
  io.number(ms);
  io.require(ms == open_end ? may_be_open : ms < most_ms);
  if constexpr (std::remove_reference_t<decltype(io)>::reads)
    seconds = ms == open_end ? unknown_value : static_cast<double>(ms) / 1000;
}

Writer begin(PeerMessageKind kind) {
  Writer out;
  out.choice(kind, kind);
  return out;
}

Reader body(protocol::ByteView message, PeerMessageKind kind) {
  Reader in(message);
  in.require(peer_message_kind(message) == kind);
  in.choice(kind, kind);
  return in;
}

}  // namespace

static void fields(auto& io, Of<PeerState> auto& state) {
  io.number(state.order);
  io.raw(state.history);
  io.number(state.last_change);
  io.number(state.leader.term);
  io.name(state.leader.leader, true);
  io.number(state.leader.age_ms);
  io.number(state.leader.remaining_ms);
  io.require(state.last_change < std::uint64_t{1} << 62);
}

static void fields(auto& io, Of<PeerAsk> auto& ask) {
  io.number(ask.after);
  io.pad(protocol::max_message);
  io.require(ask.after < std::uint64_t{1} << 62);
}

static void fields(auto& io, Of<History::Changes> auto& changes) {
  io.number(changes.cursor);
  io.require(changes.cursor >= 0 && changes.cursor < std::int64_t{1} << 62);
  const std::size_t outages = io.count(changes.outages, UINT8_MAX), spans = io.count(changes.spans, UINT8_MAX);
  for (std::size_t i = 0; i < outages; ++i) {
    auto& outage = changes.outages[i];
    io.name(outage.node);
    time(io, outage.began_at_s, false);
    time(io, outage.ended_at_s, true);
    time(io, outage.noticed_at_s, true);
    io.flag(outage.counted);
    io.name(outage.cause, false, most_cause_bytes);
    io.require(!(outage.ended_at_s < outage.began_at_s));
  }
  for (std::size_t i = 0; i < spans; ++i) {
    auto& span = changes.spans[i];
    io.name(span.node);
    time(io, span.began_at_s, false);
    time(io, span.ended_at_s, false);
    io.require(span.ended_at_s >= span.began_at_s);
  }
}

static void fields(auto& io, Of<std::vector<PeerMeasurement>> auto& pairs) {
  const std::size_t count = io.count(pairs, max_peer_measurements);
  for (std::size_t i = 0; i < count; ++i) {
    auto& pair = pairs[i];
    std::uint8_t kind = pair.measurement == Measurement::latency ? 1 : 2;
    io.number(pair.a);
    io.number(pair.b);
    io.number(kind);
    io.real(pair.value);
    io.require(pair.a >= 0 && pair.a < 1 << 30 && pair.b >= 0 && pair.b < 1 << 30 && (kind == 1 || kind == 2));
    if constexpr (std::remove_reference_t<decltype(io)>::reads)
      pair.measurement = kind == 1 ? Measurement::latency : Measurement::bandwidth;
  }
}

std::optional<PeerMessageKind> peer_message_kind(protocol::ByteView message) {
  if (message.empty() || message[0] < static_cast<std::uint8_t>(PeerMessageKind::state) ||
      message[0] > static_cast<std::uint8_t>(PeerMessageKind::pairs))
    return std::nullopt;
  return static_cast<PeerMessageKind>(message[0]);
}

protocol::Bytes encode(const PeerState& state) { return written(begin(PeerMessageKind::state), state); }
protocol::Bytes encode(const PeerAsk& ask) { return written(begin(PeerMessageKind::ask), ask); }
protocol::Bytes encode(const History::Changes& changes) { return written(begin(PeerMessageKind::changes), changes); }
protocol::Bytes encode(const std::vector<PeerMeasurement>& pairs) {
  return written(begin(PeerMessageKind::pairs), pairs);
}

std::optional<PeerState> decode_peer_state(protocol::ByteView message) {
  return read<PeerState>(body(message, PeerMessageKind::state));
}
std::optional<PeerAsk> decode_peer_ask(protocol::ByteView message) {
  return read<PeerAsk>(body(message, PeerMessageKind::ask));
}
std::optional<History::Changes> decode_peer_changes(protocol::ByteView message) {
  return read<History::Changes>(body(message, PeerMessageKind::changes));
}
std::optional<std::vector<PeerMeasurement>> decode_peer_pairs(protocol::ByteView message) {
  return read<std::vector<PeerMeasurement>>(body(message, PeerMessageKind::pairs));
}

}  // namespace placement::monitor
