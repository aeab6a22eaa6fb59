// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/query_server.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/sockets.hpp"

namespace placement::protocol {

namespace {

constexpr std::size_t most_kept = 4096;  // buckets in each map, which has a bucket for each address or user
constexpr int accepted_at_once = 64;
constexpr auto nobody = static_cast<uid_t>(-1);

// Returns the bucket of `key`, an address or a user. If `buckets` is full, first drops all of them to limit memory.
template <typename Key>
TokenBucket& bucket_of(std::map<Key, TokenBucket>& buckets, const Key& key, double rate, double burst) {
  if (buckets.size() >= most_kept && !buckets.contains(key)) buckets.clear();
  return buckets.try_emplace(key, rate, burst).first->second;
}

constexpr std::size_t sealed_at_once = 64 << 10;  // bytes of an answer that are sealed before they can be sent

// Returns true if the client has closed the connection, or if it failed.
bool has_left(int socket) {
  char byte;
  const ssize_t got = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

// Sends all bytes of `out` to a blocking socket and clears it. Ends the process when the client does not read.
void send_or_end(int socket, Bytes& out) {
  for (std::size_t at = 0; at < out.size();) {
    const ssize_t sent = send(socket, out.data() + at, out.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) _exit(1);
    at += static_cast<std::size_t>(sent);
  }
  out.clear();
}

class QueryServer {
 public:
  QueryServer(int listener, Credentials& credentials, const Answers& answers, const QueryLimits& limits)
      : listener_(listener),
        credentials_(credentials),
        answers_(answers),
        limits_(limits),
        decodes_(limits.credentials_per_s, limits.credentials_burst) {}

  void run(int stop_descriptor) {
    constexpr std::array<short, 3> events = {POLLIN, 0, POLLOUT};  // by State
    std::vector<pollfd> watched;
    for (bool more = false;;) {
      watched.assign({{stop_descriptor, POLLIN, 0}, {listener_, POLLIN, 0}});
      for (const Connection& connection : connections_)
        watched.push_back({connection.socket, events[static_cast<std::size_t>(connection.state)], 0});
      const int wait_ms = more ? 0 : connections_.empty() && streams_.empty() ? -1 : 200;
      if (poll(watched.data(), watched.size(), wait_ms) < 0 && errno != EINTR)
        throw Error(std::string("poll: ") + std::strerror(errno));
      if (watched[0].revents != 0) return;
      for (auto connection = connections_.begin(); connection != connections_.end();) {
        const bool goes_on = serve(*connection, steady_s());
        connection = goes_on ? std::next(connection) : connections_.erase(connection);
      }
      more = answer_next(steady_s());
      end_streams(steady_s());
      start_streams(steady_s());
      if (watched[1].revents != 0) accept_all(steady_s());
    }
  }

 private:
  enum class State : std::uint8_t {
    reading,    // the query is not complete
    waiting,    // the query is complete and waits for its turn
    answering,  // the answer, or a refusal, is being sent
  };
  struct Connection {
    Connection(const TcpArrival& arrival, double now_s)
        : socket(arrival.descriptor),
          from(arrival.from),
          until_s(now_s) {}
    FileDescriptor socket;
    NetAddress from;  // without the port
    double until_s;
    double moved_s = 0;  // when the client last read something
    State state = State::reading;
    uid_t asker = nobody;  // asker and query are set only when the query is accepted
    Query query{};
    Bytes in;
    Bytes out;  // sealed pieces of the answer; the first `sent` bytes are sent
    std::size_t sent = 0;
    std::optional<AnswerSeal> seal;
    AnswerText text;  // null: all of it is sealed
    std::size_t sealed = 0;
  };
  using Connections = std::list<Connection>;
  using UserTimes = std::map<uid_t, TokenBucket>;
  struct Stream {
    pid_t process;
    uid_t asker;
    double began_s;
  };

  void accept_all(double now_s) {
    for (int i = 0; i < accepted_at_once; ++i) {
      auto arrival = accept_tcp(listener_);
      if (!arrival) return;
      arrival->from.port = 0;
      limit_silent(arrival->from, now_s);
      connections_.emplace_back(*arrival, now_s + limits_.question_s);
    }
  }

  // Returns the oldest connection of the group with the most connections, among those that `may_close` admits. `group`
  // returns the group of a connection. Returns the end if no group has `least` connections.
  template <typename MayClose, typename Group>
  Connections::iterator oldest_of_most(const MayClose& may_close, const Group& group, std::size_t least) {
    std::map<std::decay_t<decltype(group(connections_.front()))>, std::size_t> counts;
    for (const Connection& connection : connections_)
      if (may_close(connection)) ++counts[group(connection)];
    const auto largest =
        std::ranges::max_element(counts, [](const auto& a, const auto& b) { return a.second < b.second; });
    if (largest == counts.end() || largest->second < least) return connections_.end();
    return std::ranges::find_if(connections_, [&](const Connection& connection) {
      return may_close(connection) && group(connection) == largest->first;
    });
  }

  // Counts silent connections, whose query is not complete, or with silent = false all others. Sets `in_all` if there
  // are at least `limit`, and `there` if at least `source_limit` are from the address `from`.
  struct Fullness {
    bool in_all, there;
  };
  Fullness fullness(bool silent, const NetAddress& from, std::size_t limit, std::size_t source_limit) const {
    std::size_t all = 0, there = 0;
    for (const Connection& connection : connections_) {
      if ((connection.state == State::reading) != silent) continue;
      ++all;
      there += connection.from == from;
    }
    return {all >= limit, there >= source_limit};
  }

  // Makes room for a new silent connection from the address `from`. While `from` has too many silent connections,
  // closes its oldest one. Otherwise, while there are too many from all addresses, closes the oldest one of the address
  // that has the most. If the query of that connection has arrived completely, reads the query instead of closing.
  void limit_silent(const NetAddress& from, double now_s) {
    for (;;) {
      const auto [in_all, there] = fullness(true, from, limits_.silent_connections, limits_.source_silent_connections);
      if (!in_all && !there) return;
      const auto oldest = oldest_of_most(
          [&, there = there](const Connection& other) {
            return other.state == State::reading && (!there || other.from == from);
          },
          [](const Connection& other) { return other.from; }, 1);
      if (!read_question(*oldest, now_s) || oldest->state == State::reading) connections_.erase(oldest);
    }
  }

  // Returns whether there is room for one more complete query from the address `from`. If there are too many complete
  // queries from `from`, or from all addresses, closes the oldest connection of the user who has the most of them.
  // Returns false if no user has two.
  bool make_room(const NetAddress& from) {
    const auto [in_all, there] = fullness(false, from, limits_.connections, limits_.source_connections);
    if (!in_all && !there) return true;
    const auto oldest = oldest_of_most(
        [&, there = there](const Connection& other) {
          return other.state != State::reading && (!there || other.from == from);
        },
        [](const Connection& other) { return other.asker; }, 2);
    if (oldest == connections_.end()) return false;
    connections_.erase(oldest);
    return true;
  }

  // Reads the query. Returns false when the connection has to be closed.
  bool read_question(Connection& connection, double now_s) {
    std::size_t wanted = query_head_bytes;
    for (;;) {
      if (connection.in.size() >= query_head_bytes) {
        const auto head = decode<QueryHead>(ByteView(connection.in).first(query_head_bytes));
        if (!head) return false;
        wanted = query_head_bytes + head->credential_bytes;
      }
      if (connection.in.size() == wanted) break;
      std::uint8_t buffer[4096];
      const ssize_t got = recv(connection.socket, buffer, std::min(sizeof buffer, wanted - connection.in.size()), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return true;
      if (got <= 0) return false;
      connection.in.insert(connection.in.end(), buffer, buffer + got);
    }
    const std::string credential(connection.in.begin() + query_head_bytes, connection.in.end());
    connection.in = {};
    take_credential(connection, credential, now_s);
    return true;
  }

  // Returns whether munge may decode a credential from the address `from`. This takes a token of the address, and one
  // of the tokens that all addresses share. If other addresses have used up the shared tokens, a token that is reserved
  // for this address replaces the shared one.
  bool may_decode(const NetAddress& from, double now_s) {
    return bucket_of(source_decodes_, from, limits_.source_credentials_per_s, limits_.source_credentials_burst)
               .take(now_s) &&
           (decodes_.take(now_s) ||
            bucket_of(reserved_decodes_, from, limits_.reserved_credentials_per_s, limits_.reserved_credentials_burst)
                .take(now_s));
  }

  void take_credential(Connection& connection, const std::string& credential, double now_s) {
    if (!may_decode(connection.from, now_s)) return refuse(connection, Refusal::too_many, now_s);
    const Credentials::Decoded decoded = credentials_.decode(credential);
    if (decoded.refused != Refusal::none) return refuse(connection, decoded.refused, now_s);
    const auto query = decode<Query>(decoded.payload);
    if (!query) return refuse(connection, Refusal::malformed, now_s);
    const auto same_user = [&](const Connection& other) {
      return other.state != State::reading && other.asker == decoded.maker;
    };
    const auto theirs = std::ranges::count_if(connections_, same_user);
    if (static_cast<std::size_t>(theirs) >= limits_.user_connections ||
        time_of(user_time_, decoded.maker).level(now_s) <= 0 || !make_room(connection.from))
      return refuse(connection, Refusal::too_many, now_s);
    connection.asker = decoded.maker;
    connection.query = *query;
    connection.until_s = now_s + limits_.answer_s;
    connection.state = State::waiting;
  }

  void refuse(Connection& connection, Refusal why, double now_s) {
    connection.out = encode(AnswerHead{static_cast<std::uint8_t>(why)});
    connection.state = State::answering;
    connection.moved_s = now_s;
    connection.until_s = now_s + limits_.question_s;
  }

  // Returns the waiting connection that is served next: the oldest one of the user with the most time left in `times`.
  // Therefore a user with many expensive queries delays another user by one query only. Returns connections_.end() if
  // no waiting connection satisfies `may_serve`.
  template <typename MayServe>
  Connections::iterator next_waiting(UserTimes& times, double now_s, const MayServe& may_serve) {
    auto next = connections_.end();
    double most = 0;
    for (auto connection = connections_.begin(); connection != connections_.end(); ++connection) {
      if (connection->state != State::waiting || !may_serve(*connection)) continue;
      const double level = time_of(times, connection->asker).level(now_s);
      if (next != connections_.end() && level <= most) continue;
      next = connection;
      most = level;
    }
    return next;
  }

  // Answers one waiting query that needs no process of its own. Returns false if there is none.
  bool answer_next(double now_s) {
    const auto next = next_waiting(user_time_, now_s, [](const Connection& connection) {
      return connection.query.kind != Query::Kind::decisions;
    });
    if (next == connections_.end()) return false;
    if (time_of(user_time_, next->asker).level(now_s) <= 0)
      refuse(*next, Refusal::too_many, now_s);
    else
      answer(*next);
    return true;
  }

  void answer(Connection& connection) {
    const double began_s = steady_s();
    connection.seal.emplace(connection.query);
    connection.out = encode(AnswerHead{});
    connection.state = State::answering;
    try {
      connection.text = answers_.at_once(connection.query, connection.asker);
    } catch (const std::exception& error) {
      connection.seal->add(connection.out, std::string_view(error.what()).substr(0, max_message - 1), Piece::failed);
    }
    const double end_s = steady_s();
    connection.moved_s = end_s;
    connection.until_s = end_s + limits_.answer_s;
    time_of(user_time_, connection.asker).charge(end_s, end_s - began_s);
  }

  // Starts processes for streamed answers, at most one per user. The user whose clients held processes for the least
  // time comes first.
  void start_streams(double now_s) {
    const auto may_start = [this](const Connection& connection) {
      const auto same_user = [&](const Stream& stream) { return stream.asker == connection.asker; };
      return connection.query.kind == Query::Kind::decisions && std::ranges::none_of(streams_, same_user);
    };
    while (streams_.size() < limits_.streams) {
      const auto next = next_waiting(stream_time_, now_s, may_start);
      if (next == connections_.end()) return;
      const pid_t process = time_of(user_time_, next->asker).level(now_s) > 0 ? fork() : -1;
      if (process == 0) stream(*next);
      if (process < 0) {
        refuse(*next, Refusal::too_many, now_s);
      } else {
        streams_.push_back({process, next->asker, now_s});
        connections_.erase(next);
      }
    }
  }

  // Removes the processes that have ended. Charges their users for their processor time and for the time that they ran.
  void end_streams(double now_s) {
    std::erase_if(streams_, [&](const Stream& stream) {
      rusage used{};
      if (wait4(stream.process, nullptr, WNOHANG, &used) != stream.process) return false;
      TokenBucket& user_time = time_of(user_time_, stream.asker);
      for (const timeval& time : {used.ru_utime, used.ru_stime})
        user_time.charge(now_s, static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6);
      time_of(stream_time_, stream.asker).charge(now_s, now_s - stream.began_s);
      return true;
    });
  }

  // The main function of a process that streams one answer. SIGALRM ends the process after answer_s. A connection ends
  // only when all processes have closed it. So this process closes the others, and the server closes this one.
  [[noreturn]] void stream(Connection& connection) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    static_cast<void>(nice(5));  // the server, which answers the other queries, comes first
    signal(SIGALRM, SIG_DFL);
    alarm(static_cast<unsigned>(std::ceil(limits_.answer_s)));
    listener_.reset(-1);
    for (Connection& other : connections_)
      if (&other != &connection) other.socket.reset(-1);
    limit_waits(connection.socket, limits_.stalled_s);
    AnswerSeal seal(connection.query);
    Bytes out = encode(AnswerHead{});
    try {
      answers_.streamed(connection.query, connection.asker, [&](std::string_view text) {
        seal.add(out, text, Piece::more);
        if (out.size() >= sealed_at_once) send_or_end(connection.socket, out);
      });
      seal.add(out, {}, Piece::last);
    } catch (const std::exception& error) {
      seal.add(out, std::string_view(error.what()).substr(0, max_message - 1), Piece::failed);
    }
    send_or_end(connection.socket, out);
    _exit(0);
  }

  TokenBucket& time_of(UserTimes& times, uid_t user) {
    return bucket_of(times, user, limits_.user_time_share, limits_.user_time_s);
  }

  // Sends what the socket accepts. Returns false if the whole answer is sent or the connection has failed.
  bool send_answer(Connection& connection, double now_s) {
    for (;;) {
      if (connection.sent == connection.out.size()) {
        if (!connection.text) return false;
        const std::string_view part = std::string_view(*connection.text).substr(connection.sealed, sealed_at_once);
        connection.sealed += part.size();
        const bool is_last = connection.sealed == connection.text->size();
        connection.out.clear();
        connection.sent = 0;
        connection.seal->add(connection.out, part, is_last ? Piece::last : Piece::more);
        if (is_last) connection.text.reset();
      }
      const ssize_t sent = send(connection.socket, connection.out.data() + connection.sent,
                                connection.out.size() - connection.sent, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) return true;
      if (sent <= 0) return false;
      connection.sent += static_cast<std::size_t>(sent);
      connection.moved_s = now_s;
    }
  }

  // Reads, or sends, what is possible for the connection. Returns false if it must be closed. Reads before it checks
  // the time limit, because the answer to another client may have used up the time while data arrived.
  bool serve(Connection& connection, double now_s) {
    if (connection.state == State::reading && !read_question(connection, now_s)) return false;
    if (connection.state == State::waiting && has_left(connection.socket)) return false;
    if (connection.state == State::answering) {
      const bool goes_on = send_answer(connection, now_s);
      const double end_s = steady_s();
      if (connection.seal) time_of(user_time_, connection.asker).charge(end_s, end_s - now_s);  // a refusal has no user
      if (!goes_on) return false;
      if (now_s > connection.moved_s + limits_.stalled_s) return false;
    }
    return now_s <= connection.until_s;
  }

  FileDescriptor listener_;
  Credentials& credentials_;
  const Answers& answers_;
  const QueryLimits& limits_;
  Connections connections_;  // the oldest one is first
  std::vector<Stream> streams_;
  TokenBucket decodes_;
  std::map<NetAddress, TokenBucket> source_decodes_, reserved_decodes_;
  UserTimes user_time_;    // processor time of answers
  UserTimes stream_time_;  // run time of processes for streamed answers
};

}  // namespace

void serve_queries(int listener, Credentials& credentials, const Answers& answers, int stop_descriptor,
                   const QueryLimits& limits) {
  QueryServer(listener, credentials, answers, limits).run(stop_descriptor);
}

}  // namespace placement::protocol
