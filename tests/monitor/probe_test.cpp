// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of two ends of a probe. The network between them is a list of datagrams and a clock.
#include "monitor/agent/probe.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>

#include "tests/check.hpp"

using namespace placement;
using namespace placement::agent;
using namespace placement::protocol;

namespace {

NetAddress address_of(std::uint8_t host) {
  NetAddress address;
  address.ip[15] = host;
  address.port = 6829;
  return address;
}

struct Network {
  struct Packet {
    std::int64_t at_ns;
    std::uint8_t from, to;
    Bytes datagram;
  };
  struct End : ProbeIo {
    End(Network& of, std::uint8_t own) : network(of), number(own) {}
    bool send(ByteView datagram, const NetAddress& to) override {
      if (refuse > 0) return --refuse, false;
      ++sent;
      sent_bytes += datagram.size();
      // The datagram passes one link of this rate, after the delay of the other end.
      link_free_ns = std::max(link_free_ns, network.now_ns) +
                     static_cast<std::int64_t>((static_cast<double>(datagram.size()) + frame_overhead_bytes) /
                                               network.rate_Bps * 1e9);
      if (network.lose && network.lose(*this)) return true;
      network.packets.push_back(
          {link_free_ns + network.delay_ns, number, to.ip[15], Bytes(datagram.begin(), datagram.end())});
      return true;
    }
    std::int64_t now_ns() override { return network.now_ns + set_ns; }
    Network& network;
    std::uint8_t number;
    std::int64_t link_free_ns = 0;
    std::int64_t set_ns = 0;  // by how much this host's wall clock was set
    int sent = 0, refuse = 0;
    std::size_t sent_bytes = 0;
  };

  std::int64_t now_ns = 1000000000;
  std::int64_t delay_ns = 300000;
  double rate_Bps = 25e6;
  std::function<bool(End&)> lose;
  std::deque<Packet> packets;
  End a{*this, 1}, b{*this, 2};
  Prober first{1e9}, second{1e9};

  double now_s() const { return static_cast<double>(now_ns) / 1e9; }

  // Goes from event to event until the initiator has a result, for at most `seconds`.
  std::optional<ProbeResult> run(double seconds = 10) {
    const std::int64_t end_ns = now_ns + static_cast<std::int64_t>(seconds * 1e9);
    while (now_ns < end_ns) {
      if (first.next_s() <= now_s() || first.wants_to_send()) first.run(now_s(), a);
      if (second.next_s() <= now_s()) second.run(now_s(), b);
      if (const auto result = first.take_result()) return result;
      std::int64_t next_ns = now_ns + 1000000;
      auto due = packets.end();
      for (auto packet = packets.begin(); packet != packets.end(); ++packet)
        if (packet->at_ns <= next_ns) {
          next_ns = packet->at_ns;
          due = packet;
        }
      if (due == packets.end()) {
        now_ns = next_ns;
        continue;
      }
      now_ns = std::max(now_ns, next_ns);
      const Packet packet = std::move(*due);
      packets.erase(due);
      (packet.to == 1 ? first : second)
          .receive(packet.datagram, address_of(packet.from), packet.at_ns + (packet.to == 1 ? a : b).set_ns, now_s(),
                   packet.to == 1 ? a : b);
    }
    return first.take_result();
  }
};

const Prober::Conditions calm{.lease_is_new = true, .busy = false};

ProbeLease lease_of(ProbeKind kind, ProbeRole role) {
  ProbeLease lease;
  lease.id = 77;
  lease.kind = kind;
  lease.role = role;
  lease.peer = role == ProbeRole::initiator ? "n2" : "n1";
  lease.peer_address = address_of(role == ProbeRole::initiator ? 2 : 1);
  lease.key = Key{4};
  lease.start_in_ms = 10;
  lease.expires_in_ms = 5000;
  lease.packets = kind == ProbeKind::latency ? usual_latency_packets : usual_train_packets;
  lease.packet_bytes = kind == ProbeKind::latency ? usual_latency_bytes : max_datagram;
  return lease;
}

void lease_both(Network& network, ProbeKind kind) {
  ck_assert(!network.second.begin(lease_of(kind, ProbeRole::responder), calm, network.now_s()));
  ck_assert(!network.first.begin(lease_of(kind, ProbeRole::initiator), calm, network.now_s()));
}

}  // namespace

