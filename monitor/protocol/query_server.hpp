// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/util/file_descriptor.hpp"
#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/query_wire.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/sockets.hpp"

namespace placement::protocol {

// The limits of a QueryServer.
struct QueryLimits {
  std::size_t connections = 64;
  std::size_t source_connections = 16;   // from one address
  std::size_t user_connections = 16;     // of one user, with queries that are not yet answered completely
  std::size_t streams = 4;               // processes for streamed answers
  double question_s = 3;                 // time from the connection to the whole credential
  double answer_s = 30;                  // time that a client has to read its answer
  double stalled_s = 2;                  // a client that reads nothing of its answer for this time is disconnected
  double source_credentials_per_s = 50;  // credentials from one address that munge decodes
  double source_credentials_burst = 100;
  double credentials_per_s = 500;  // credentials from all addresses that munge decodes
  double credentials_burst = 1000;
  double reserved_credentials_per_s = 1;  // credentials from one address that munge decodes in any case
  double reserved_credentials_burst = 5;
  double user_time_share = 0.25;  // share of processor time for one user, in the long run
  double user_time_s = 5;         // time for one user in a burst
};

// Answers the queries of query_wire.hpp. A client without a credential can make the server keep at most
// max_query_credential bytes for some seconds, on a limited number of connections. The rate of requests to munge, and
// the connections and the time of one user are limited. The user who has used least time is served first. Queries for
// decisions can take long, so each has a process of its own. There are few processes for this, at most one per user.
class QueryServer {
 public:
  using Text = std::shared_ptr<const std::string>;
  using Send = std::function<void(std::string_view text)>;
  // Both throw Error with a message that is sent to the user `asker`.
  struct Answers {
    std::function<Text(const Query& query, uid_t asker)> at_once;  // for all kinds except decisions
    // Is called in a process of its own. The texts that it sends are the answer. `send` waits for the client.
    std::function<void(const Query& query, uid_t asker, const Send& send)> streamed;
  };

  using Limits = QueryLimits;

  // The credentials must outlive the server. The server takes over the descriptor `listener`.
  QueryServer(int listener, Credentials& credentials, Answers answers, const Limits& limits = {});

  // Serves clients until `stop_descriptor` becomes readable. Throws Error when poll() fails.
  void run(int stop_descriptor);

 private:
  enum class State : std::uint8_t {
    reading,    // the query is not complete
    waiting,    // for its turn
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
    uid_t asker = 0;  // asker and query are set only when the query is complete
    Query query{};
    Bytes in;
    Bytes out;  // sealed pieces of the answer; the first `sent` bytes are sent
    std::size_t sent = 0;
    std::optional<AnswerSeal> seal;
    Text text;  // null: all of it is sealed
    std::size_t sealed = 0;
  };
  using Connections = std::list<Connection>;
  using UserTimes = std::map<uid_t, TokenBucket>;
  struct Stream {
    pid_t process;
    uid_t asker;
    double began_s;
  };

  void accept_all(double now_s);
  template <typename MayClose, typename Group>
  bool close_one(const MayClose& may_close, const Group& group, std::size_t least);
  bool make_room(const NetAddress& from);
  bool read_question(Connection& connection, double now_s);
  bool may_decode(const NetAddress& from, double now_s);
  void take_credential(Connection& connection, const std::string& credential, double now_s);
  void refuse(Connection& connection, Refusal why, double now_s);
  template <typename MayServe>
  Connections::iterator next_waiting(UserTimes& times, double now_s, const MayServe& may_serve);
  bool answer_next(double now_s);
  void answer(Connection& connection);
  void start_streams(double now_s);
  void end_streams(double now_s);
  [[noreturn]] void stream(Connection& connection);
  TokenBucket& time_of(UserTimes& times, uid_t user);
  bool send_answer(Connection& connection, double now_s);
  bool serve(Connection& connection, double now_s);

  FileDescriptor listener_;
  Credentials& credentials_;
  Answers answers_;
  Limits limits_;
  Connections connections_;  // the oldest one is first
  std::vector<Stream> streams_;
  TokenBucket decodes_;
  std::map<NetAddress, TokenBucket> source_decodes_, reserved_decodes_;
  UserTimes user_time_;    // processor time
  UserTimes stream_time_;  // time for which their clients held processes
};

}  // namespace placement::protocol
