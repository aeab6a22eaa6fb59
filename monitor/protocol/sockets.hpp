// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/util/file_descriptor.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement::protocol {

// A non-blocking UDP socket for IPv4 and IPv6.
class UdpSocket {
 public:
  // Binds the socket. An address of zeros means all addresses, and with port 0 the system chooses a port. Throws Error.
  explicit UdpSocket(const NetAddress& bind_to);

  int descriptor() const { return descriptor_; }
  const NetAddress& local() const { return local_; }

  // Sends a datagram to `to`. Returns false if it cannot be sent now or at all.
  bool send(ByteView datagram, const NetAddress& to);

  struct Arrival {
    ByteView datagram;  // valid until the next call
    NetAddress from;
    std::int64_t at_ns = 0;  // when the kernel received it, by the wall clock, since 1970
  };
  // Returns the next datagram that has arrived, or none. A datagram longer than max_datagram is cut to one byte more
  // than that, so that its decoder rejects it.
  std::optional<Arrival> receive();

 private:
  bool v6_ = true;  // declared before the descriptor, because opening the socket sets it
  FileDescriptor descriptor_;
  NetAddress local_;
  Bytes buffer_;
};

// Returns a socket with a reserved port, or with any port if this process can have no reserved port. Throws Error.
std::unique_ptr<UdpSocket> reserved_udp_socket();

// Returns the addresses of a host name or numeric address, with `port`; none if unknown. May block for seconds.
std::vector<NetAddress> resolve(const std::string& host, std::uint16_t port);

// Runs resolve() in a thread of its own, because the loop of a daemon must not block.
std::future<std::vector<NetAddress>> resolve_in_thread(const std::string& host, std::uint16_t port);

// Returns an address of a network interface of this host, IPv4 first. Returns none when the host has no interface of
// this name, or when the interface has no address.
std::optional<NetAddress> interface_address(const std::string& interface, std::uint16_t port);

double steady_s();             // seconds of a clock that is never set back
std::int64_t wall_clock_ns();  // nanoseconds since 1970

// TCP sockets for IPv4 and IPv6. The caller closes the returned descriptors.

// Returns a non-blocking socket that listens on `port` of all addresses, or on a free port for 0. Throws Error.
int listen_tcp(std::uint16_t port);

struct TcpArrival {
  int descriptor = -1;
  NetAddress from;
};
// Accepts the next waiting connection. Returns none when no connection waits.
std::optional<TcpArrival> accept_tcp(int listener);

// Makes `socket` block, and limits each read and write to `seconds` seconds. Throws Error.
void limit_waits(int socket, double seconds);

// Connects to `to` within `seconds`, also the limit of each read and write. Returns the descriptor. Throws Error.
int connect_tcp(const NetAddress& to, double seconds);

}  // namespace placement::protocol
