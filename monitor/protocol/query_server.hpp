// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/query_wire.hpp"

namespace placement::protocol {

// The limits of serve_queries().
struct QueryLimits {
  std::size_t silent_connections = 512;         // connections whose query is not yet complete
  std::size_t source_silent_connections = 256;  // the limit of them from one address
  std::size_t connections = 64;                 // connections with a complete query
  std::size_t source_connections = 16;          // the limit of them from one address
  std::size_t user_connections = 16;            // of one user, with queries that are not yet answered completely
  std::size_t streams = 4;                      // processes for streamed answers
  double question_s = 3;                        // time from the connection to the whole credential
  double answer_s = 30;                         // time that a client has to read its answer
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

using AnswerText = std::shared_ptr<const std::string>;
using SendText = std::function<void(std::string_view text)>;

// The functions that answer a query of the user `asker`. Both throw Error with a message that is sent to this user.
struct Answers {
  std::function<AnswerText(const Query& query, uid_t asker)> at_once;  // for all kinds except decisions
  // Is called in a process of its own. The texts that it sends are the answer. `send` waits for the client.
  std::function<void(const Query& query, uid_t asker, const SendText& send)> streamed;
};

// Answers the queries of query_wire.hpp at the descriptor `listener`, which it takes over, until `stop_descriptor`
// becomes readable. A client without a credential can make the server keep at most max_query_credential bytes for some
// seconds, on a limited number of connections. The rate of requests to munge, and the connections and the time of one
// user are limited. The user who has used least time is served first. Queries for decisions can take long, so each has
// a process of its own. There are few processes for this, at most one per user. Throws Error when poll() fails.
void serve_queries(int listener, Credentials& credentials, const Answers& answers, int stop_descriptor,
                   const QueryLimits& limits = {});

}  // namespace placement::protocol
