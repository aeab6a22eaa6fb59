// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/query_server.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "common/util/byte_writer.hpp"
#include "common/util/error.hpp"
#include "monitor/protocol/seal.hpp"
#include "monitor/protocol/udp.hpp"

namespace placement::protocol {

namespace {

constexpr std::size_t most_kept = 4096;  // addresses, and also users, whose rates are remembered
constexpr int accepted_at_once = 64;

// Returns the bucket of `key`. When there are too many buckets, all are dropped, so that memory stays limited.
template <typename Key>
TokenBucket& bucket_of(std::map<Key, TokenBucket>& buckets, const Key& key, double rate, double burst) {
  if (buckets.size() >= most_kept && !buckets.contains(key)) buckets.clear();
  return buckets.try_emplace(key, rate, burst).first->second;
}

void add_sealed(Bytes& out, SealedChannel& channel, ByteView message) {
  const Bytes datagram = channel.seal(message);
  ByteWriter writer(out);
  writer.number(datagram.size(), 2);
  writer.put(datagram);
}

Bytes sealed_answer(const Query& query, bool failed, const std::string& text) {
  const ByteView bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  SealedChannel channel(query.channel, query.key, Side::second);
  Bytes out = encode_answer_head(0);
  out.reserve(out.size() + bytes.size() + (bytes.size() / max_message + 2) * (2 + seal_overhead + answer_head_bytes));
  add_sealed(out, channel, encode(AnswerHead{failed, bytes.size()}));
  for (std::size_t at = 0; at < bytes.size(); at += max_message)
    add_sealed(out, channel, bytes.subspan(at, std::min(max_message, bytes.size() - at)));
  return out;
}

}  // namespace

QueryServer::QueryServer(int listener, Credentials& credentials, Answer answer)
    : QueryServer(listener, credentials, std::move(answer), Limits{}) {}

QueryServer::QueryServer(int listener, Credentials& credentials, Answer answer, const Limits& limits)
    : listener_(listener),
      credentials_(credentials),
      answer_(std::move(answer)),
      limits_(limits),
      decodes_(limits.credentials_per_s, limits.credentials_burst) {}

// Returns whether a new connection from `from` can be accepted. Clients send their query at once. So when there are too
// many connections, the oldest one that has not yet sent its query is closed to make room.
bool QueryServer::make_room(const NetAddress& from) {
  const auto same_source = [&from](const Connection& connection) { return connection.from == from; };
  const bool too_many_there = static_cast<std::size_t>(std::count_if(connections_.begin(), connections_.end(),
                                                                     same_source)) >= limits_.source_connections;
  if (!too_many_there && connections_.size() < limits_.connections) return true;
  const auto silent = std::find_if(connections_.begin(), connections_.end(), [&](const Connection& connection) {
    return !connection.answered && (!too_many_there || same_source(connection));
  });
  if (silent == connections_.end()) return false;
  connections_.erase(silent);
  return true;
}

void QueryServer::accept_all(double now_s) {
  for (int i = 0; i < accepted_at_once; ++i) {
    auto arrival = accept_tcp(listener_);
    if (!arrival) return;
    arrival->from.port = 0;
    if (make_room(arrival->from))
      connections_.emplace_back(*arrival, now_s + limits_.question_s);
    else
      close(arrival->descriptor);
  }
}

void QueryServer::refuse(Connection& connection, Refusal why, double now_s) {
  connection.out = encode_answer_head(static_cast<std::uint8_t>(why));
  connection.answered = true;
  connection.until_s = now_s + limits_.question_s;
}

// Returns false when the connection has to be closed.
bool QueryServer::read_question(Connection& connection, double now_s) {
  std::size_t wanted = query_head_bytes;
  for (;;) {
    if (connection.in.size() >= query_head_bytes) {
      const auto credential = decode_query_head(ByteView(connection.in).first(query_head_bytes));
      if (!credential) return false;
      wanted = query_head_bytes + *credential;
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

void QueryServer::take_credential(Connection& connection, const std::string& credential, double now_s) {
  TokenBucket& source =
      bucket_of(source_decodes_, connection.from, limits_.source_credentials_per_s, limits_.source_credentials_burst);
  if (!source.take(now_s) || !decodes_.take(now_s)) return refuse(connection, Refusal::too_many, now_s);
  const Credentials::Decoded decoded = credentials_.decode(credential);
  if (decoded.fault != Credentials::Fault::none) return refuse(connection, refusal_of(decoded.fault), now_s);
  const auto query = decode_query(decoded.payload);
  if (!query) return refuse(connection, Refusal::malformed, now_s);
  if (waiting_bytes_ > limits_.waiting_bytes) return refuse(connection, Refusal::too_many, now_s);
  answer(connection, *query, decoded.maker, now_s);
}

void QueryServer::answer(Connection& connection, const Query& query, uid_t asker, double now_s) {
  TokenBucket& time = bucket_of(user_time_, asker, limits_.user_time_share, limits_.user_time_s);
  if (time.level(now_s) <= 0) return refuse(connection, Refusal::too_many, now_s);
  const double began_s = steady_s();
  bool failed = false;
  std::string text;
  try {
    text = answer_(query, asker);
  } catch (const Error& error) {
    failed = true;
    text = error.what();
  }
  connection.out = sealed_answer(query, failed, text);
  connection.answered = true;
  const double end_s = steady_s();
  connection.until_s = end_s + limits_.answer_s;
  waiting_bytes_ += connection.out.size();
  time.charge(end_s, end_s - began_s);
}

// Returns false when the whole answer is sent or the client has closed the connection.
bool QueryServer::send_answer(Connection& connection) {
  while (connection.sent < connection.out.size()) {
    const ssize_t sent = send(connection.socket, connection.out.data() + connection.sent,
                              connection.out.size() - connection.sent, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return true;
    if (sent <= 0) return false;
    connection.sent += static_cast<std::size_t>(sent);
  }
  return false;
}

// Returns false when the connection has to be closed. What has arrived is read before the time is looked at, and
// whatever poll() said: the answer to another client may have taken all of the time since.
bool QueryServer::serve(Connection& connection, double now_s) {
  if (!connection.answered && !read_question(connection, now_s)) return false;
  if (connection.answered && !send_answer(connection)) return false;
  return now_s <= connection.until_s;
}

void QueryServer::run(int stop_descriptor) {
  std::vector<pollfd> watched;
  for (;;) {
    watched.assign({{stop_descriptor, POLLIN, 0}, {listener_, POLLIN, 0}});
    for (const Connection& connection : connections_)
      watched.push_back({connection.socket, static_cast<short>(connection.answered ? POLLOUT : POLLIN), 0});
    const int wait_ms = connections_.empty() ? -1 : 500;
    if (poll(watched.data(), watched.size(), wait_ms) < 0 && errno != EINTR)
      throw Error(std::string("poll: ") + std::strerror(errno));
    if (watched[0].revents != 0) return;
    for (auto connection = connections_.begin(); connection != connections_.end();) {
      const bool goes_on = serve(*connection, steady_s());
      connection = goes_on ? std::next(connection) : connections_.erase(connection);
    }
    waiting_bytes_ = 0;
    for (const Connection& connection : connections_) waiting_bytes_ += connection.out.size() - connection.sent;
    if (watched[1].revents != 0) accept_all(steady_s());
  }
}

}  // namespace placement::protocol
