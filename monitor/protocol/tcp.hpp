// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "common/util/file_descriptor.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement::protocol {

// TCP sockets for IPv4 and IPv6. The caller closes the returned descriptors.

// Returns a non-blocking socket that listens on `port` of all addresses. With port 0 the system chooses a free port.
// Throws Error.
int listen_tcp(std::uint16_t port);

// Returns the local port of `socket`, or 0 when it is not known.
std::uint16_t local_port(int socket);

struct TcpArrival {
  int descriptor = -1;
  NetAddress from;
};
// Accepts the next waiting connection. Returns none when no connection waits.
std::optional<TcpArrival> accept_tcp(int listener);

// Makes `socket` block, and limits each read and write to `seconds` seconds. Throws Error.
void limit_waits(int socket, double seconds);

// Connects to `to` within `seconds` seconds and returns the descriptor. Each read and write has this limit, too. Throws
// Error with the system's message.
int connect_tcp(const NetAddress& to, double seconds);

}  // namespace placement::protocol
