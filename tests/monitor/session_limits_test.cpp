// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the limits on the cost of sessions, with any packets and with silent services.
#include "monitor/protocol/session.hpp"

#include "tests/check.hpp"
#include "tests/monitor/session_world.hpp"

using namespace placement;
using namespace placement::protocol;

// Hints are not authenticated. Many of them cause only one hello from time to time, and no loss of the session.
START_TEST(false_hints) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  const std::uint64_t session = decode<SealedHeader>(client.seal(text))->session;
  int hellos = 0;
  for (int i = 0; i < 1000; ++i) {
    client.receive(encode(ResetFrame{session}), world.now_s);
    client.receive(encode(ResetFrame{session + 1}), world.now_s);
    client.receive(encode(RefusedFrame{{}, 3}), world.now_s);
    hellos += !client.due(world.now_s).empty();
  }
  ck_assert_int_eq(hellos, 1);
  ck_assert(client.established());
  ck_assert(!world.to_server(client.seal(text), address_of(1)).message.empty());
}
END_TEST

// A sender that knows the session's number can make the agent ask for a new session, but not again at once.
START_TEST(resets_one_after_the_other) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  const auto reset = [&] {
    const std::uint64_t session = decode<SealedHeader>(client.seal(text))->session;
    return client.receive(encode(ResetFrame{session}), world.now_s).refused;
  };
  ck_assert(reset() == Refusal::none);
  world.establish(client, address_of(1));
  world.now_s += 4;
  ck_assert(reset() == Refusal::too_many);
  ck_assert(client.due(world.now_s).empty());
  world.now_s += 2;
  ck_assert(reset() == Refusal::none);
  ck_assert(!client.due(world.now_s).empty());
}
END_TEST

// The join is no longer than the challenge that it answers, however long the credential is.
START_TEST(a_long_credential) {
  struct LongCredentials : FakeCredentials {
    using FakeCredentials::FakeCredentials;
    std::optional<std::string> encode(ByteView) override { return std::string(length, 'x'); }
    std::size_t length = 0;
  };
  World world;
  for (const std::size_t length : {100, 500, 600, 640, 700, 1200}) {
    LongCredentials credentials(world.munge, our_uid);
    credentials.length = length;
    ClientSession client(credentials, "n1");
    const auto challenge = world.to_server(client.due(world.now_s), address_of(1));
    const auto got = client.receive(challenge.reply, world.now_s);
    ck_assert_uint_le(got.reply.size(), challenge.reply.size());
    ck_assert(got.reply.empty() == (length >= 600));
    ck_assert((got.refused == Refusal::bad_credential) == (length >= 600));
  }
}
END_TEST

START_TEST(oversize_and_noise) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  ck_assert_error(client.seal(Bytes(max_message + 1)), std::to_string(max_message + 1) + " bytes");
  ck_assert_error(client.seal(Bytes()), "0 bytes");
  ck_assert_uint_eq(client.seal(Bytes(max_message)).size(), max_datagram);
  Bytes big = client.seal(Bytes(max_message));
  big.push_back(0);
  for (const Bytes& noise :
       {big, Bytes(), Bytes(1), Bytes(65507, 0x53), encode(ResetFrame{1}), encode(ChallengeFrame{})}) {
    const auto got = world.to_server(noise, address_of(1));
    ck_assert(got.refused == Refusal::malformed && got.reply.empty());
    client.receive(noise, world.now_s);
  }
  ck_assert(client.established());
}
END_TEST

START_TEST(rate_of_one_peer) {
  World world;
  ClientSession loud(world.ours, "n1"), calm(world.ours, "n2");
  world.establish(loud, address_of(1));
  world.establish(calm, address_of(2));
  int taken = 0;
  for (int i = 0; i < 1000; ++i) taken += !world.to_server(loud.seal(text), address_of(1)).message.empty();
  ck_assert_int_eq(taken, 60);  // the number in a burst
  ck_assert_uint_eq(count(world.server, Refusal::too_many), 940);
  ck_assert(!world.to_server(calm.seal(text), address_of(2)).message.empty());
  world.now_s += 1;
  ck_assert(!world.to_server(loud.seal(text), address_of(1)).message.empty());
}
END_TEST

