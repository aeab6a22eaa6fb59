// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/sockets.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "common/util/error.hpp"
#include "monitor/protocol/seal.hpp"

namespace placement::protocol {

namespace {

constexpr int wanted_buffer_bytes = 1 << 20;  // the kernel may grant less

bool is_any(const NetAddress& address) {
  return std::ranges::all_of(address.ip, [](std::uint8_t byte) { return byte == 0; });
}

[[noreturn]] void close_and_fail(int descriptor, const std::string& what, int error) {
  close(descriptor);
  throw Error(what + std::strerror(error));
}

// An address in the form that the socket functions of the system take and return.
struct SocketAddress {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6 = {};
  };
  socklen_t length = sizeof v6;
};

// Converts `address` for an IPv6 socket (`v6`), which takes IPv4 addresses in their mapped form, or for an IPv4 socket.
SocketAddress to_socket(const NetAddress& address, bool v6) {
  SocketAddress out;
  if (v6) {
    out.v6.sin6_family = AF_INET6;
    out.v6.sin6_port = htons(address.port);
    std::ranges::copy(address.ip, out.v6.sin6_addr.s6_addr);
    return out;
  }
  out.v4 = {};
  out.v4.sin_family = AF_INET;
  out.v4.sin_port = htons(address.port);
  std::memcpy(&out.v4.sin_addr, address.ip.data() + 12, 4);
  out.length = sizeof out.v4;
  return out;
}

// Returns none when `from` is null or neither an IPv4 nor an IPv6 address.
std::optional<NetAddress> from_socket(const sockaddr* from) {
  NetAddress address;
  if (from != nullptr && from->sa_family == AF_INET6) {
    sockaddr_in6 in;
    std::memcpy(&in, from, sizeof in);
    std::ranges::copy(in.sin6_addr.s6_addr, address.ip.begin());
    address.port = ntohs(in.sin6_port);
  } else if (from != nullptr && from->sa_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, from, sizeof in);
    address.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};
    std::memcpy(address.ip.data() + 12, &in.sin_addr, 4);
    address.port = ntohs(in.sin_port);
  } else {
    return std::nullopt;
  }
  return address;
}

// Opens a non-blocking socket of `type` SOCK_DGRAM or SOCK_STREAM for IPv6 and IPv4, or for IPv4 if the host has no
// IPv6. Sets `v6` to true for IPv6. Throws Error.
int open_inet_socket(int type, bool& v6) {
  type |= SOCK_NONBLOCK | SOCK_CLOEXEC;
  int descriptor = socket(AF_INET6, type, 0);
  v6 = descriptor >= 0;
  if (!v6) descriptor = socket(AF_INET, type, 0);
  if (descriptor < 0) throw Error(std::string("cannot open a socket: ") + std::strerror(errno));
  const int no = 0;
  if (v6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  return descriptor;
}

}  // namespace

UdpSocket::UdpSocket(const NetAddress& bind_to)
    : descriptor_(open_inet_socket(SOCK_DGRAM, v6_)),
      buffer_(max_datagram + 1) {
  const int yes = 1;
  setsockopt(descriptor_, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &wanted_buffer_bytes, sizeof wanted_buffer_bytes);
  setsockopt(descriptor_, SOL_SOCKET, SO_SNDBUF, &wanted_buffer_bytes, sizeof wanted_buffer_bytes);
  SocketAddress address = to_socket(bind_to, v6_);
  if (bind(descriptor_, &address.any, address.length) != 0)
    throw Error("cannot bind to " + (is_any(bind_to) ? "port " + std::to_string(bind_to.port) : to_string(bind_to)) +
                ": " + std::strerror(errno));
  if (getsockname(descriptor_, &address.any, &address.length) == 0)
    local_ = from_socket(&address.any).value_or(bind_to);
}

std::unique_ptr<UdpSocket> reserved_udp_socket() {
  constexpr std::uint16_t first = 900, last = 988;  // no well-known service has a port in this range
  constexpr std::uint16_t ports = last - first + 1;
  const auto start = static_cast<std::uint16_t>(random_u64() % ports);
  for (std::uint16_t k = 0; k < ports; ++k) try {
      return std::make_unique<UdpSocket>(NetAddress{{}, static_cast<std::uint16_t>(first + (start + k) % ports)});
    } catch (const Error&) {  // the next one may be free
    }
  return std::make_unique<UdpSocket>(NetAddress{});
}

