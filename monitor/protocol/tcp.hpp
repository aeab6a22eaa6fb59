// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "common/util/file_descriptor.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement {

// TCP sockets for IPv4 and IPv6, without blocking. The caller closes the descriptors that are returned.

// A listener at this port of all addresses, 0 being any. Throws Error.
int listen_tcp(std::uint16_t port);

// The port of a socket of this host.
std::uint16_t local_port(int socket);

struct TcpArrival {
  int descriptor = -1;
  NetAddress from;
};
// The next connection that waits; none: there is none.
std::optional<TcpArrival> accept_tcp(int listener);

// A connection to this address within so many seconds. Throws Error with what the system says.
int connect_tcp(const NetAddress& to, double seconds);

}  // namespace placement