// Any sender can send these datagrams, from any address, so the number of answers is limited.
START_TEST(rate_of_hellos_and_hints) {
  World world;
  ServerSessions::Limits limits;
  limits.hellos_per_s = 10;
  limits.hellos_burst = 20;
  ServerSessions server(world.ours, 4, admit, limits);
  for (const Bytes& datagram : {encode(HelloFrame{Nonce{}}), Bytes(64, 0)}) {
    Bytes asked = datagram;
    if (asked.size() == 64) {  // a datagram of an unknown session
      asked = encode(SealedHeader{.session = 77, .sequence = 1});
      asked.resize(64);
    }
    world.now_s += 100;
    int answered = 0;
    for (int i = 0; i < 1000; ++i)
      answered += !server.receive(asked, address_of(static_cast<std::uint8_t>(i)), world.now_s).reply.empty();
    ck_assert_int_eq(answered, 20);
    world.now_s += 1;
    for (int i = 0; i < 1000; ++i) answered += !server.receive(asked, address_of(1), world.now_s).reply.empty();
    ck_assert_int_eq(answered, 30);
  }
}
END_TEST

// A flood of hellos and datagrams of unknown sessions comes from a port that any user may have. An agent with a port of
// root gets its answers. An agent with another port waits only because of the hellos.
START_TEST(floods_leave_the_answers_of_root) {
  World world;
  Bytes unknown = encode(SealedHeader{.session = 77, .sequence = 1});
  unknown.resize(64);
  const auto is_answered = [&](const Bytes& datagram, std::uint16_t port) {
    return !world.to_server(datagram, address_of(1, port)).reply.empty();
  };
  for (int i = 0; i < 20000; ++i) is_answered(unknown, 40000);
  ck_assert(!is_answered(unknown, 40000));
  ck_assert(is_answered(encode(HelloFrame{Nonce{}}), 40001));
  for (int i = 0; i < 20000; ++i) is_answered(encode(HelloFrame{Nonce{}}), 40000);
  ck_assert(!is_answered(encode(HelloFrame{Nonce{}}), 40001));
  ck_assert(is_answered(unknown, 950));
  ClientSession agent(world.ours, "n1");
  world.establish(agent, address_of(1, 950));
}
END_TEST

// SECURITY.md: 5,000 answers a second. Those of two seconds may come at once.
START_TEST(rate_of_answers_by_default) {
  World world;
  const auto answered = [&] {
    int count = 0;
    for (int i = 0; i < 20000; ++i)
      count += !world.to_server(encode(HelloFrame{Nonce{}}), address_of(1, 40000)).reply.empty();
    return count;
  };
  ck_assert_int_eq(answered(), 10000);
  world.now_s += 1;
  ck_assert_int_eq(answered(), 5000);
}
END_TEST

START_TEST(rate_of_joins) {
  World world;
  int joined = 0;
  for (int i = 0; i < 50; ++i) {
    ClientSession client(world.ours, "n1");
    joined += world.to_server(world.join_of(client, address_of(1)), address_of(1)).joined;
  }
  ck_assert_int_eq(joined, 5);
  ck_assert_int_eq(world.munge.decodes, 5);
  ClientSession other(world.ours, "n2");
  world.establish(other, address_of(2));
}
END_TEST

// Sends a join for node n1 that any process on a host can send: it has seen a challenge, and has no valid credential.
static void send_rubbish(World& world, std::uint16_t port, std::uint8_t host = 1) {
  const NetAddress from = address_of(host, port);
  const auto challenge = decode<ChallengeFrame>(world.to_server(encode(HelloFrame{Nonce{1}}), from).reply);
  ck_assert(challenge.has_value());
  ck_assert(!world.to_server(encode(JoinFrame{challenge->nonce, challenge->cookie, "n1", "rubbish"}), from).joined);
}

