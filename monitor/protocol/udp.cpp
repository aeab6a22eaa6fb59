// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/udp.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

#include "common/util/error.hpp"
#include "monitor/protocol/seal.hpp"
#include "monitor/protocol/socket_address.hpp"

namespace placement::protocol {

namespace {

constexpr int wanted_buffer_bytes = 1 << 20;  // the kernel may grant less

bool is_any(const NetAddress& address) {
  return std::all_of(address.ip.begin(), address.ip.end(), [](std::uint8_t byte) { return byte == 0; });
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
  if (bind(descriptor_, address.get(), address.length) != 0)
    throw Error("cannot bind to " + (is_any(bind_to) ? "port " + std::to_string(bind_to.port) : to_string(bind_to)) +
                ": " + std::strerror(errno));
  address.length = sizeof address.storage;
  if (getsockname(descriptor_, address.get(), &address.length) == 0)
    local_ = from_socket(address.get()).value_or(bind_to);
}

std::unique_ptr<UdpSocket> reserved_udp_socket() {
  constexpr std::uint16_t first = 900, last = 988;  // no well-known service has a port in this range
  constexpr std::uint16_t ports = last - first + 1;
  const auto start = static_cast<std::uint16_t>(random_u64() % ports);
  NetAddress address;
  for (std::uint16_t k = 0; k < ports; ++k) try {
      address.port = static_cast<std::uint16_t>(first + (start + k) % ports);
      return std::make_unique<UdpSocket>(address);
    } catch (const Error&) {  // the next one may be free
    }
  return std::make_unique<UdpSocket>(NetAddress{});
}

bool UdpSocket::send(ByteView datagram, const NetAddress& to) {
  if (!v6_ && !is_v4(to)) return false;
  SocketAddress address = to_socket(to, v6_);
  return sendto(descriptor_, datagram.data(), datagram.size(), MSG_NOSIGNAL, address.get(), address.length) ==
         static_cast<ssize_t>(datagram.size());
}

std::optional<UdpSocket::Arrival> UdpSocket::receive() {
  for (int attempt = 0; attempt < 16; ++attempt) {
    SocketAddress from;
    alignas(cmsghdr) char control[256];
    iovec place{buffer_.data(), buffer_.size()};
    msghdr message{};
    message.msg_name = from.get();
    message.msg_namelen = sizeof from.storage;
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
    const auto sender = from_socket(from.get());
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

double steady_s() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::int64_t wall_clock_ns() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

}  // namespace placement::protocol
