// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/tcp.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "common/util/error.hpp"
#include "monitor/protocol/socket_address.hpp"

namespace placement::protocol {

namespace {

constexpr int waiting_connections = 64;

[[noreturn]] void close_and_fail(int descriptor, const std::string& what, int error) {
  close(descriptor);
  throw Error(what + std::strerror(error));
}

}  // namespace

int listen_tcp(std::uint16_t port) {
  bool v6 = false;
  const int descriptor = open_inet_socket(SOCK_STREAM, v6), yes = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  NetAddress any;
  any.port = port;
  SocketAddress address = to_socket(any, v6);
  if (bind(descriptor, address.get(), address.length) != 0 || listen(descriptor, waiting_connections) != 0)
    close_and_fail(descriptor, "cannot listen on TCP port " + std::to_string(port) + ": ", errno);
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

void limit_waits(int socket, double seconds) {
  const auto whole_s = static_cast<time_t>(seconds);
  const timeval limit{whole_s, static_cast<suseconds_t>((seconds - static_cast<double>(whole_s)) * 1e6)};
  if (fcntl(socket, F_SETFL, 0) != 0 || setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
      setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0)
    throw Error(std::strerror(errno));
}

int connect_tcp(const NetAddress& to, double seconds) {
  bool v6 = false;
  const int descriptor = open_inet_socket(SOCK_STREAM, v6);
  if (!v6 && !is_v4(to)) close_and_fail(descriptor, "", EAFNOSUPPORT);
  SocketAddress address = to_socket(to, v6);
  limit_waits(descriptor, seconds);
  if (TEMP_FAILURE_RETRY(connect(descriptor, address.get(), address.length)) != 0)
    close_and_fail(descriptor, "", errno == EINPROGRESS ? ETIMEDOUT : errno);
  return descriptor;
}

}  // namespace placement::protocol