// Returns the seconds until an agent on n1 has joined, at most 600, while `ports` ports of its node, or of root on
// another host, send `per_s` joins a second.
static double seconds_to_join(World& world, std::uint16_t agent_port, int ports, double per_s = 50,
                              bool by_root = false) {
  ClientSession agent(world.ours, "n1");
  int sent = 0;
  for (double began_s = world.now_s; world.now_s - began_s < 600; world.now_s += 1 / per_s) {
    send_rubbish(world, static_cast<std::uint16_t>((by_root ? 900 : 20000) + sent++ % ports), by_root ? 2 : 1);
    const Bytes hello = agent.due(world.now_s);
    if (hello.empty()) continue;
    const NetAddress from = address_of(1, agent_port);
    const Bytes join = agent.receive(world.to_server(hello, from).reply, world.now_s).reply;
    const auto accepted = world.to_server(join, from);
    if (accepted.joined && agent.receive(accepted.reply, world.now_s).established) return world.now_s - began_s;
  }
  return 600;
}

// A process without credentials cannot keep the agent of its node from joining.
START_TEST(strangers_on_the_node) {
  for (const int ports : {1, 10, 1000}) {
    World world;
    for (int i = 0; i < 3000; ++i, world.now_s += 0.02)
      send_rubbish(world, static_cast<std::uint16_t>(20000 + i % ports));
    ck_assert_double_lt(seconds_to_join(world, 40000, ports), 600);
    // Once the agent's port is known, others cannot use up its attempts to join anew.
    world.now_s += 30;
    ck_assert_double_lt(seconds_to_join(world, 40000, ports), 1);
    // The number of credentials that are decoded is still limited.
    const int before = world.munge.decodes;
    for (int i = 0; i < instances(50000); ++i, world.now_s += 0.002)
      send_rubbish(world, static_cast<std::uint16_t>(20000 + i % ports));
    ck_assert_int_lt(world.munge.decodes - before, 64 * (5 + 100 / 2 + 1));
  }
}
END_TEST

// An agent that the monitor does not know yet, because one of them has just started, has a port that only root can send
// from. However many joins come from other ports of its node, it has a session before it is given up.
START_TEST(the_agent_has_a_port_of_root) {
  World world;
  for (int i = 0; i < 20000; ++i, world.now_s += 0.0005)
    send_rubbish(world, static_cast<std::uint16_t>(20000 + i % 1000));
  ck_assert_double_lt(seconds_to_join(world, 950, 1000, 2000), 5);
  // Root of a node makes the monitor decode no more credentials than an agent does.
  World other;
  for (int i = 0; i < 1000; ++i) send_rubbish(other, static_cast<std::uint16_t>(1 + i));
  ck_assert_int_eq(other.munge.decodes, 5);
}
END_TEST

// A lookup of a node's address may block the monitor, so only a sender with a valid credential can cause one.
START_TEST(no_lookups_for_strangers) {
  World world;
  for (int i = 0; i < 100; ++i) send_rubbish(world, static_cast<std::uint16_t>(20000 + i));
  FakeCredentials theirs(world.munge, our_uid + 1);
  ClientSession stranger(theirs, "n1"), agent(world.ours, "n1");
  ck_assert(world.to_server(world.join_of(stranger, address_of(1, 950)), address_of(1, 950)).refused ==
            Refusal::wrong_user);
  ck_assert_int_eq(world.lookups, 0);
  world.establish(agent, address_of(1, 951));
  ck_assert_int_eq(world.lookups, 1);
}
END_TEST

// Root of another host cannot use up the attempts of an agent: not those of an unknown agent, and not those of an agent
// with a session, which starts again with another port.
START_TEST(root_of_another_host) {
  World unknown, known;
  for (int i = 0; i < 1000; ++i) send_rubbish(unknown, static_cast<std::uint16_t>(900 + i % 80), 2);
  ck_assert_double_lt(seconds_to_join(unknown, 950, 80, 50, true), 600);
  ClientSession before(known.ours, "n1"), after(known.ours, "n1");
  known.establish(before, address_of(1, 950));
  for (int i = 0; i < 100; ++i) send_rubbish(known, static_cast<std::uint16_t>(900 + i % 80), 2);
  known.establish(after, address_of(1, 951));
}
END_TEST

// Hellos from many addresses do not make the monitor keep anything.
START_TEST(hellos_leave_nothing) {
  World world;
  for (int i = 0; i < 100; ++i) {
    const auto got = world.to_server(encode(HelloFrame{Nonce{static_cast<std::uint8_t>(i)}}),
                                     address_of(1, static_cast<std::uint16_t>(i + 1)));
    ck_assert(!got.reply.empty());
  }
  for (std::int32_t peer = 0; peer < 4; ++peer) ck_assert(!world.server.established(peer));
}
END_TEST

