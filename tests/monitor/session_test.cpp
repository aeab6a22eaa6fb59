// SPDX-License-Identifier: GPL-2.0-or-later
// One test for each property that the handshake and the seal promise.
#include "monitor/protocol/session.hpp"

#include <memory>
#include <new>
#include <random>
#include <vector>

#include "tests/check.hpp"
#include "tests/monitor/session_world.hpp"

using namespace placement;
using namespace placement::protocol;

START_TEST(both_ends_come_to_a_session) {
  World world;
  ClientSession client(world.ours, "n1");
  ck_assert(!client.established());
  ck_assert_error(client.seal(text), "no session");
  world.establish(client, address_of(1));
  ck_assert(client.established() && world.server.established(1) && !world.server.established(2));
  ck_assert(world.server.address(1) == address_of(1));
  ck_assert(client.due(world.now_s + 10).empty());
  const auto got = world.to_server(client.seal(text), address_of(1));
  ck_assert_int_eq(got.peer, 1);
  ck_assert(got.message == text);
  ck_assert(client.receive(world.server.seal(1, text), world.now_s).message == text);
  ck_assert_error(world.server.seal(2, text), "peer 2 has no session");
  ck_assert_error(world.server.seal(-1, text), "peer -1");
}
END_TEST

START_TEST(replay) {
  World world;
  ClientSession client(world.ours, "n1");
  const Bytes join = world.join_of(client, address_of(1));
  const auto accepted = world.to_server(join, address_of(1));
  client.receive(accepted.reply, world.now_s);
  const Bytes datagram = client.seal(text);
  ck_assert(!world.to_server(datagram, address_of(1)).message.empty());
  ck_assert(world.to_server(datagram, address_of(1)).refused == Refusal::replayed);
  // The join is sent again. Munge has seen the credential before, and the session stays established.
  ck_assert(world.to_server(join, address_of(1)).refused == Refusal::replayed);
  ck_assert(!world.to_server(client.seal(text), address_of(1)).message.empty());
  // Datagrams of the monitor cannot be replayed either, and cannot be sent back to it.
  const Bytes down = world.server.seal(1, text);
  ck_assert(client.receive(down, world.now_s).refused == Refusal::none);
  ck_assert(client.receive(down, world.now_s).refused == Refusal::replayed);
  const Bytes reflected = world.server.seal(1, text);
  ck_assert(world.to_server(reflected, address_of(1)).refused != Refusal::none);
  // An old accept does not begin a new session.
  ck_assert(!client.receive(accepted.reply, world.now_s).established);
}
END_TEST

START_TEST(replay_window) {
  ReplayWindow window;
  ck_assert(window.seen(0));
  window.note(100);
  ck_assert(window.seen(100) && !window.seen(101) && !window.seen(99));
  ck_assert(!window.seen(37) && window.seen(36) && window.seen(1));  // numbers that are 64 behind are too old
  window.note(37);
  ck_assert(window.seen(37));
  window.note(99);
  ck_assert(window.seen(99) && !window.seen(98));
  window.note(163);
  ck_assert(window.seen(100) && !window.seen(101) && window.seen(99));
  window.note(UINT64_MAX);
  ck_assert(window.seen(UINT64_MAX) && window.seen(163) && !window.seen(UINT64_MAX - 1));
}
END_TEST

// A datagram that arrives out of order is accepted once if it is within the window.
START_TEST(disorder) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  const Bytes first = client.seal(text), second = client.seal(text);
  ck_assert(!world.to_server(second, address_of(1)).message.empty());
  ck_assert(!world.to_server(first, address_of(1)).message.empty());
  ck_assert(world.to_server(first, address_of(1)).refused == Refusal::replayed);
}
END_TEST

START_TEST(forgery) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  const Bytes good = client.seal(text);
  for (std::size_t at = 0; at < good.size(); ++at) {
    Bytes bad = good;
    bad[at] ^= 1;
    world.now_s += 1;  // keeps the datagrams below their rate limit
    const auto got = world.to_server(bad, address_of(1));
    ck_assert_msg(got.message.empty() && got.refused != Refusal::none, "byte %zu", at);
  }
  ck_assert_uint_gt(count(world.server, Refusal::forged), 0);
  // A forged sequence number far ahead does not move the window.
  ck_assert(!world.to_server(good, address_of(1)).message.empty());
  // These datagrams are sealed with another key.
  Bytes header = world.server.seal(1, text);
  SealedChannel other(decode<SealedHeader>(header)->session, Key{1}, Side::first);
  for (int i = 0; i < 8; ++i) other.seal(text);  // makes its sequence numbers larger than those seen
  ck_assert(world.to_server(other.seal(text), address_of(1)).refused == Refusal::forged);
  SealedChannel false_monitor(decode<SealedHeader>(header)->session, Key{1}, Side::second);
  for (int i = 0; i < 8; ++i) false_monitor.seal(text);
  ck_assert(client.receive(false_monitor.seal(text), world.now_s).refused == Refusal::forged);
}
END_TEST

