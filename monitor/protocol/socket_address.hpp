// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/socket.h>

#include <optional>

#include "monitor/protocol/messages.hpp"

namespace placement::protocol {

// An address in the form that the socket functions of the system take and return.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

// Returns whether `address` is an IPv4 address.
bool is_v4(const NetAddress& address);

// Converts `address` for an IPv6 socket (`v6`), which takes IPv4 addresses in their mapped form, or for an IPv4 socket.
SocketAddress to_socket(const NetAddress& address, bool v6);

// Opens a non-blocking socket of `type` SOCK_DGRAM or SOCK_STREAM for IPv6 and IPv4, or for IPv4 if the host has no
// IPv6. Sets `v6` to true for IPv6. Throws Error.
int open_inet_socket(int type, bool& v6);

// Returns none when `from` is null or neither an IPv4 nor an IPv6 address.
std::optional<NetAddress> from_socket(const sockaddr* from);

}  // namespace placement::protocol
