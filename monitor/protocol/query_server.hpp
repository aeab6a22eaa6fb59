// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>

#include "common/util/file_descriptor.hpp"
#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/query_wire.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/tcp.hpp"

namespace placement::protocol {

// Answers the queries of query_wire.hpp. A client without a credential can make the server keep at most
// max_query_credential bytes for some seconds, on a limited number of connections. The rate of requests to munge, the
// time spent on answers and the bytes that wait to be read are limited too.
class QueryServer {
 public:
  // Returns the answer to `query` for the user `asker`. Throws Error with a message that is sent to the user.
  using Answer = std::function<std::string(const Query& query, uid_t asker)>;

  struct Limits {
    std::size_t connections = 64;
    std::size_t source_connections = 16;   // from one address
    double question_s = 3;                 // time from the connection to the whole credential
    double answer_s = 30;                  // time that a client has to read its answer
    double source_credentials_per_s = 50;  // credentials from one address that munge decodes
    double source_credentials_burst = 100;
    double credentials_per_s = 500;  // credentials from all addresses that munge decodes
    double credentials_burst = 1000;
    double user_time_share = 0.25;          // share of this process's time for one user, in the long run
    double user_time_s = 5;                 // time for one user in a burst
    std::size_t waiting_bytes = 128 << 20;  // answers that wait to be read; with more, no query is answered
  };

  // The credentials must outlive the server. The server takes over the descriptor `listener`.
  QueryServer(int listener, Credentials& credentials, Answer answer, const Limits& limits);
  QueryServer(int listener, Credentials& credentials, Answer answer);

  // Serves clients until `stop_descriptor` becomes readable. Throws Error when poll() fails.
  void run(int stop_descriptor);

 private:
  struct Connection {
    Connection(const TcpArrival& arrival, double now_s)
        : socket(arrival.descriptor),
          from(arrival.from),
          until_s(now_s) {}
    FileDescriptor socket;
    NetAddress from;  // without the port
    double until_s;
    Bytes in;
    Bytes out;
    std::size_t sent = 0;
    bool answered = false;
  };
  using Connections = std::list<Connection>;

  void accept_all(double now_s);
  bool make_room(const NetAddress& from);
  bool read_question(Connection& connection, double now_s);
  void take_credential(Connection& connection, const std::string& credential, double now_s);
  void refuse(Connection& connection, Refusal why, double now_s);
  void answer(Connection& connection, const Query& query, uid_t asker, double now_s);
  bool send_answer(Connection& connection);
  bool serve(Connection& connection, double now_s);

  FileDescriptor listener_;
  Credentials& credentials_;
  Answer answer_;
  Limits limits_;
  Connections connections_;  // the oldest one is first
  TokenBucket decodes_;
  std::map<NetAddress, TokenBucket> source_decodes_;
  std::map<uid_t, TokenBucket> user_time_;
  std::size_t waiting_bytes_ = 0;
};

}  // namespace placement::protocol