START_TEST(forged_accept) {
  World world;
  ClientSession client(world.ours, "n1");
  world.join_of(client, address_of(1));
  SealedChannel false_monitor(5, Key{1}, Side::second);
  ck_assert(client.receive(false_monitor.seal(encode(Accept{})), world.now_s).refused == Refusal::forged);
  ck_assert(!client.established());
}
END_TEST

// A client that waits for no accept has no secret. Nobody begins a session with it by a key of zeros.
START_TEST(accept_of_no_join) {
  World world;
  ClientSession client(world.ours, "n1");
  const auto refuses = [&] {
    SealedChannel false_monitor(5, Key{}, Side::second);
    const auto got = client.receive(false_monitor.seal(encode(Accept{})), world.now_s);
    return got.refused == Refusal::no_session && !got.established;
  };
  ck_assert(refuses() && !client.established());
  world.establish(client, address_of(1));
  ck_assert(refuses() && client.established());
  ck_assert(!world.to_server(client.seal(text), address_of(1)).message.empty());
}
END_TEST

START_TEST(wrong_user) {
  World world;
  FakeCredentials theirs(world.munge, 1000);
  ClientSession client(theirs, "n1");
  const auto refused = world.to_server(world.join_of(client, address_of(1)), address_of(1));
  ck_assert(refused.refused == Refusal::wrong_user && !world.server.established(1));
  const auto told = client.receive(refused.reply, world.now_s);
  ck_assert(!client.established() && told.note.find("another user") != std::string::npos);
}
END_TEST

START_TEST(wrong_node) {
  World world;
  ClientSession unknown(world.ours, "n9"), elsewhere(world.ours, "n2");
  ck_assert(world.to_server(world.join_of(unknown, address_of(1)), address_of(1)).refused == Refusal::unknown_node);
  ck_assert_int_eq(world.munge.decodes, 0);  // no credential was decoded for this
  ck_assert(world.to_server(world.join_of(elsewhere, address_of(1)), address_of(1)).refused == Refusal::unknown_node);
  // The name outside of the credential differs from the name inside.
  ClientSession client(world.ours, "n1");
  auto join = decode<JoinFrame>(world.join_of(client, address_of(2)));
  join->name = "n2";
  ck_assert(world.to_server(encode(*join), address_of(2)).refused == Refusal::bad_credential);
}
END_TEST

// A valid credential was made for another handshake, and somebody kept it.
START_TEST(credential_of_another_handshake) {
  World world;
  ClientSession client(world.ours, "n1");
  for (const int which : {0, 1, 2}) {
    world.now_s += 100;
    const auto join = decode<JoinFrame>(world.join_of(client, address_of(1)));
    JoinSecret inside{.nonce = join->nonce, .cookie = join->cookie, .secret = {}, .name = "n1"};
    if (which == 1) inside.nonce[3] ^= 1;
    if (which == 2) inside.cookie[3] ^= 1;
    const Bytes datagram = encode(JoinFrame{join->nonce, join->cookie, "n1", *world.ours.encode(encode(inside))});
    const auto got = world.to_server(datagram, address_of(1));
    ck_assert(got.refused == (which == 0 ? Refusal::none : Refusal::bad_credential));
    ck_assert(got.joined == (which == 0));
  }
}
END_TEST

START_TEST(cookie_of_another_address_or_time) {
  World world;
  ClientSession client(world.ours, "n1");
  const Bytes join = world.join_of(client, address_of(1));
  const auto elsewhere = world.to_server(join, address_of(1, 7000));
  ck_assert(elsewhere.refused == Refusal::bad_cookie && elsewhere.reply.empty());
  ck_assert(world.to_server(join, address_of(2)).refused == Refusal::bad_cookie);
  world.now_s += 21;
  ck_assert(world.to_server(join, address_of(1)).refused == Refusal::bad_cookie);
  ServerSessions other(world.ours, 4, admit);
  world.now_s -= 21;
  ck_assert(other.receive(join, address_of(1), world.now_s).refused == Refusal::bad_cookie);
  ck_assert_int_eq(world.munge.decodes, 0);
  ck_assert(world.to_server(join, address_of(1)).joined);
}
END_TEST

