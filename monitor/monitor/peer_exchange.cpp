// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/peer_exchange.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "common/util/error.hpp"

namespace placement::monitor {

namespace {

constexpr double lookup_pause_s = 60;
constexpr double peer_patience_s = 10;  // time without an answer after which a new handshake begins
constexpr double lost_s = 60;           // time without an answer after which a monitor may have another address
constexpr double ask_pause_s = 1;       // time between two questions for the same changes
constexpr double believed_beat_s = 30;  // an agent's report of this age is no longer used
constexpr int datagrams_at_once = 2048;

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

// Returns the name of the setting, in this monitor's history, with the cursor in the history that `state` names.
std::string cursor_setting(const PeerState& state) { return "peer " + instance_text(state.history); }

}  // namespace

PeerExchange::PeerExchange(std::vector<SlurmHost> controllers, std::int32_t order, std::int64_t udp_port,
                           protocol::Credentials& credentials, const PeerContext& context, Log log)
    : controllers_(std::move(controllers)),
      order_(order),
      udp_port_(static_cast<std::uint16_t>(udp_port)),
      with_(context),
      socket_(protocol::NetAddress{}) {
  const std::string own_name = peer_name(controllers_[static_cast<std::size_t>(order_)].name);
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(controllers_.size()); ++i) {
    Peer& peer = peers_.emplace_back(i, log);
    if (i < order_) peer.session.emplace(credentials, own_name);
  }
}

void PeerExchange::receive(double now_s) {
  for (int i = 0; i < datagrams_at_once; ++i) {
    const auto arrival = socket_.receive();
    if (!arrival) return;
    for (Peer& peer : peers_) {
      if (!peer.session || !peer.address || *peer.address != arrival->from) continue;
      const protocol::ClientSession::Received received = peer.session->receive(arrival->datagram, now_s);
      if (!received.reply.empty()) socket_.send(received.reply, *peer.address);
      if (!received.note.empty()) peer.notes.say("monitor on " + host(peer).name + ": " + received.note);
      if (!received.message.empty()) take(peer, received.message, now_s);
    }
  }
}

void PeerExchange::take_message(std::int32_t order, protocol::ByteView message, double now_s) {
  take(peers_[static_cast<std::size_t>(order)], message, now_s);
}

void PeerExchange::send(Peer& peer, const protocol::Bytes& message) {
  const std::int32_t number = with_.watch.nodes() + peer.order;
  if (peer.session) {
    if (peer.session->established() && peer.address) socket_.send(peer.session->seal(message), *peer.address);
  } else if (peer.order != order_ && with_.port.sessions.established(number)) {
    with_.port.send(number, message);
  }
}

void PeerExchange::take(Peer& peer, protocol::ByteView message, double now_s) {
  const auto kind = peer_message_kind(message);
  if (!kind) return;
  peer.heard_s = now_s;
  switch (*kind) {
    case PeerMessageKind::state:
      if (const auto state = decode_peer_state(message)) {
        peer.state = *state;
        with_.election.hear_monitor(peer.order, state->leader, now_s);
      }
      break;
    case PeerMessageKind::ask:
      if (const auto ask = decode_peer_ask(message))
        send(peer, encode(with_.keeper.history().changes_after(static_cast<std::int64_t>(ask->after), max_peer_rows)));
      break;
    case PeerMessageKind::changes:
      if (const auto changes = decode_peer_changes(message)) take_changes(peer, *changes, now_s);
      break;
    case PeerMessageKind::pairs:
      if (const auto pairs = decode_peer_pairs(message)) with_.probing.take_measurements(*pairs, now_s);
      break;
  }
}

// Returns the number of the last change that was taken from the history that `state` names.
std::int64_t PeerExchange::cursor(const PeerState& state) {
  return std::atoll(with_.keeper.history().setting(cursor_setting(state)).c_str());
}

