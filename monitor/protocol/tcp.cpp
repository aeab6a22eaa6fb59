// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/tcp.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/util/error.hpp"
#include "monitor/protocol/socket_address.hpp"
#include "monitor/protocol/udp.hpp"

namespace placement::protocol {

namespace {

constexpr int waiting_connections = 64;

int open_stream(bool& v6) {
  int descriptor = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  v6 = descriptor >= 0;
  if (!v6) descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw Error(std::string("cannot open a TCP socket: ") + std::strerror(errno));
  const int no = 0;
  if (v6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  return descriptor;
}

[[noreturn]] void close_and_fail(int descriptor, const std::string& what, int error) {
  close(descriptor);
  throw Error(what + std::strerror(error));
}

}  // namespace

int listen_tcp(std::uint16_t port) {
  bool v6 = false;
  const int descriptor = open_stream(v6), yes = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  NetAddress any;
  any.port = port;
  SocketAddress address = to_socket(any, v6);
  if (bind(descriptor, address.get(), address.length) != 0 || listen(descriptor, waiting_connections) != 0)
    close_and_fail(descriptor, "cannot listen at TCP port " + std::to_string(port) + ": ", errno);
  return descriptor;
}

std::uint16_t local_port(int socket) {
  SocketAddress address;
  address.length = sizeof address.storage;
  if (getsockname(socket, address.get(), &address.length) != 0) return 0;
  return from_socket(address.get()).value_or(NetAddress{}).port;
}

std::optional<TcpArrival> accept_tcp(int listener) {
  SocketAddress address;
  address.length = sizeof address.storage;
  const int descriptor = accept4(listener, address.get(), &address.length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  return TcpArrival{descriptor, from_socket(address.get()).value_or(NetAddress{})};
}

int connect_tcp(const NetAddress& to, double seconds) {
  bool v6 = false;
  const int descriptor = open_stream(v6);
  if (!v6 && !is_v4(to)) close_and_fail(descriptor, "", EAFNOSUPPORT);
  SocketAddress address = to_socket(to, v6);
  if (connect(descriptor, address.get(), address.length) == 0) return descriptor;
  if (errno != EINPROGRESS) close_and_fail(descriptor, "", errno);
  const double end_s = steady_s() + seconds;
  pollfd watched{descriptor, POLLOUT, 0};
  for (double left_s = seconds; poll(&watched, 1, static_cast<int>(left_s * 1000)) <= 0;
       left_s = std::max(end_s - steady_s(), 0.0))
    if (end_s <= steady_s()) close_and_fail(descriptor, "", ETIMEDOUT);
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0)
    close_and_fail(descriptor, "", error != 0 ? error : errno);
  return descriptor;
}

}  // namespace placement::protocol
