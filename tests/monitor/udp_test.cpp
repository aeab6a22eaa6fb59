// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the UDP sockets on hosts with and without IPv6, and of lookups of addresses.
#include "monitor/protocol/sockets.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "tests/check.hpp"

using namespace placement;
using namespace placement::protocol;

namespace {

bool host_has_v6 = true;

NetAddress loopback(std::uint16_t port) {
  NetAddress address;
  address.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1};
  address.port = port;
  return address;
}

}  // namespace

// All sockets of this program come from here: as with ipv6.disable=1, the kernel may know no IPv6.
extern "C" int socket(int family, int type, int protocol) noexcept {
  if (family == AF_INET6 && !host_has_v6) {
    errno = EAFNOSUPPORT;
    return -1;
  }
  return static_cast<int>(syscall(SYS_socket, family, type, protocol));
}

START_TEST(datagrams_travel_with_and_without_ipv6) {
  for (const bool with_v6 : {true, false}) {
    host_has_v6 = with_v6;
    UdpSocket server{NetAddress{}}, client{loopback(0)};
    const auto agent = reserved_udp_socket();
    ck_assert_uint_gt(agent->local().port, 0);
    for (UdpSocket* const from : {&client, agent.get()}) {
      const Bytes sent{1, 2, 3};
      ck_assert(from->send(sent, loopback(server.local().port)));
      pollfd watched{server.descriptor(), POLLIN, 0};
      ck_assert_int_eq(poll(&watched, 1, 10000), 1);
      const auto arrival = server.receive();
      ck_assert(arrival && Bytes(arrival->datagram.begin(), arrival->datagram.end()) == sent);
      ck_assert(arrival->from == loopback(from->local().port));
    }
  }
}
END_TEST

START_TEST(an_address_is_looked_up) {
  for (const std::uint16_t port : {7, 8})
    ck_assert(resolve_in_thread("127.0.0.1", port).get() == std::vector{loopback(port)});
}
END_TEST

int main() {
  Suite* suite = suite_create("udp");
  TCase* tests = tcase_create("udp");
  tcase_add_test(tests, datagrams_travel_with_and_without_ipv6);
  tcase_add_test(tests, an_address_is_looked_up);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
