// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/session.hpp"

#include <algorithm>
#include <cmath>

#include "common/util/bytes.hpp"
#include "common/util/error.hpp"

namespace placement::protocol {

constexpr double first_wait_s = 1;
constexpr double last_wait_s = 16;
constexpr double session_age_s = 24 * 3600;
constexpr double reset_pause_s = 5;  // least time between two resets that are accepted

// Token buckets of a peer for joins from unprivileged ports other than its last one. The first join allocates 2.5 KiB.
constexpr std::size_t stranger_buckets = 64;

constexpr std::uint64_t peer_bits = 24;  // the low bits of a session's id, which are the peer's number
constexpr std::uint64_t peer_mask = (std::uint64_t{1} << peer_bits) - 1;

// The text and the class of each Refusal, in their order.
constexpr struct {
  const char* text;
  RefusalClass of;
} refusals[] = {
    {"none", RefusalClass::other},
    {"malformed datagram, or a datagram of another version", RefusalClass::other},
    {"no node has this name and address", RefusalClass::other},
    {"the answer does not belong to the last challenge", RefusalClass::other},
    {"munge credential not valid here: compare munge.key of both hosts", RefusalClass::identity},
    {"clocks differ too much, or the credential is old", RefusalClass::clock},
    {"replayed: it was received before", RefusalClass::other},
    {"credential of another user: run agents and monitors as one MonitorUser", RefusalClass::identity},
    {"munge does not answer on that host", RefusalClass::other},
    {"unknown session", RefusalClass::other},
    {"invalid seal", RefusalClass::identity},
    {"session of another address", RefusalClass::identity},
    {"too many datagrams", RefusalClass::other},
    {"unknown reason", RefusalClass::other},
};
static_assert(std::size(refusals) == static_cast<std::size_t>(Refusal::count) + 1);

const char* to_string(Refusal refusal) { return refusals[static_cast<std::size_t>(refusal)].text; }

RefusalClass class_of(Refusal refusal) { return refusals[static_cast<std::size_t>(refusal)].of; }

double TokenBucket::level(double now_s) {
  if (begun_ && now_s > at_s_) level_ = std::min(burst_, level_ + (now_s - at_s_) * rate_);
  at_s_ = begun_ ? std::max(at_s_, now_s) : now_s;
  begun_ = true;
  return level_;
}

bool TokenBucket::take(double now_s, double amount) {
  if (level(now_s) < amount) return false;
  level_ -= amount;
  return true;
}

void TokenBucket::charge(double now_s, double amount) { level_ = std::max(level(now_s) - amount, -burst_); }

ClientSession::ClientSession(Credentials& credentials, std::string name)
    : credentials_(credentials),
      name_(std::move(name)) {}

void ClientSession::begin(double now_s) {
  seeking_ = true;
  wait_s_ = first_wait_s;
  next_hello_s_ = now_s;
}

Bytes ClientSession::due(double now_s) {
  if (!seeking_ && now_s - established_s_ > session_age_s) begin(now_s);
  if (!seeking_ || now_s < next_hello_s_) return {};
  Nonce nonce{};
  fill_random(nonce);
  nonce_ = nonce;
  // The wait is random, so that agents that lost their monitor together do not reconnect together.
  const double spread = 0.75 + 0.5 * static_cast<double>(nonce[0]) / 255;
  next_hello_s_ = now_s + wait_s_ * spread;
  wait_s_ = std::min(2 * wait_s_, last_wait_s);
  return encode(HelloFrame{nonce});
}

double ClientSession::next_s(double now_s) const {
  return seeking_ ? std::max(now_s, next_hello_s_) : established_s_ + session_age_s;
}

void ClientSession::doubt(double now_s) {
  if (!seeking_) begin(now_s);
}

Bytes ClientSession::seal(ByteView message) {
  if (!channel_) throw Error("no session with the monitor");
  return channel_->seal(message);
}

ClientSession::Received ClientSession::receive(ByteView datagram, double now_s) {
  Received received;
  const auto refuse = [&](Refusal why) {
    received.refused = why;
    return received;
  };
  const std::optional<FrameKind> kind = frame_kind(datagram);
  if (!kind) return refuse(Refusal::malformed);
  if (*kind == FrameKind::challenge) {
    const auto challenge = decode<ChallengeFrame>(datagram);
    if (!challenge) return refuse(Refusal::malformed);
    // Accepts one challenge per hello, with the hello's nonce. So a sender that has not seen the hello gets no join.
    if (!nonce_ || challenge->nonce != *nonce_) return refuse(Refusal::bad_cookie);
    nonce_.reset();
    JoinSecret secret{.nonce = challenge->nonce, .cookie = challenge->cookie, .secret = {}, .name = name_};
    fill_random(secret.secret);
    const auto credential = credentials_.encode(encode(secret));
    if (!credential) {
      received.note = credentials_.why();
      return refuse(Refusal::no_service);
    }
    const Bytes join = encode(JoinFrame{secret.nonce, secret.cookie, name_, *credential});
    if (join.size() > datagram.size()) {
      received.note = "munge's credential is too long";
      return refuse(Refusal::bad_credential);
    }
    joined_nonce_ = challenge->nonce;
    secret_ = secret.secret;
    received.reply = join;
    return received;
  }
  if (*kind == FrameKind::refused) {
    const auto refused = decode<RefusedFrame>(datagram);
    if (!refused || !joined_nonce_ || refused->nonce != *joined_nonce_) return refuse(Refusal::malformed);
    received.note =
        std::string("the monitor refuses: ") +
        to_string(static_cast<Refusal>(std::min(refused->reason, static_cast<std::uint8_t>(Refusal::count))));
    return received;
  }
  if (*kind == FrameKind::reset) {
    const auto reset = decode<ResetFrame>(datagram);
    if (!reset || !channel_ || reset->session != channel_->id()) return refuse(Refusal::no_session);
    if (now_s - last_reset_s_ < reset_pause_s) return refuse(Refusal::too_many);
    last_reset_s_ = now_s;
    doubt(now_s);
    return received;
  }
  const auto header = decode<SealedHeader>(datagram);
  if (!header) return refuse(Refusal::malformed);
  Refusal error = Refusal::none;
  if (channel_ && header->session == channel_->id()) {
    auto message = channel_->open(datagram, &error);
    if (!message) return refuse(error);
    received.message = std::move(*message);
    return received;
  }
  if (!joined_nonce_) return refuse(Refusal::no_session);
  SealedChannel fresh(header->session, secret_, Side::first);
  const auto message = fresh.open(datagram, &error);
  if (!message) return refuse(error);
  if (!decode<Accept>(*message)) return refuse(Refusal::malformed);
  channel_ = fresh;
  joined_nonce_.reset();
  secret_.fill(0);
  established_s_ = now_s;
  seeking_ = false;
  received.established = true;
  return received;
}

ServerSessions::ServerSessions(Credentials& credentials, std::int32_t peers, Admit admit, const Limits& limits)
    : credentials_(credentials),
      admit_(std::move(admit)),
      limits_(limits),
      hellos_(limits.hellos_per_s, limits.hellos_burst),
      resets_(limits.hellos_per_s, limits.hellos_burst),
      joins_(limits.joins_per_s, limits.joins_burst) {
  if (peers < 0 || static_cast<std::uint64_t>(peers) > peer_mask)
    throw Error(std::to_string(peers) + " peers: from 0 to " + std::to_string(peer_mask));
  const Peer empty{.channel = {},
                   .address = {},
                   .since_s = 0,
                   .joins = TokenBucket(limits.peer_joins_per_s, limits.peer_joins_burst),
                   .attempts = TokenBucket(limits.peer_joins_per_s, limits.peer_joins_burst),
                   .reserved = TokenBucket(limits.peer_joins_per_s, limits.peer_joins_burst),
                   .strangers = {},
                   .datagrams = TokenBucket(limits.peer_datagrams_per_s, limits.peer_datagrams_burst)};
  peers_.assign(static_cast<std::size_t>(peers), empty);
  fill_random(cookie_key_);
}

std::int64_t ServerSessions::period(double now_s) const {
  return static_cast<std::int64_t>(std::floor(now_s / limits_.cookie_s));
}

Nonce ServerSessions::cookie(const Nonce& nonce, const NetAddress& from, std::int64_t period) const {
  Bytes text;
  ByteWriter out(text);
  out.put(nonce);
  out.put(from.ip);
  out.number(from.port, sizeof from.port);
  out.number(static_cast<std::uint64_t>(period), sizeof period);
  const Key hash = keyed_hash(cookie_key_, text);
  Nonce cookie{};
  std::copy_n(hash.begin(), cookie.size(), cookie.begin());
  return cookie;
}

bool ServerSessions::good_cookie(const JoinFrame& join, const NetAddress& from, double now_s) const {
  const std::int64_t now = period(now_s);
  return same_bytes(join.cookie, cookie(join.nonce, from, now)) ||
         same_bytes(join.cookie, cookie(join.nonce, from, now - 1));
}

ServerSessions::Received ServerSessions::receive(ByteView datagram, const NetAddress& from, double now_s) {
  Received received = answer(datagram, from, now_s);
  ++refused_[static_cast<std::size_t>(received.refused)];
  // The formats ensure that no answer is longer than the datagram that it answers. This check protects future formats.
  if (received.reply.size() > datagram.size()) received.reply.clear();
  return received;
}

ServerSessions::Received ServerSessions::answer(ByteView datagram, const NetAddress& from, double now_s) {
  const std::optional<FrameKind> kind = frame_kind(datagram);
  if (kind == FrameKind::hello)
    if (const auto hello = decode<HelloFrame>(datagram)) return answer_hello(hello->nonce, from, now_s);
  if (kind == FrameKind::join)
    if (const auto join = decode<JoinFrame>(datagram)) return answer_join(*join, from, now_s);
  if (kind == FrameKind::sealed) return answer_sealed(datagram, from, now_s);
  return {.refused = Refusal::malformed};
}

ServerSessions::Received ServerSessions::answer_hello(const Nonce& nonce, const NetAddress& from, double now_s) {
  if (!hellos_.take(from, now_s)) return {.refused = Refusal::too_many};
  return {.reply = encode(ChallengeFrame{nonce, cookie(nonce, from, period(now_s))})};
}

// Returns whether a credential from this address may be decoded, which takes time.
bool ServerSessions::may_attempt(Peer& peer, const NetAddress& from, double now_s) {
  if (peer.address == from) return peer.attempts.take(now_s);
  const bool reserved = is_reserved_port(from.port);
  if (reserved && peer.channel && peer.address.ip == from.ip) return peer.reserved.take(now_s);
  if (peer.strangers.empty())
    peer.strangers.assign(2 * stranger_buckets, TokenBucket(limits_.stranger_joins_per_s, limits_.peer_joins_burst));
  // A keyed hash selects the bucket by the minute and the port, or by the minute and the host of a reserved port. So
  // only the monitor knows which ports, and which hosts, share a bucket for a minute.
  Bytes text;
  ByteWriter writer(text);
  writer.number(static_cast<std::uint64_t>(now_s / 60), sizeof(std::uint64_t));
  if (reserved)
    writer.put(from.ip);
  else
    writer.number(from.port, sizeof from.port);
  TokenBucket& bucket =
      peer.strangers[keyed_hash(cookie_key_, text)[0] % stranger_buckets + (reserved ? stranger_buckets : 0)];
  return bucket.take(now_s) && joins_.take(from, now_s);
}

ServerSessions::Received ServerSessions::answer_join(const JoinFrame& join, const NetAddress& from, double now_s) {
  const auto refuse = [&](Refusal why) {
    return Received{.reply = encode(RefusedFrame{join.nonce, static_cast<std::uint8_t>(why)}), .refused = why};
  };
  // Without a valid cookie the sender's address may be forged, so there is no answer.
  if (!good_cookie(join, from, now_s)) return {.refused = Refusal::bad_cookie};
  const std::optional<std::int32_t> index = admit_.index(join.name);
  if (!index || *index < 0 || static_cast<std::size_t>(*index) >= peers_.size()) return refuse(Refusal::unknown_node);
  Peer& peer = peers_[*index];
  if (!may_attempt(peer, from, now_s)) return {.refused = Refusal::too_many};
  const Credentials::Decoded decoded = credentials_.decode(join.credential);
  if (decoded.refused != Refusal::none) return refuse(decoded.refused);
  const std::optional<JoinSecret> secret = decode<JoinSecret>(decoded.payload);
  if (!secret || secret->nonce != join.nonce || secret->cookie != join.cookie || secret->name != join.name)
    return refuse(Refusal::bad_credential);
  if (!admit_.has_address(*index, from)) return refuse(Refusal::unknown_node);
  if (!peer.joins.take(now_s)) return {.refused = Refusal::too_many};
  const std::uint64_t id = (random_u64() & ~peer_mask) | static_cast<std::uint64_t>(*index);
  peer.channel.emplace(id, secret->secret, Side::second);
  if (peer.address != from) {
    peer.attempts = TokenBucket(limits_.peer_joins_per_s, limits_.peer_joins_burst);
    peer.attempts.take(now_s);  // for this join
  }
  peer.address = from;
  peer.since_s = now_s;
  peer.strangers = {};
  return {.reply = peer.channel->seal(encode(Accept{})), .peer = *index, .joined = true};
}

ServerSessions::Received ServerSessions::answer_sealed(ByteView datagram, const NetAddress& from, double now_s) {
  const std::optional<SealedHeader> header = decode<SealedHeader>(datagram);
  if (!header) return {.refused = Refusal::malformed};
  const std::uint64_t index = header->session & peer_mask;
  const auto no_session = [&]() -> Received {
    if (!resets_.take(from, now_s)) return {.refused = Refusal::no_session};
    return {.reply = encode(ResetFrame{header->session}), .refused = Refusal::no_session};
  };
  if (index >= peers_.size()) return no_session();
  Peer& peer = peers_[index];
  if (!peer.channel || peer.channel->id() != header->session) return no_session();
  if (now_s - peer.since_s > limits_.session_s) {
    peer.channel.reset();
    return no_session();
  }
  // A session is bound to the address of its join. Other datagrams are refused before their seals are checked.
  if (peer.address != from) return {.refused = Refusal::wrong_address};
  if (!peer.datagrams.take(now_s)) return {.refused = Refusal::too_many};
  Refusal error = Refusal::none;
  auto message = peer.channel->open(datagram, &error);
  if (!message) return {.refused = error};
  return {.peer = static_cast<std::int32_t>(index), .message = std::move(*message)};
}

bool ServerSessions::established(std::int32_t peer) const {
  return peer >= 0 && static_cast<std::size_t>(peer) < peers_.size() && peers_[peer].channel.has_value();
}

ServerSessions::Peer& ServerSessions::with_session(std::int32_t peer) {
  if (!established(peer)) throw Error("peer " + std::to_string(peer) + " has no session");
  return peers_[peer];
}

const NetAddress& ServerSessions::address(std::int32_t peer) { return with_session(peer).address; }

Bytes ServerSessions::seal(std::int32_t peer, ByteView message) { return with_session(peer).channel->seal(message); }

}  // namespace placement::protocol