START_TEST(latency) {
  Network network;
  lease_both(network, ProbeKind::latency);
  const auto result = network.run();
  ck_assert(result && result->outcome == ProbeOutcome::measured);
  ck_assert_uint_eq(result->lease, 77);
  ck_assert_text_eq(result->peer, "n2");
  // The result is the delay plus the time of 128 bytes and their headers on the link.
  ck_assert_double_eq_tol(result->median_latency_us, 300 + 170.0 / 25, 1);
  ck_assert(std::isnan(result->bandwidth_Bps));
  ck_assert(!network.first.active(network.now_s()) && !network.second.active(network.now_s()));
}
END_TEST

START_TEST(train) {
  for (const double rate_Bps : {1.25e6, 25e6, 1.25e9}) {
    Network network;
    network.rate_Bps = rate_Bps;
    lease_both(network, ProbeKind::train);
    const auto result = network.run();
    ck_assert(result && result->outcome == ProbeOutcome::measured);
    ck_assert_double_eq_tol(result->bandwidth_Bps / rate_Bps, 1, 0.01);
    ck_assert(std::isnan(result->median_latency_us));
    ck_assert_uint_eq(usual_train_packets, 160);  // placement-agent(8)
  }
}
END_TEST

START_TEST(train_with_a_full_socket) {
  Network network;
  lease_both(network, ProbeKind::train);
  network.a.refuse = 3;
  const auto result = network.run();
  ck_assert(result && result->outcome == ProbeOutcome::measured);
  ck_assert_double_eq_tol(result->bandwidth_Bps, 25e6, 25e4);
}
END_TEST

START_TEST(losses) {
  Network network;
  std::mt19937 random(5);
  network.lose = [&](Network::End&) { return random() % 10 == 0; };
  lease_both(network, ProbeKind::train);
  const auto result = network.run();
  ck_assert(result && result->outcome == ProbeOutcome::measured);
  // The rate is that of the packets that arrived. Every tenth was lost.
  ck_assert_double_eq_tol(result->bandwidth_Bps / 25e6, 0.9, 0.08);
}
END_TEST

START_TEST(nobody_answers) {
  for (const ProbeKind kind : {ProbeKind::latency, ProbeKind::train}) {
    Network network;
    ck_assert(!network.first.begin(lease_of(kind, ProbeRole::initiator), calm, network.now_s()));
    const auto result = network.run();
    ck_assert(result && result->outcome == ProbeOutcome::no_answer);
    ck_assert(std::isnan(result->median_latency_us) && std::isnan(result->bandwidth_Bps));
    // No train is sent to an address where no agent has the lease.
    ck_assert_int_le(network.a.sent, usual_latency_packets);
    ck_assert_uint_le(network.a.sent_bytes, 9u * max_datagram);
  }
}
END_TEST

START_TEST(another_key) {
  Network network;
  ProbeLease other = lease_of(ProbeKind::train, ProbeRole::responder);
  other.key = Key{5};
  ck_assert(!network.second.begin(other, calm, network.now_s()));
  ck_assert(!network.first.begin(lease_of(ProbeKind::train, ProbeRole::initiator), calm, network.now_s()));
  ck_assert(network.run()->outcome == ProbeOutcome::no_answer);
  ck_assert_int_eq(network.b.sent, 0);
}
END_TEST

// A copy of a datagram from another address gets no answer.
START_TEST(another_address) {
  Network network;
  ck_assert(!network.second.begin(lease_of(ProbeKind::latency, ProbeRole::responder), calm, network.now_s()));
  SealedChannel channel(77, Key{4}, Side::first);
  const Bytes ping = channel.seal(encode(ProbePacket{.kind = ProbePacket::Kind::ping}));
  network.second.receive(ping, address_of(9), network.now_ns, network.now_s(), network.b);
  ck_assert_int_eq(network.b.sent, 0);
  network.second.receive(ping, address_of(1), network.now_ns, network.now_s(), network.b);
  ck_assert_int_eq(network.b.sent, 1);
  network.second.receive(ping, address_of(1), network.now_ns, network.now_s(), network.b);  // a replay
  ck_assert_int_eq(network.b.sent, 1);
}
END_TEST