// A stranger has recorded sessions of three agents and the monitor's answers, before and after a restart of the
// monitor. He sends all of it again in any order, from any address, hours later.
START_TEST(everything_recorded_is_sent_again) {
  World world;
  std::vector<std::unique_ptr<ClientSession>> clients;
  std::vector<Bytes> up, down;
  const auto record = [&](int node) {
    auto client = std::make_unique<ClientSession>(world.ours, "n" + std::to_string(node));
    const NetAddress from = address_of(static_cast<std::uint8_t>(node));
    const Bytes hello = client->due(world.now_s);
    const auto challenge = world.to_server(hello, from);
    const Bytes join = client->receive(challenge.reply, world.now_s).reply;
    const auto accepted = world.to_server(join, from);
    ck_assert(accepted.joined && client->receive(accepted.reply, world.now_s).established);
    up.insert(up.end(), {hello, join, client->seal(text), client->seal(text)});
    down.insert(down.end(), {challenge.reply, accepted.reply, world.server.seal(node, text)});
    for (std::size_t k = up.size() - 2; k < up.size(); ++k) ck_assert(!world.to_server(up[k], from).message.empty());
    ck_assert(!client->receive(down.back(), world.now_s).message.empty());
    clients.push_back(std::move(client));
  };
  for (int round = 0; round < 12; ++round) {
    world.now_s += 3600;
    world.munge.now_s = world.now_s;
    if (round == 6) {  // the monitor restarts, so that no agent has a session
      world.server.~ServerSessions();
      new (&world.server) ServerSessions(world.ours, 4, admit);
    }
    for (int node = 1; node <= 3; ++node) record(node);
  }
  std::mt19937 draw(20261122);
  for (const double later_s : {1.0, 400.0, 20000.0}) {
    world.now_s += later_s;
    world.munge.now_s = world.now_s;
    if (later_s > 300) world.munge.decoded.clear();  // munged has restarted too
    for (int k = 0; k < 2000; ++k) {
      world.now_s += 0.05;
      const auto got = world.to_server(up[draw() % up.size()],
                                       address_of(static_cast<std::uint8_t>(draw() % 4), draw() % 2 ? 6821 : 7000));
      ck_assert(!got.joined && got.message.empty());
      const auto told = clients[clients.size() - 1 - draw() % 3]->receive(down[draw() % down.size()], world.now_s);
      ck_assert(!told.established && told.message.empty());
    }
  }
  // The three sessions are still established.
  for (int node = 1; node <= 3; ++node)
    ck_assert(!world
                   .to_server(clients[clients.size() - 4 + static_cast<std::size_t>(node)]->seal(text),
                              address_of(static_cast<std::uint8_t>(node)))
                   .message.empty());
}
END_TEST

START_TEST(clock_skew) {
  for (const double ahead_s : {-400.0, 400.0}) {
    World world;
    FakeCredentials skewed(world.munge, our_uid);
    skewed.clock_ahead_s = ahead_s;
    ClientSession client(skewed, "n1");
    const auto refused = world.to_server(world.join_of(client, address_of(1)), address_of(1));
    ck_assert(refused.refused == Refusal::clock_skew);
    ck_assert(client.receive(refused.reply, world.now_s).note.find("clocks") != std::string::npos);
  }
}
END_TEST

START_TEST(old_session) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  const Bytes before = client.seal(text);
  // The agent restarts and loses its old session.
  ClientSession again(world.ours, "n1");
  world.establish(again, address_of(1));
  const auto got = world.to_server(before, address_of(1));
  ck_assert(got.refused == Refusal::no_session && got.message.empty());
  // The hint makes the old client begin a new handshake. It does not affect the new client.
  ck_assert(again.receive(got.reply, world.now_s).refused == Refusal::no_session);
  ck_assert(again.due(world.now_s).empty());
  client.receive(got.reply, world.now_s);
  ck_assert(!client.due(world.now_s).empty());
  // A session ends when it is too old.
  world.now_s += 27 * 3600;
  ck_assert(world.to_server(again.seal(text), address_of(1)).refused == Refusal::no_session);
  ck_assert(!world.server.established(1));
}
END_TEST

