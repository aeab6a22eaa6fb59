// SPDX-License-Identifier: GPL-2.0-or-later
// The exchange between monitors: who is the leader, and what each has recorded and measured.
#include <algorithm>
#include <cstdlib>
#include <functional>

#include "common/util/error.hpp"
#include "monitor/monitor/monitor.hpp"

namespace placement::monitor {

namespace {

constexpr double resolve_pause_s = 60;
constexpr double peer_patience_s = 10;   // time without an answer after which a new handshake begins
constexpr double believed_beat_s = 30;   // an agent's report of this age is no longer used

std::string instance_text(const std::array<std::uint8_t, 16>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::array<std::uint8_t, 16> instance_bytes(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size() && 2 * i + 1 < text.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return bytes;
}

}  // namespace

void Monitor::send(Peer& peer, const protocol::Bytes& message) {
  const auto number = static_cast<std::int32_t>(names_.size()) + peer.order;
  if (peer.session) {
    if (peer.session->established() && peer.address) peer_socket_.send(peer.session->seal(message), *peer.address);
  } else if (peer.order != settings_.order && sessions_.established(number)) {
    socket_.send(sessions_.seal(number, message), sessions_.address(number));
  }
}

void Monitor::take_peer_message(Peer& peer, protocol::ByteView message, double now_s) {
  const auto kind = peer_message_kind(message);
  if (!kind) return;
  peer.heard_s = now_s;
  switch (*kind) {
    case PeerMessageKind::state:
      if (const auto state = decode_peer_state(message)) {
        peer.state = *state;
        publisher_.hear_monitor(peer.order, state->publisher, now_s);
      }
      break;
    case PeerMessageKind::ask:
      if (const auto ask = decode_peer_ask(message))
        send(peer, encode(history_.changes_after(static_cast<std::int64_t>(ask->after), max_peer_rows)));
      break;
    case PeerMessageKind::changes:
      if (const auto changes = decode_peer_changes(message)) take_changes(peer, *changes, now_s);
      break;
    case PeerMessageKind::pairs:
      if (const auto pairs = decode_peer_pairs(message))
        for (const PeerMeasurement& one : *pairs)
          if (std::max(one.a, one.b) < watch_.nodes()) pairs_.add(one.a, one.b, one.measurement, one.value, now_s);
      break;
  }
}

void Monitor::take_changes(Peer& peer, const History::Changes& changes, double now_s) {
  // An answer without rows has the cursor of the question, which may belong to another history.
  if (!peer.state || peer.state->history != peer.asked_history || (changes.outages.empty() && changes.spans.empty()))
    return;
  const std::string name = "peer " + instance_text(peer.state->history);
  if (changes.cursor <= std::atoll(history_.setting(name).c_str())) return;
  NodeWatch::PeerNews news;
  try {
    history_.begin();
    for (const OutageRecord& outage : changes.outages) watch_.peer_says(outage, news);
    for (const SpanRecord& span : changes.spans) watch_.peer_says(span, news);
    history_.set_setting(name, std::to_string(changes.cursor));
    history_.commit();
  } catch (const Error& error) {
    history_trouble(error);
    return;
  }
  watch_.take(news);
  // The next page is requested at once. The rate limit of the other side delays it if there are too many.
  if (static_cast<std::uint64_t>(changes.cursor) < peer.state->last_change)
    ask(peer, static_cast<std::uint64_t>(changes.cursor), now_s);
}

void Monitor::ask(Peer& peer, std::uint64_t after, double now_s) {
  peer.asked_s = now_s;
  peer.asked_history = peer.state->history;
  send(peer, encode(PeerAsk{after}));
}

void Monitor::keep_peers(double now_s) {
  const PeerState own{static_cast<std::uint8_t>(settings_.order), instance_bytes(history_.instance()),
                      static_cast<std::uint64_t>(history_.last_change()), publisher_.term(now_s)};
  for (Peer& peer : peers_) {
    if (peer.order == settings_.order) continue;
    if (peer.session) {
      if (!peer.address && now_s >= peer.next_resolve_s) {
        peer.next_resolve_s = now_s + resolve_pause_s;
        peer.address = protocol::resolve(settings_.hosts.controllers[static_cast<std::size_t>(peer.order)].address,
                                         static_cast<std::uint16_t>(settings_.config.monitor_port));
      }
      if (peer.session->established() && now_s - peer.heard_s > peer_patience_s) peer.session->doubt(now_s);
      if (peer.address)
        if (const protocol::Bytes hello = peer.session->due(now_s); !hello.empty())
          peer_socket_.send(hello, *peer.address);
    }
    send(peer, encode(own));
    if (!peer.state || now_s - peer.heard_s > peer_patience_s) continue;
    for (std::size_t from = 0; from < measured_.size(); from += max_peer_measurements)
      send(peer, encode(std::vector<PeerMeasurement>(
                     measured_.begin() + static_cast<std::ptrdiff_t>(from),
                     measured_.begin() + static_cast<std::ptrdiff_t>(std::min(measured_.size(), from + max_peer_measurements)))));
    const auto cursor =
        static_cast<std::uint64_t>(std::atoll(history_.setting("peer " + instance_text(peer.state->history)).c_str()));
    if (peer.state->last_change > cursor && now_s - peer.asked_s > 1) ask(peer, cursor, now_s);
  }
  measured_.clear();
}

// Takes the terms that agents have heard. Several agents have to report a term, so that a single wrong one has no
// effect.
void Monitor::hear_agents(double now_s) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> terms;
  for (std::int32_t i = 0; i < watch_.nodes(); ++i) {
    const protocol::Heartbeat& beat = watch_.last_beat(i);
    if (beat.heard.term != 0 && now_s - watch_.table().last_heard_s(i) <= believed_beat_s)
      terms.emplace_back(beat.heard.term, i);
  }
  const std::size_t needed = watch_.nodes() < 3 ? 1 : std::max<std::size_t>(2, terms.size() / 8);
  if (terms.size() < needed) return;
  std::sort(terms.begin(), terms.end(), std::greater<>());
  const std::uint64_t believed = terms[needed - 1].first;
  for (const auto& [term, node] : terms) {
    if (term != believed) continue;
    protocol::LeaderTerm says = watch_.last_beat(node).heard;
    const double since_s = now_s - watch_.table().last_heard_s(node);
    says.age_ms = static_cast<std::uint32_t>(std::min(4e9, says.age_ms + since_s * 1000));
    for (const SlurmHost& host : settings_.hosts.controllers)
      if (host.name == says.publisher) publisher_.hear_agent(says, now_s);
  }
}

}  // namespace placement::monitor
