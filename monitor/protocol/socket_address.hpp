// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/socket.h>

#include <optional>

#include "monitor/protocol/messages.hpp"

namespace placement {

// An address as the calls of sockets take and give it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

// Whether the address is one of IPv4.
bool is_v4(const NetAddress& address);

// For a socket of IPv6 (`v6`), which has IPv4 addresses in their mapped form, or of IPv4.
SocketAddress to_socket(const NetAddress& address, bool v6);

// None: neither IPv4 nor IPv6.
std::optional<NetAddress> from_socket(const sockaddr* from);

}  // namespace placement