// The agent begins a new session before the monitor ends the old one. The old one is used until the new one exists.
START_TEST(a_new_session_each_day) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  const std::uint64_t first = decode<SealedHeader>(client.seal(text))->session;
  world.now_s += 24 * 3600 - 1;
  ck_assert(client.due(world.now_s).empty());
  world.now_s += 2;
  ck_assert(!client.due(world.now_s).empty());
  ck_assert(world.to_server(client.seal(text), address_of(1)).message == text);
  world.now_s += 60;
  world.establish(client, address_of(1));
  ck_assert_uint_ne(decode<SealedHeader>(client.seal(text))->session, first);
  ck_assert(client.due(world.now_s).empty());
}
END_TEST

// The monitor restarts, and the agents come back without a message from anybody else.
START_TEST(monitor_restart) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  ServerSessions restarted(world.ours, 4, admit);
  const auto got = restarted.receive(client.seal(text), address_of(1), world.now_s);
  ck_assert(got.refused == Refusal::no_session);
  client.receive(got.reply, world.now_s);
  const Bytes hello = client.due(world.now_s);
  const auto challenge = restarted.receive(hello, address_of(1), world.now_s);
  const auto join = client.receive(challenge.reply, world.now_s);
  const auto accept = restarted.receive(join.reply, address_of(1), world.now_s);
  ck_assert(client.receive(accept.reply, world.now_s).established);
  ck_assert(!restarted.receive(client.seal(text), address_of(1), world.now_s).message.empty());
}
END_TEST

// A later message that overtakes the accept does not replace it.
START_TEST(acceptance_overtaken) {
  World world;
  ClientSession client(world.ours, "n1");
  const auto accepted = world.to_server(world.join_of(client, address_of(1)), address_of(1));
  ck_assert(accepted.joined);
  const auto early = client.receive(world.server.seal(1, text), world.now_s);
  ck_assert(early.refused == Refusal::malformed && early.message.empty() && !early.established);
  ck_assert(!client.established());
  ck_assert(client.receive(accepted.reply, world.now_s).established);
}
END_TEST

START_TEST(false_challenges) {
  World world;
  ClientSession client(world.ours, "n1");
  const Bytes hello = client.due(world.now_s);
  ck_assert(client.receive(encode(ChallengeFrame{Nonce{9}, {}}), world.now_s).refused == Refusal::bad_cookie);
  const auto challenge = world.to_server(hello, address_of(1));
  ck_assert(!client.receive(challenge.reply, world.now_s).reply.empty());
  ck_assert(client.receive(challenge.reply, world.now_s).reply.empty());  // each hello allows one join
}
END_TEST

// A refusal is logged only if it answers this client's own join.
START_TEST(false_refusals) {
  World world;
  ClientSession client(world.ours, "n1");
  Nonce nonce{};
  ck_assert_text_eq(client.receive(encode(RefusedFrame{nonce, 4}), world.now_s).note, "");  // there was no join yet
  const auto join = decode<JoinFrame>(world.join_of(client, address_of(1)));
  nonce = join->nonce;
  nonce[0] ^= 1;
  ck_assert_text_eq(client.receive(encode(RefusedFrame{nonce, 4}), world.now_s).note, "");
  ck_assert(!client.receive(encode(RefusedFrame{join->nonce, 4}), world.now_s).note.empty());
}
END_TEST

START_TEST(another_address) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  const Bytes datagram = client.seal(text);
  ck_assert(world.to_server(datagram, address_of(2)).refused == Refusal::wrong_address);
  ck_assert(world.to_server(datagram, address_of(1, 999)).refused == Refusal::wrong_address);
  ck_assert(!world.to_server(datagram, address_of(1)).message.empty());
}
END_TEST

int main() {
  Suite* suite = suite_create("session");
  TCase* tests = tcase_create("session");
  tcase_add_test(tests, both_ends_come_to_a_session);
  tcase_add_test(tests, replay);
  tcase_add_test(tests, replay_window);
  tcase_add_test(tests, disorder);
  tcase_add_test(tests, forgery);
  tcase_add_test(tests, forged_accept);
  tcase_add_test(tests, accept_of_no_join);
  tcase_add_test(tests, wrong_user);
  tcase_add_test(tests, wrong_node);
  tcase_add_test(tests, credential_of_another_handshake);
  tcase_add_test(tests, cookie_of_another_address_or_time);
  tcase_add_test(tests, everything_recorded_is_sent_again);
  tcase_add_test(tests, clock_skew);
  tcase_add_test(tests, old_session);
  tcase_add_test(tests, a_new_session_each_day);
  tcase_add_test(tests, monitor_restart);
  tcase_add_test(tests, false_challenges);
  tcase_add_test(tests, acceptance_overtaken);
  tcase_add_test(tests, false_refusals);
  tcase_add_test(tests, another_address);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