void PeerExchange::take_changes(Peer& peer, const History::Changes& changes, double now_s) {
  // An answer without rows has the cursor of the question, which may belong to another history.
  if (!peer.state || peer.state->history != peer.asked_history || (changes.outages.empty() && changes.spans.empty()))
    return;
  if (changes.cursor <= cursor(*peer.state)) return;
  History& history = with_.keeper.history();
  NodeWatch::PeerNews news;
  try {
    history.begin();
    for (const OutageRecord& outage : changes.outages) with_.watch.take_peer_record(outage, news);
    for (const SpanRecord& span : changes.spans) with_.watch.take_peer_record(span, news);
    history.set_setting(cursor_setting(*peer.state), std::to_string(changes.cursor));
    history.commit();
  } catch (const Error& error) {
    with_.keeper.handle(error);
    return;
  }
  with_.watch.take(news);
  // The next page is requested at once. The rate limit of the other side delays it if there are too many.
  if (static_cast<std::uint64_t>(changes.cursor) < peer.state->last_change) ask(peer, changes.cursor, now_s);
}

void PeerExchange::ask(Peer& peer, std::int64_t after, double now_s) {
  peer.asked_s = now_s;
  peer.asked_history = peer.state->history;
  send(peer, encode(PeerAsk{static_cast<std::uint64_t>(after)}));
}

// Looks up the address of an earlier monitor that has none yet or does not answer, and begins a handshake when one is
// due.
void PeerExchange::keep_session(Peer& peer, double now_s) {
  if (std::optional<protocol::NetAddress> found; peer.lookup.take(found) && found) peer.address = found;
  const bool wanted = !peer.address || now_s - peer.heard_s > lost_s;
  if (wanted && !peer.lookup.begun() && now_s >= peer.next_lookup_s) {
    peer.next_lookup_s = now_s + lookup_pause_s;
    peer.lookup.begin(host(peer).address, udp_port_);
  }
  if (peer.session->established() && now_s - peer.heard_s > peer_patience_s) peer.session->doubt(now_s);
  if (peer.address)
    if (const protocol::Bytes hello = peer.session->due(now_s); !hello.empty()) socket_.send(hello, *peer.address);
}

void PeerExchange::exchange(double now_s) {
  History& history = with_.keeper.history();
  const PeerState own{static_cast<std::uint8_t>(order_), instance_bytes(history.instance()),
                      static_cast<std::uint64_t>(history.last_change()), with_.election.term(now_s)};
  const std::vector<PeerMeasurement>& measured = with_.probing.unsent();
  for (Peer& peer : peers_) {
    if (peer.order == order_) continue;
    if (peer.session) keep_session(peer, now_s);
    send(peer, encode(own));
    if (!peer.state || now_s - peer.heard_s > peer_patience_s) continue;
    for (auto from = measured.begin(); from != measured.end();) {
      const auto end = from + std::min<std::ptrdiff_t>(measured.end() - from, max_peer_measurements);
      send(peer, encode(std::vector<PeerMeasurement>(from, end)));
      from = end;
    }
    const std::int64_t taken = cursor(*peer.state);
    if (peer.state->last_change > static_cast<std::uint64_t>(taken) && now_s - peer.asked_s > ask_pause_s)
      ask(peer, taken, now_s);
  }
  with_.probing.sent();
}

std::int64_t PeerExchange::heard(double now_s) const {
  return std::count_if(peers_.begin(), peers_.end(),
                       [&](const Peer& peer) { return now_s - peer.heard_s < peer_patience_s; });
}

void PeerExchange::hear_agents(double now_s) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> terms;
  for (std::int32_t i = 0; i < with_.watch.nodes(); ++i) {
    const protocol::Heartbeat& beat = with_.watch.last_beat(i);
    if (beat.heard.term != 0 && now_s - with_.watch.table().last_heard_s(i) <= believed_beat_s)
      terms.emplace_back(beat.heard.term, i);
  }
  const std::size_t needed = with_.watch.nodes() < 3 ? 1 : std::max<std::size_t>(2, terms.size() / 8);
  if (terms.size() < needed) return;
  std::sort(terms.begin(), terms.end(), std::greater<>());
  const std::uint64_t believed = terms[needed - 1].first;
  for (const auto& [term, node] : terms) {
    if (term != believed) continue;
    protocol::LeaderTerm says = with_.watch.last_beat(node).heard;
    const double since_s = now_s - with_.watch.table().last_heard_s(node);
    says.age_ms = static_cast<std::uint32_t>(std::min(4e9, says.age_ms + since_s * 1000));
    for (const SlurmHost& host : controllers_)
      if (host.name == says.leader) with_.election.hear_agent(says, now_s);
  }
}

}  // namespace placement::monitor