bool UdpSocket::send(ByteView datagram, const NetAddress& to) {
  if (!v6_ && !to.is_v4()) return false;
  SocketAddress address = to_socket(to, v6_);
  return sendto(descriptor_, datagram.data(), datagram.size(), MSG_NOSIGNAL, &address.any, address.length) ==
         static_cast<ssize_t>(datagram.size());
}

std::optional<UdpSocket::Arrival> UdpSocket::receive() {
  for (int attempt = 0; attempt < 16; ++attempt) {
    SocketAddress from;
    alignas(cmsghdr) char control[256];
    iovec place{buffer_.data(), buffer_.size()};
    msghdr message{};
    message.msg_name = &from.any;
    message.msg_namelen = from.length;
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t length = recvmsg(descriptor_, &message, 0);
    if (length < 0) {
      // The kernel reports a peer without a listener as an error, once for each datagram sent to it.
      if (errno == ECONNREFUSED || errno == EINTR || errno == EHOSTUNREACH || errno == ENETUNREACH) continue;
      return std::nullopt;
    }
    const auto sender = from_socket(&from.any);
    if (!sender) continue;
    Arrival arrival{.datagram = ByteView(buffer_).first(static_cast<std::size_t>(length)), .from = *sender};
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part))
      if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS) {
        timespec stamp;
        std::memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
        arrival.at_ns = std::int64_t{stamp.tv_sec} * 1000000000 + stamp.tv_nsec;
      }
    if (arrival.at_ns == 0) arrival.at_ns = wall_clock_ns();
    return arrival;
  }
  return std::nullopt;
}

std::vector<NetAddress> resolve(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  std::vector<NetAddress> found;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &list) != 0) return found;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, freeaddrinfo);
  for (const addrinfo* info = list; info != nullptr; info = info->ai_next)
    if (auto address = from_socket(info->ai_addr)) {
      address->port = port;
      found.push_back(*address);
    }
  return found;
}

std::future<std::vector<NetAddress>> resolve_in_thread(const std::string& host, std::uint16_t port) {
  const auto task =
      std::make_shared<std::packaged_task<std::vector<NetAddress>()>>([host, port] { return resolve(host, port); });
  try {
    std::thread([task] { (*task)(); }).detach();
  } catch (const std::system_error&) {  // no thread can be made now
    (*task)();
  }
  return task->get_future();
}

std::optional<NetAddress> interface_address(const std::string& interface, std::uint16_t port) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, freeifaddrs);
  for (const int family : {AF_INET, AF_INET6})
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
      if (interface != entry->ifa_name || entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != family) continue;
      auto address = from_socket(entry->ifa_addr);
      // A link-local address is skipped, because it can be used only together with the number of the interface.
      if (!address || (family == AF_INET6 && address->ip[0] == 0xfe && (address->ip[1] & 0xc0) == 0x80)) continue;
      address->port = port;
      return address;
    }
  return std::nullopt;
}

double steady_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::int64_t wall_clock_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

int listen_tcp(std::uint16_t port) {
  bool v6 = false;
  const int descriptor = open_inet_socket(SOCK_STREAM, v6), yes = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  SocketAddress address = to_socket({{}, port}, v6);
  if (bind(descriptor, &address.any, address.length) != 0 || listen(descriptor, SOMAXCONN) != 0)
    close_and_fail(descriptor, "cannot listen on TCP port " + std::to_string(port) + ": ", errno);
  return descriptor;
}

std::optional<TcpArrival> accept_tcp(int listener) {
  SocketAddress address;
  const int descriptor = accept4(listener, &address.any, &address.length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  return TcpArrival{descriptor, from_socket(&address.any).value_or(NetAddress{})};
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
  if (!v6 && !to.is_v4()) close_and_fail(descriptor, "", EAFNOSUPPORT);
  SocketAddress address = to_socket(to, v6);
  limit_waits(descriptor, seconds);
  if (TEMP_FAILURE_RETRY(connect(descriptor, &address.any, address.length)) != 0)
    close_and_fail(descriptor, "", errno == EINPROGRESS ? ETIMEDOUT : errno);
  return descriptor;
}

}  // namespace placement::protocol
