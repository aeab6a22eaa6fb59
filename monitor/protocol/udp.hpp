// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/util/file_descriptor.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement {

// A UDP socket for IPv4 and IPv6, without blocking.
class UdpSocket {
 public:
  // Bound to this address, all zeros being any, and port, 0 being any. Throws Error.
  explicit UdpSocket(const NetAddress& bind_to);

  int descriptor() const { return descriptor_; }
  const NetAddress& local() const { return local_; }

  // False when it cannot be sent now or at all.
  bool send(ByteView datagram, const NetAddress& to);

  struct Arrival {
    ByteView datagram;  // good until the next call
    NetAddress from;
    std::int64_t at_ns = 0;  // when the kernel took it, of the wall clock
  };
  // The next datagram that has arrived, at most max_datagram bytes of it and one more; none: there is none.
  std::optional<Arrival> receive();

 private:
  FileDescriptor descriptor_;
  NetAddress local_;
  bool v6_ = true;
  Bytes buffer_;
};

// The first address of a name or numeric address; none when it has none. May take seconds.
std::optional<NetAddress> resolve(const std::string& host, std::uint16_t port);

// The address of a network interface of this host, IPv4 first; none: no such interface, or no address.
std::optional<NetAddress> interface_address(const std::string& interface, std::uint16_t port);

double steady_s();            // a clock that only goes on
std::int64_t wall_clock_ns();  // since 1970

}  // namespace placement
