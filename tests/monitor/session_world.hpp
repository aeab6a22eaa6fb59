// SPDX-License-Identifier: GPL-2.0-or-later
// A monitor with four nodes, for the tests of sessions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "monitor/protocol/session.hpp"
#include "tests/check.hpp"
#include "tests/monitor/fake_credentials.hpp"

namespace placement {

inline constexpr unsigned our_uid = 64030;

inline protocol::NetAddress address_of(std::uint8_t host, std::uint16_t port = 6821) {
  protocol::NetAddress address;
  address.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, host};
  address.port = port;
  return address;
}

// Admits the nodes n0 to n3. Node nK has the address 192.0.2.K.
inline std::optional<std::int32_t> index_of(const std::string& name) {
  if (name.size() != 2 || name[0] != 'n' || name[1] < '0' || name[1] > '3') return std::nullopt;
  return name[1] - '0';
}
inline bool has_address(std::int32_t peer, const protocol::NetAddress& from) {
  return from.ip == address_of(static_cast<std::uint8_t>(peer)).ip;
}
inline const protocol::ServerSessions::Admit admit{index_of, has_address};

struct World {
  FakeCredentials::Service munge;
  FakeCredentials ours{munge, our_uid};
  int lookups = 0;  // calls of has_address()
  protocol::ServerSessions server{ours, 4, {index_of, [this](std::int32_t peer, const protocol::NetAddress& from) {
                                              ++lookups;
                                              return has_address(peer, from);
                                            }}};
  double now_s = 1000;

  protocol::ServerSessions::Received to_server(const protocol::Bytes& datagram, const protocol::NetAddress& from) {
    const auto received = server.receive(datagram, from, now_s);
    ck_assert_uint_le(received.reply.size(), datagram.size());
    return received;
  }
  protocol::Bytes join_of(protocol::ClientSession& client, const protocol::NetAddress& from) {
    const protocol::Bytes hello = client.due(now_s);
    ck_assert(!hello.empty());
    const auto challenge = to_server(hello, from);
    ck_assert(!challenge.reply.empty());
    const protocol::Bytes join = client.receive(challenge.reply, now_s).reply;
    ck_assert_uint_le(join.size(), challenge.reply.size());
    return join;
  }
  void establish(protocol::ClientSession& client, const protocol::NetAddress& from) {
    const auto accepted = to_server(join_of(client, from), from);
    ck_assert(accepted.joined);
    ck_assert(client.receive(accepted.reply, now_s).established);
  }
};

inline const protocol::Bytes text = {2, 'h', 'i'};

inline std::uint64_t count(const protocol::ServerSessions& server, protocol::Refusal why) {
  return server.refused()[static_cast<std::size_t>(why)];
}

}  // namespace placement
