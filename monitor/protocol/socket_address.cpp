// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/socket_address.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/util/error.hpp"

namespace placement::protocol {

namespace {

constexpr std::uint8_t v4_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};

}  // namespace

bool is_v4(const NetAddress& address) { return std::equal(v4_prefix, v4_prefix + 12, address.ip.begin()); }

SocketAddress to_socket(const NetAddress& address, bool v6) {
  SocketAddress out;
  if (v6) {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(address.port);
    std::copy(address.ip.begin(), address.ip.end(), in.sin6_addr.s6_addr);
    std::memcpy(&out.storage, &in, sizeof in);
    out.length = sizeof in;
  } else {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(address.port);
    std::memcpy(&in.sin_addr, address.ip.data() + 12, 4);
    std::memcpy(&out.storage, &in, sizeof in);
    out.length = sizeof in;
  }
  return out;
}

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

std::optional<NetAddress> from_socket(const sockaddr* from) {
  NetAddress address;
  if (from == nullptr) return std::nullopt;
  if (from->sa_family == AF_INET6) {
    sockaddr_in6 in;
    std::memcpy(&in, from, sizeof in);
    std::copy_n(in.sin6_addr.s6_addr, 16, address.ip.begin());
    address.port = ntohs(in.sin6_port);
  } else if (from->sa_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, from, sizeof in);
    std::copy_n(v4_prefix, 12, address.ip.begin());
    std::memcpy(address.ip.data() + 12, &in.sin_addr, 4);
    address.port = ntohs(in.sin_port);
  } else {
    return std::nullopt;
  }
  return address;
}

}  // namespace placement::protocol
