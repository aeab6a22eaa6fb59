// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/handshake_packets.hpp"
#include "monitor/protocol/seal.hpp"

namespace placement {

// How an agent and a monitor come to share a key. Neither class touches a socket or a clock: they
// take datagrams and the time, in seconds of any steady clock, and give datagrams.
//
//   agent                          monitor
//   hello (a nonce)          ->
//                            <-    challenge: a cookie made of nonce, address and time; keeps nothing
//   join: cookie, name and a munge credential with nonce, cookie, name and a fresh secret  ->
//                            <-    accept, sealed with a key that only the reader of the secret has
//
// The cookie shows that the agent receives at its address and ties the credential to this monitor and
// this moment; the credential shows that both ends run as the same user. No frame is longer than the
// one that it answers. Monitors speak so among each other too, one as the agent.

// Why a datagram was not taken. The numbers travel in RefusedFrame.
enum class Refusal : std::uint8_t {
  none = 0,
  malformed,     // no frame or message of this version
  unknown_node,  // no such node, or not at this address
  bad_cookie,    // of another address, another nonce or too long ago
  bad_credential,
  clock_skew,    // munge finds the credential expired, or made in the future
  replayed,      // a credential or a sequence number that was seen
  wrong_user,
  no_service,    // munge does not answer here
  no_session,    // of an old session or of none
  forged,        // the seal does not fit
  wrong_address,  // a good seal from somewhere else
  too_many,      // over the peer's rate, or over the rate of joins
  count
};

const char* to_string(Refusal refusal);

// At most `rate` things a second in the long run and `burst` at once.
class TokenBucket {
 public:
  TokenBucket(double rate, double burst) : rate_(rate), burst_(burst), level_(burst) {}
  bool take(double now_s, double amount = 1);
  double level(double now_s);

 private:
  double rate_;
  double burst_;
  double level_;
  double at_s_ = 0;
  bool begun_ = false;
};

// The agent's end towards one monitor.
class ClientSession {
 public:
  // `name`: of this node. The credentials must outlive the session.
  ClientSession(Credentials& credentials, std::string name);

  struct Received {
    Bytes reply{};    // to be sent at once, or empty
    Bytes message{};  // what the monitor says, or empty
    Refusal refused = Refusal::none;
    bool established = false;  // a session began with this datagram
    std::string note;          // for the log, or empty
  };

  // A hello, when one is due: without a session at once and then after 1, 2, 4, .. 16 s, and before
  // a session grows old.
  Bytes due(double now_s);
  double next_s(double now_s) const;  // when the next hello will be due
  Received receive(ByteView datagram, double now_s);

  bool established() const { return channel_.has_value(); }
  // The datagram of a message; only with a session.
  Bytes seal(ByteView message);
  // Nothing was heard for too long: begins anew, and keeps the old session until there is another.
  void doubt(double now_s);

 private:
  void begin(double now_s);

  Credentials& credentials_;
  std::string name_;
  std::optional<SealedChannel> channel_;
  double established_s_ = 0;
  bool seeking_ = true;
  double next_hello_s_ = 0;
  double wait_s_ = 1;
  double last_reset_s_ = -1e9;
  std::optional<Nonce> nonce_;  // of the last hello, until it is answered
  std::optional<Nonce> joined_nonce_;
  Key secret_{};                // of the join that is on its way
};

// The monitor's end: sessions of a fixed number of peers, one each. What a peer can make it keep is
// one small record; what an unknown sender can make it keep is nothing.
class ServerSessions {
 public:
  struct Limits {
    double joins_per_s = 500;  // credentials looked at, of all unknown senders together
    double joins_burst = 1000;
    double peer_joins_per_s = 0.2;  // of one peer, and credentials looked at of one of its ports
    double peer_joins_burst = 5;
    double stranger_joins_per_s = 0.5;  // credentials looked at of one part of a peer's other ports
    double peer_datagrams_per_s = 20;
    double peer_datagrams_burst = 60;
    double hellos_per_s = 5000;
    double hellos_burst = 10000;
    double cookie_s = 10;         // a cookie is good for this long to twice as long
    double session_s = 26 * 3600;  // agents begin anew after a day
  };

  // Which peer a sender with this name may be, from 0 to peers - 1, or none: the node's number if the
  // address is one of the node's. Called before anything costly is done.
  using Admit = std::function<std::optional<std::int32_t>(const std::string& name, const NetAddress& from)>;

  // The credentials must outlive the sessions.
  ServerSessions(Credentials& credentials, std::int32_t peers, Admit admit, const Limits& limits);
  ServerSessions(Credentials& credentials, std::int32_t peers, Admit admit);

  struct Received {
    Bytes reply{};             // to be sent back to the sender at once, or empty
    std::int32_t peer = -1;  // who says `message`, or who has just joined
    Bytes message{};           // empty when there is none
    bool joined = false;
    Refusal refused = Refusal::none;
  };
  Received receive(ByteView datagram, const NetAddress& from, double now_s);

  bool established(std::int32_t peer) const;
  // Where the peer's session comes from; only with a session.
  const NetAddress& address(std::int32_t peer) const;
  // The datagram of a message for the peer; only with a session.
  Bytes seal(std::int32_t peer, ByteView message);
  void forget(std::int32_t peer);

  // Datagrams refused so far, by Refusal.
  const std::array<std::uint64_t, static_cast<std::size_t>(Refusal::count)>& refused() const { return refused_; }

 private:
  // Any process on a node can send joins from the node's address. What it sends is charged to its port, as no other
  // process can have that port, and to the peer only when the credential was good. So the agent's own attempts are
  // looked at whatever others send: at once from the port of its last session, and with many ports in use by others
  // after a few attempts.
  struct Peer {
    std::optional<SealedChannel> channel;
    NetAddress address;  // of the present or last session
    double since_s = 0;
    TokenBucket joins;
    TokenBucket attempts;                // of credentials from `address`
    std::vector<TokenBucket> strangers;  // of credentials from other ports, by a keyed hash; empty: none came
    TokenBucket datagrams;
  };

  Received answer(ByteView datagram, const NetAddress& from, double now_s);
  Received answer_hello(const Nonce& nonce, const NetAddress& from, double now_s);
  Received answer_join(const JoinFrame& join, const NetAddress& from, double now_s);
  bool may_attempt(Peer& peer, const NetAddress& from, double now_s);
  Received answer_sealed(ByteView datagram, const NetAddress& from, double now_s);
  Nonce cookie(const Nonce& nonce, const NetAddress& from, std::int64_t period) const;
  bool good_cookie(const JoinFrame& join, const NetAddress& from, double now_s) const;
  std::int64_t period(double now_s) const;
  Peer& with_session(std::int32_t peer);
  const Peer& with_session(std::int32_t peer) const;

  Credentials& credentials_;
  Admit admit_;
  Limits limits_;
  std::vector<Peer> peers_;
  Key cookie_key_{};
  TokenBucket hellos_;
  TokenBucket joins_;
  std::array<std::uint64_t, static_cast<std::size_t>(Refusal::count)> refused_{};
};

}  // namespace placement