START_TEST(answers_are_bounded) {
  Network network;
  ck_assert(!network.second.begin(lease_of(ProbeKind::latency, ProbeRole::responder), calm, network.now_s()));
  SealedChannel channel(77, Key{4}, Side::first);
  for (int i = 0; i < 1000; ++i)
    network.second.receive(channel.seal(encode(ProbePacket{.kind = ProbePacket::Kind::ping, .index = 3}, 40)),
                           address_of(1), network.now_ns, network.now_s(), network.b);
  ck_assert_int_le(network.b.sent, usual_latency_packets + 64);
  network.b.sent = 0;
  network.now_ns += 6000000000;  // now the lease has ended
  network.second.receive(channel.seal(encode(ProbePacket{.kind = ProbePacket::Kind::ping})), address_of(1),
                         network.now_ns, network.now_s(), network.b);
  ck_assert_int_eq(network.b.sent, 0);
}
END_TEST

START_TEST(leases_that_do_not_hold) {
  const ProbeLease lease = lease_of(ProbeKind::train, ProbeRole::initiator);
  Prober prober(1e9);
  const auto outcome = [&](const ProbeLease& of, Prober::Conditions conditions) {
    const auto result = prober.begin(of, conditions, 1);
    ck_assert(result.has_value());
    return result->outcome;
  };
  Prober::Conditions old = calm, busy = calm;
  old.lease_is_new = false;
  busy.busy = true;
  ck_assert(outcome(lease, old) == ProbeOutcome::refused);
  ck_assert(outcome(lease, busy) == ProbeOutcome::busy);
  ck_assert(!prober.active(1));
  ck_assert(!prober.begin(lease, calm, 1));
  ck_assert(outcome(lease, calm) == ProbeOutcome::busy);  // only one probe runs at a time
  Prober none(0);
  ck_assert(none.begin(lease, calm, 1)->outcome == ProbeOutcome::refused);
}
END_TEST

START_TEST(budget) {
  const ProbeLease lease = lease_of(ProbeKind::train, ProbeRole::responder);
  const double cost = static_cast<double>(lease.packets) * lease.packet_bytes;
  Prober prober(4 * cost);  // four probes a minute: two at once, then one every 15 s
  int taken = 0;
  for (double now_s = 0; now_s < 600; now_s += 1) {
    const auto refused = prober.begin(lease, calm, now_s);
    taken += !refused;
    ck_assert(!refused || refused->outcome == ProbeOutcome::over_budget || refused->outcome == ProbeOutcome::busy);
  }
  ck_assert_int_ge(taken, 36);
  ck_assert_int_le(taken, 42);
}
END_TEST

START_TEST(a_lease_that_expires) {
  Network network;
  network.rate_Bps = 10000;  // at this rate the train would take 23 s
  lease_both(network, ProbeKind::train);
  const auto result = network.run(8);
  ck_assert(result && result->outcome == ProbeOutcome::no_answer);
  ck_assert_double_le(network.now_s(), 1 + 5 + 0.1);
  const int sent = network.a.sent;
  for (int i = 0; i < 100; ++i) network.first.run(network.now_s() + i, network.a);
  ck_assert_int_eq(network.a.sent, sent);
}
END_TEST

// A probe ends together with its lease, in the middle of its exchanges, and reports what it has measured.
START_TEST(a_lease_that_ends_under_way) {
  Network network;
  ProbeLease lease = lease_of(ProbeKind::latency, ProbeRole::responder);
  lease.packets = 2000;
  lease.expires_in_ms = 1000;
  ck_assert(!network.second.begin(lease, calm, network.now_s()));
  lease.role = ProbeRole::initiator;
  lease.peer_address = address_of(2);
  ck_assert(!network.first.begin(lease, calm, network.now_s()));
  const double begun_s = network.now_s();
  const auto result = network.run(5);
  ck_assert(result && result->outcome == ProbeOutcome::measured);
  ck_assert_double_le(network.now_s() - begun_s, 1.1);
  const int sent = network.a.sent;
  ck_assert_int_gt(sent, 10);
  ck_assert_int_lt(sent, 200);
  ck_assert(!network.run(5));
  ck_assert_int_eq(network.a.sent, sent);
  ck_assert(!network.first.active(network.now_s()) && !network.second.active(network.now_s()));
}
END_TEST