START_TEST(hellos_come_ever_more_seldom) {
  World world;
  ClientSession client(world.ours, "n1");
  int hellos = 0;
  for (double t = 0; t < 600; t += 0.5) hellos += !client.due(world.now_s + t).empty();
  ck_assert_int_ge(hellos, 600 / 20);
  ck_assert_int_le(hellos, 600 / 12 + 8);
}
END_TEST

START_TEST(no_munge) {
  World world;
  ClientSession client(world.ours, "n1");
  world.munge.answers = false;
  const auto challenge = world.to_server(client.due(world.now_s), address_of(1));
  const auto got = client.receive(challenge.reply, world.now_s);
  ck_assert(got.reply.empty() && got.refused == Refusal::no_service && !got.note.empty());
  world.munge.answers = true;
  world.now_s += 60;
  const Bytes join = world.join_of(client, address_of(1));
  world.munge.answers = false;
  ck_assert(world.to_server(join, address_of(1)).refused == Refusal::no_service);
  world.munge.answers = true;
  world.now_s += 60;
  world.establish(client, address_of(1));
}
END_TEST

// libmunge needs 2 s to report that munged is dead, and 10 s when it hangs. Most of the time must be left for
// heartbeats.
START_TEST(a_silent_service_is_left_alone) {
  ServiceSilence silence;
  ck_assert(silence.may_ask(0) && silence.may_ask(1000));
  silence.failed(1000, 1002);
  ck_assert(!silence.may_ask(1002) && !silence.may_ask(1011.9) && silence.may_ask(1012));
  silence.failed(1012, 1012);  // even after an immediate failure the service is not asked for each datagram
  ck_assert(!silence.may_ask(1012.9) && silence.may_ask(1013));
  silence.failed(1013, 1023);
  ck_assert(!silence.may_ask(1052.9) && silence.may_ask(1053));
  silence.failed(1053, 1055);
  silence.answered();
  ck_assert(silence.may_ask(1055));
}
END_TEST

START_TEST(token_bucket) {
  TokenBucket bucket(2, 4);
  for (int i = 0; i < 4; ++i) ck_assert(bucket.take(100));
  ck_assert(!bucket.take(100));
  ck_assert(!bucket.take(100.4));
  ck_assert(bucket.take(100.5));
  ck_assert(!bucket.take(50));  // a clock that runs backwards adds nothing
  ck_assert(bucket.take(1000) && bucket.take(1000, 3) && !bucket.take(1000));
  bucket.charge(1000, 3);  // what was used is paid back before there is more
  ck_assert_double_eq(bucket.level(1001), -1);
  ck_assert(!bucket.take(1001.9) && bucket.take(1002));
  bucket.charge(1010, 100);
  ck_assert_double_eq(bucket.level(1010), -4);
}
END_TEST

int main() {
  Suite* suite = suite_create("session_limits");
  TCase* tests = tcase_create("session_limits");
  tcase_add_test(tests, false_hints);
  tcase_add_test(tests, resets_one_after_the_other);
  tcase_add_test(tests, a_long_credential);
  tcase_add_test(tests, oversize_and_noise);
  tcase_add_test(tests, rate_of_one_peer);
  tcase_add_test(tests, rate_of_hellos_and_hints);
  tcase_add_test(tests, floods_leave_the_answers_of_root);
  tcase_add_test(tests, rate_of_answers_by_default);
  tcase_add_test(tests, rate_of_joins);
  tcase_add_test(tests, strangers_on_the_node);
  tcase_add_test(tests, the_agent_has_a_port_of_root);
  tcase_add_test(tests, no_lookups_for_strangers);
  tcase_add_test(tests, root_of_another_host);
  tcase_add_test(tests, hellos_leave_nothing);
  tcase_add_test(tests, hellos_come_ever_more_seldom);
  tcase_add_test(tests, no_munge);
  tcase_add_test(tests, a_silent_service_is_left_alone);
  tcase_add_test(tests, token_bucket);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
