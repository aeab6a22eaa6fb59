// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/query_client.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <thread>

#include "common/util/error.hpp"
#include "common/util/users.hpp"
#include "monitor/protocol/seal.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/sockets.hpp"

namespace placement::protocol {

namespace {

constexpr double connect_s = 5;
constexpr double first_pause_s = 0.1;  // between two connections for one query
constexpr double longer_pause = 1.5;   // factor from one pause to the next

// The monitor closed the connection.
class ConnectionLost : public Error {
 public:
  using Error::Error;
};

// One connection. It must be made, and all reads and writes must end, in `seconds`.
class Stream {
 public:
  Stream(const NetAddress& to, double seconds)
      : seconds_(seconds),
        end_s_(steady_s() + seconds),
        socket_(connect_tcp(to, std::min(connect_s, seconds))) {
    limit_waits(socket_, seconds);
  }

  void write(ByteView bytes) {
    while (!bytes.empty())
      bytes = bytes.subspan(moved(TEMP_FAILURE_RETRY(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL))));
  }

  Bytes read(std::size_t size) {
    Bytes bytes(size);
    for (std::size_t at = 0; at < size;) {
      const std::size_t got = moved(TEMP_FAILURE_RETRY(recv(socket_, bytes.data() + at, size - at, 0)));
      at += got;
      if (got == 0) throw ConnectionLost("it closed the connection without an answer");
    }
    return bytes;
  }

 private:
  // Returns the number of bytes that a call moved. Throws Error if it failed, and after the deadline.
  std::size_t moved(ssize_t bytes) const {
    if (bytes < 0 && (errno == ECONNRESET || errno == EPIPE)) throw ConnectionLost(std::strerror(errno));
    if (bytes < 0 && errno != EAGAIN) throw Error(std::strerror(errno));
    if (bytes < 0 || steady_s() > end_s_)
      throw Error("no complete answer in " + std::to_string(std::lround(seconds_)) + " s");
    return static_cast<std::size_t>(bytes);
  }

  double seconds_;
  double end_s_;
  FileDescriptor socket_;
};

Bytes read_sealed(Stream& stream, SealedChannel& channel) {
  const Bytes length = stream.read(2);
  const std::size_t size = length[0] + 256U * length[1];
  if (size < seal_overhead || size > max_datagram) throw Error("its answer is malformed");
  auto message = channel.open(stream.read(size));
  if (!message) throw Error("its answer is not sealed with our key");
  return std::move(*message);
}

std::string told_refusal(std::uint8_t reason) {
  if (reason == static_cast<std::uint8_t>(Refusal::too_many))
    return "it refuses: too many queries at once, try again later";
  if (reason >= static_cast<std::uint8_t>(Refusal::count)) return "it refuses";
  return std::string("it refuses: ") + to_string(static_cast<Refusal>(reason));
}

}  // namespace

MonitorAddress monitor_address(const std::string& slurm_conf, const ControllerState& controller, const Config& config) {
  SlurmHosts hosts = read_slurm_hosts(slurm_conf);
  const bool told = !controller.monitor_user.empty() && controller.monitor_port != 0;
  return {std::move(hosts.controllers), std::move(hosts.munge_socket),
          told ? controller.monitor_user : config.monitor_user,
          static_cast<std::uint16_t>(told ? controller.monitor_port : config.monitor_port)};
}

std::string ask_monitor(const NetAddress& to, Credentials& credentials, Query query, double seconds, int tries) {
  const double end_s = steady_s() + seconds;
  std::optional<Stream> stream;
  std::optional<AnswerHead> head;
  double pause_s = first_pause_s;
  const auto is_last = [&] { return tries <= 1 || end_s - steady_s() < 2 * pause_s; };
  // A monitor with too many silent connections may close this one before it has read the query. It also refuses the
  // query while other processes of this host send too many. In both cases, a further connection is made.
  for (;; --tries) try {
      if (stream)
        std::this_thread::sleep_for(std::chrono::duration<double>(std::exchange(pause_s, pause_s * longer_pause)));
      query.channel = random_u64();
      fill_random(query.key);
      const auto credential = credentials.encode(encode(query));
      if (!credential) throw Error(credentials.why());
      if (credential->size() > max_query_credential) throw Error("the query is too long");
      stream.emplace(to, std::max(end_s - steady_s(), 0.1));
      stream->write(encode(QueryHead{static_cast<std::uint32_t>(credential->size())}));
      stream->write({reinterpret_cast<const std::uint8_t*>(credential->data()), credential->size()});
      head = decode<AnswerHead>(stream->read(answer_head_bytes));
      if (!head || head->reason != static_cast<std::uint8_t>(Refusal::too_many) || is_last()) break;
    } catch (const ConnectionLost&) {
      if (is_last()) throw;
    }
  if (!head) throw Error("the answer is not from a placement-monitor");
  if (head->reason != 0) throw Error(told_refusal(head->reason));
  SealedChannel channel(query.channel, query.key, Side::first);
  std::string text;
  for (;;) {
    const Bytes piece = read_sealed(*stream, channel);
    const auto kind = static_cast<Piece>(piece[0]);
    const std::string part(piece.begin() + 1, piece.end());
    if (kind == Piece::failed) throw Error(part);
    text += part;
    if (kind == Piece::last) return text;
    if (kind != Piece::more || text.size() > max_answer_bytes) throw Error("its answer is malformed");
  }
}

MonitorAnswer ask_monitors(const MonitorAddress& address, const Query& query, double seconds) {
  const auto user = number_of_user(address.user);
  if (!user)
    throw Error("MonitorUser=" + address.user +
                " is not a user of this host: cannot query placement-monitor from this host");
  const auto credentials = munge_credentials(*user, address.munge_socket);
  std::string why;
  for (const SlurmHost& controller : address.controllers) try {
      const auto to = resolve(controller.address, address.port);
      if (to.empty()) throw Error("its address " + controller.address + " cannot be resolved");
      return {controller.name, ask_monitor(to.front(), *credentials, query, seconds)};
    } catch (const Error& error) {
      why += (why.empty() ? "" : "; ") + ("placement-monitor on " + controller.name + ", port " +
                                          std::to_string(address.port) + ": " + error.what());
    }
  throw Error(why);
}

}  // namespace placement::protocol