// The wall clock of one host is set by hours before each answer, or in the middle of a train.
START_TEST(a_clock_is_set_by_hours) {
  constexpr std::int64_t hours_ns = 5 * 3'600'000'000'000;
  for (const std::int64_t step_ns : {hours_ns, -hours_ns}) {
    for (const bool always : {true, false}) {
      for (const bool of_first : {true, false}) {
        Network network;
        network.lose = [&](Network::End& end) {
          Network::End& set = of_first ? network.a : network.b;
          if (&end == (of_first ? &network.a : &network.b) && (always || end.sent == 4)) set.set_ns += step_ns;
          return false;
        };
        lease_both(network, ProbeKind::latency);
        const auto result = network.run();
        ck_assert(result.has_value());
        if (result->outcome == ProbeOutcome::measured) ck_assert_double_eq_tol(result->median_latency_us, 300, 60);
        ck_assert(always || result->outcome == ProbeOutcome::measured);
      }
    }
    Network network;
    network.lose = [&](Network::End& end) {
      if (&end == &network.a && end.sent == 80) network.b.set_ns += step_ns;
      return false;
    };
    lease_both(network, ProbeKind::train);
    const auto result = network.run();
    ck_assert(result && result->outcome == ProbeOutcome::measured);
    ck_assert_double_eq_tol(result->bandwidth_Bps, 25e6, 5e6);
  }
}
END_TEST

START_TEST(rates_of_trains) {
  std::vector<TrainArrival> arrivals;
  ck_assert(std::isnan(train_rate_Bps(arrivals, 100, 958)));
  // The packets arrive at 1000 bytes per microsecond, after a burst of a quarter of them.
  for (std::uint32_t i = 0; i < 100; ++i) arrivals.push_back({i, i < 25 ? 0 : (std::int64_t{i} - 24) * 1000});
  ck_assert_double_eq_tol(train_rate_Bps(arrivals, 100, 958), 1e9, 1);
  // The sender waits for 10 ms, and then half a piece arrives at once.
  for (std::uint32_t i = 60; i < 100; ++i) arrivals[i].at_ns += 10000000;
  for (std::uint32_t i = 60; i < 66; ++i) arrivals[i].at_ns = arrivals[60].at_ns;
  ck_assert_double_eq_tol(train_rate_Bps(arrivals, 100, 958), 1e9, 0.35e9);
  std::mt19937 random(3);
  std::shuffle(arrivals.begin(), arrivals.end(), random);
  ck_assert(std::isfinite(train_rate_Bps(arrivals, 100, 958)));
  for (TrainArrival& arrival : arrivals) arrival.at_ns = 5;  // the clock stands still
  ck_assert(std::isnan(train_rate_Bps(arrivals, 100, 958)));
  arrivals.resize(7);
  ck_assert(std::isnan(train_rate_Bps(arrivals, 7, 958)));
}
END_TEST

int main() {
  Suite* suite = suite_create("probe");
  TCase* tests = tcase_create("probe");
  tcase_add_test(tests, latency);
  tcase_add_test(tests, train);
  tcase_add_test(tests, train_with_a_full_socket);
  tcase_add_test(tests, losses);
  tcase_add_test(tests, nobody_answers);
  tcase_add_test(tests, another_key);
  tcase_add_test(tests, another_address);
  tcase_add_test(tests, answers_are_bounded);
  tcase_add_test(tests, leases_that_do_not_hold);
  tcase_add_test(tests, budget);
  tcase_add_test(tests, a_lease_that_expires);
  tcase_add_test(tests, a_lease_that_ends_under_way);
  tcase_add_test(tests, a_clock_is_set_by_hours);
  tcase_add_test(tests, rates_of_trains);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
