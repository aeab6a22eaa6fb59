// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/messages.hpp"
#include "monitor/protocol/seal.hpp"

namespace placement::protocol {

// The handshake by which an agent and a monitor get a common key. Neither class uses a socket or a clock. They take
// datagrams and the time, in seconds of any steady clock, and return datagrams.
//
//   agent                          monitor
//   hello (a nonce)          ->
//                            <-    challenge: a cookie made of nonce, address and time; the monitor keeps nothing
//   join: cookie, name and a munge credential with nonce, cookie, name and a fresh secret  ->
//                            <-    accept, sealed with a key that only a reader of the secret has
//
// The cookie proves that the agent receives datagrams at its address, and binds the credential to this monitor and
// this moment. The credential proves that both ends run as one user. No frame is longer than the frame it answers.

const char* to_string(Refusal refusal);  // the reason, for messages

// The cause of a refusal: the identity of the sender (another user, key or host), its clock, or anything else.
enum class RefusalClass : std::uint8_t { identity, clock, other };
RefusalClass class_of(Refusal refusal);

// Limits a rate: at most `rate` units per second in the long run and `burst` at once. Times are in seconds.
class TokenBucket {
 public:
  TokenBucket(double rate, double burst) : rate_(rate), burst_(burst), level_(burst) {}
  // Takes `amount` units and returns true, or returns false and takes nothing if fewer units are available.
  bool take(double now_s, double amount = 1);
  // Takes `amount` units for work that is already done, even if fewer are there. The level may fall to -burst.
  void charge(double now_s, double amount);
  // Returns the units that can be taken at the time `now_s`; below 0 while more was charged than there was.
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
  // `name` is the name of this node. The credentials must outlive the session.
  ClientSession(Credentials& credentials, std::string name);

  struct Received {
    Bytes reply{};    // to be sent at once, or empty
    Bytes message{};  // the monitor's message, or empty
    Refusal refused = Refusal::none;
    bool established = false;  // a session began with this datagram
    std::string note;          // text for the log, or empty
  };

  // Returns a hello when one is due, otherwise nothing. Without a session the first hello is due at once, the next ones
  // after about 1, 2, 4, .. 16 s. With a session a hello is due before the session becomes too old.
  Bytes due(double now_s);
  // Returns the time when the next hello is due.
  double next_s(double now_s) const;
  // Handles a datagram that arrived from the monitor.
  Received receive(ByteView datagram, double now_s);

  // Returns whether a session with the monitor exists.
  bool established() const { return channel_.has_value(); }
  // Returns the datagram for a message to the monitor. Throws Error without a session.
  Bytes seal(ByteView message);
  // Starts a new handshake because nothing was heard for too long. The old session is kept until there is a new one.
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
  std::optional<Nonce> nonce_;         // of the last hello, until a challenge answers it
  std::optional<Nonce> joined_nonce_;  // of the last join, until it is accepted
  Key secret_{};                       // of the last join, until it is accepted
};

// The limits of ServerSessions.
struct SessionLimits {
  // The rate of credentials decoded for all unknown senders together. Reserved ports and other ports have it each.
  double joins_per_s = 500;
  double joins_burst = 1000;
  // Three limits of a peer have this value: joins with a valid credential, credentials from the port of its last
  // session, and credentials from its other reserved ports.
  double peer_joins_per_s = 0.2;
  double peer_joins_burst = 5;
  double stranger_joins_per_s = 0.5;  // credentials from one group of a peer's other ports; a hash forms the groups
  double peer_datagrams_per_s = 20;
  double peer_datagrams_burst = 60;
  // The rate of answered hellos, and of resets. Reserved ports and other ports have this rate each.
  double hellos_per_s = 5000;
  double hellos_burst = 10000;
  double cookie_s = 10;          // a cookie is valid for at least this time and at most twice this time
  double session_s = 26 * 3600;  // longest session; agents start a new one after a day
};

// The monitor's end: at most one session for each of a fixed number of peers. For each peer the monitor keeps one small
// record, and for an unknown sender nothing.
class ServerSessions {
 public:
  using Limits = SessionLimits;

  // Which senders may be which peers, from 0 to peers - 1.
  struct Admit {
    // Returns the number of the node of this name, or none. Any sender can cause the call, so it must be cheap.
    std::function<std::optional<std::int32_t>(const std::string& name)> index;
    // Returns whether the node has this address. Called only for a sender with a valid credential, because a lookup of
    // the node's addresses may block.
    std::function<bool(std::int32_t peer, const NetAddress& from)> has_address;
  };

  // The credentials must outlive the sessions. Throws Error when `peers` is negative or needs more than 24 bits.
  ServerSessions(Credentials& credentials, std::int32_t peers, Admit admit, const Limits& limits = {});

  struct Received {
    Bytes reply{};           // to be sent back to the sender at once, or empty
    std::int32_t peer = -1;  // the peer that sent `message` or has just joined
    Bytes message{};         // empty: there is none
    bool joined = false;
    Refusal refused = Refusal::none;
  };
  // Handles a datagram that arrived from the address `from`.
  Received receive(ByteView datagram, const NetAddress& from, double now_s);

  bool established(std::int32_t peer) const;
  // Returns the address of the peer's session. Throws Error without a session.
  const NetAddress& address(std::int32_t peer);
  // Returns the datagram for a message to the peer. Throws Error without a session.
  Bytes seal(std::int32_t peer, ByteView message);

  // Returns the number of datagrams so far for each Refusal, where Refusal::none counts those accepted.
  const std::array<std::uint64_t, static_cast<std::size_t>(Refusal::count)>& refused() const { return refused_; }

 private:
  // Any process on a node can send joins from the node's address. The attempts of a process count against its port,
  // which no other process can have. Attempts with a valid credential also count against the peer. So other processes
  // cannot use up the agent's attempts. Attempts from the port of the agent's last session are handled
  // at once; others may have to be repeated if other processes use many ports.
  struct Peer {
    std::optional<SealedChannel> channel;
    NetAddress address;  // of the present or the last session
    double since_s = 0;
    TokenBucket joins;
    TokenBucket attempts;                // credentials that came from `address`
    TokenBucket reserved;                // with a session: credentials from other reserved ports of the session's host
    std::vector<TokenBucket> strangers;  // credentials from all others, by a keyed hash; empty: none came
    TokenBucket datagrams;
  };

  // The rate of answers that any sender can ask for. Ports that only root can send from have their own rate, so that
  // other processes cannot use up the answers to an agent.
  struct AnswerRate {
    AnswerRate(double rate, double burst) : reserved(rate, burst), others(rate, burst) {}
    bool take(const NetAddress& from, double now_s) {
      return (is_reserved_port(from.port) ? reserved : others).take(now_s);
    }
    TokenBucket reserved, others;
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

  Credentials& credentials_;
  Admit admit_;
  Limits limits_;
  std::vector<Peer> peers_;
  Key cookie_key_{};
  AnswerRate hellos_;
  AnswerRate resets_;  // resets have their own limit, because they are less important: they only spare the agent a wait
  AnswerRate joins_;
  std::array<std::uint64_t, static_cast<std::size_t>(Refusal::count)> refused_{};
};

}  // namespace placement::protocol
