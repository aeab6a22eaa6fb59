// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "monitor/protocol/session.hpp"
#include "monitor/protocol/udp.hpp"

namespace placement::monitor {

// The monitor's UDP port with the sessions at it. The peers are the nodes, by their order in slurm.conf.
struct MonitorPort {
  protocol::UdpSocket socket;
  protocol::ServerSessions sessions;

  // Sends a message to a peer with a session. Throws Error without a session.
  void send(std::int32_t peer, protocol::ByteView message) {
    socket.send(sessions.seal(peer, message), sessions.address(peer));
  }
};

}  // namespace placement::monitor
