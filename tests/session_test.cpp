// SPDX-License-Identifier: GPL-2.0-or-later
// One test for each thing that the handshake and the seal promise.
#include "monitor/session.hpp"

#include "tests/check.hpp"
#include "tests/fake_credentials.hpp"

using namespace placement;

namespace {

constexpr unsigned our_uid = 64030;

NetAddress address_of(std::uint8_t host, std::uint16_t port = 6821) {
  NetAddress address;
  address.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, host};
  address.port = port;
  return address;
}

// Node nK is at 192.0.2.K, from n0 to n3.
std::optional<std::int32_t> admit(const std::string& name, const NetAddress& from) {
  if (name.size() != 2 || name[0] != 'n' || name[1] < '0' || name[1] > '3') return std::nullopt;
  const std::int32_t index = name[1] - '0';
  if (from.ip != address_of(static_cast<std::uint8_t>(index)).ip) return std::nullopt;
  return index;
}

struct World {
  FakeCredentials::Service munge;
  FakeCredentials ours{munge, our_uid};
  ServerSessions server{ours, 4, admit};
  double now_s = 1000;

  ServerSessions::Received to_server(const Bytes& datagram, const NetAddress& from) {
    const auto received = server.receive(datagram, from, now_s);
    ck_assert_uint_le(received.reply.size(), datagram.size());
    return received;
  }
  Bytes join_of(ClientSession& client, const NetAddress& from) {
    const Bytes hello = client.due(now_s);
    ck_assert(!hello.empty());
    const auto challenge = to_server(hello, from);
    ck_assert(!challenge.reply.empty());
    const Bytes join = client.receive(challenge.reply, now_s).reply;
    ck_assert_uint_le(join.size(), challenge.reply.size());
    return join;
  }
  void establish(ClientSession& client, const NetAddress& from) {
    const auto accepted = to_server(join_of(client, from), from);
    ck_assert(accepted.joined);
    ck_assert(client.receive(accepted.reply, now_s).established);
  }
};

const Bytes text = {2, 'h', 'i'};

std::uint64_t count(const ServerSessions& server, Refusal why) {
  return server.refused()[static_cast<std::size_t>(why)];
}

}  // namespace

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
  world.server.forget(1);
  ck_assert_error(world.server.seal(1, text), "peer 1 has no session");
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
  // The join again: munge knows the credential, and the session stands.
  ck_assert(world.to_server(join, address_of(1)).refused == Refusal::replayed);
  ck_assert(!world.to_server(client.seal(text), address_of(1)).message.empty());
  // The monitor's datagrams likewise; and its own come not back to it.
  const Bytes down = world.server.seal(1, text);
  ck_assert(client.receive(down, world.now_s).refused == Refusal::none);
  ck_assert(client.receive(down, world.now_s).refused == Refusal::replayed);
  const Bytes reflected = world.server.seal(1, text);
  ck_assert(world.to_server(reflected, address_of(1)).refused != Refusal::none);
  // An old accept begins no new session.
  ck_assert(!client.receive(accepted.reply, world.now_s).established);
}
END_TEST

START_TEST(replay_window) {
  ReplayWindow window;
  ck_assert(window.seen(0));
  window.note(100);
  ck_assert(window.seen(100) && !window.seen(101) && !window.seen(99));
  ck_assert(!window.seen(37) && window.seen(36) && window.seen(1));  // 64 behind is too old
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

// Out of order within the window is taken, once.
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
    world.now_s += 1;  // below the rate
    const auto got = world.to_server(bad, address_of(1));
    ck_assert_msg(got.message.empty() && got.refused != Refusal::none, "byte %zu", at);
  }
  ck_assert_uint_gt(count(world.server, Refusal::forged), 0);
  // A forged sequence number far ahead has not moved the window.
  ck_assert(!world.to_server(good, address_of(1)).message.empty());
  // Sealed with another key.
  Bytes header = world.server.seal(1, text);
  SealedChannel other(decode_sealed_header(header)->session, Key{1}, Side::first);
  for (int i = 0; i < 8; ++i) other.seal(text);  // past the numbers that were seen
  ck_assert(world.to_server(other.seal(text), address_of(1)).refused == Refusal::forged);
  SealedChannel false_monitor(decode_sealed_header(header)->session, Key{1}, Side::second);
  for (int i = 0; i < 8; ++i) false_monitor.seal(text);
  ck_assert(client.receive(false_monitor.seal(text), world.now_s).refused == Refusal::forged);
}
END_TEST

START_TEST(forged_accept) {
  World world;
  ClientSession client(world.ours, "n1");
  world.join_of(client, address_of(1));
  SealedChannel false_monitor(5, Key{1}, Side::second);
  ck_assert(client.receive(false_monitor.seal(encode_accept()), world.now_s).refused == Refusal::forged);
  ck_assert(!client.established());
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
  ck_assert(world.to_server(world.join_of(elsewhere, address_of(1)), address_of(1)).refused == Refusal::unknown_node);
  ck_assert_int_eq(world.munge.decodes, 0);  // nothing costly was done
  // The name outside the credential is another than the one inside.
  ClientSession client(world.ours, "n1");
  auto join = decode_join(world.join_of(client, address_of(2)));
  join->name = "n2";
  ck_assert(world.to_server(encode(*join), address_of(2)).refused == Refusal::bad_credential);
}
END_TEST

// A good credential, made for another handshake: one that somebody kept.
START_TEST(credential_of_another_handshake) {
  World world;
  ClientSession client(world.ours, "n1");
  for (const int which : {0, 1, 2}) {
    world.now_s += 100;
    const auto join = decode_join(world.join_of(client, address_of(1)));
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
  // The agent starts anew: its old session is gone with it.
  ClientSession again(world.ours, "n1");
  world.establish(again, address_of(1));
  const auto got = world.to_server(before, address_of(1));
  ck_assert(got.refused == Refusal::no_session && got.message.empty());
  // The hint makes the old one look for a new session; the new one it does not concern.
  ck_assert(again.receive(got.reply, world.now_s).refused == Refusal::no_session);
  ck_assert(again.due(world.now_s).empty());
  client.receive(got.reply, world.now_s);
  ck_assert(!client.due(world.now_s).empty());
  // A session ends with its age.
  world.now_s += 27 * 3600;
  ck_assert(world.to_server(again.seal(text), address_of(1)).refused == Refusal::no_session);
  ck_assert(!world.server.established(1));
}
END_TEST

// The monitor starts anew: agents come back without being told by anybody else.
// Before the monitor ends it, and without a break: the old one serves until the new one stands.
START_TEST(a_new_session_each_day) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  const std::uint64_t first = decode_sealed_header(client.seal(text))->session;
  world.now_s += 24 * 3600 - 1;
  ck_assert(client.due(world.now_s).empty());
  world.now_s += 2;
  ck_assert(!client.due(world.now_s).empty());
  ck_assert(world.to_server(client.seal(text), address_of(1)).message == text);
  world.now_s += 60;
  world.establish(client, address_of(1));
  ck_assert_uint_ne(decode_sealed_header(client.seal(text))->session, first);
  ck_assert(client.due(world.now_s).empty());
}
END_TEST

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

// Hints are not authenticated: a flood of them costs one hello in a while and no session.
START_TEST(false_hints) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  const std::uint64_t session = decode_sealed_header(client.seal(text))->session;
  int hellos = 0;
  for (int i = 0; i < 1000; ++i) {
    client.receive(encode_reset(session), world.now_s);
    client.receive(encode_reset(session + 1), world.now_s);
    client.receive(encode(RefusedFrame{{}, 3}), world.now_s);
    hellos += !client.due(world.now_s).empty();
  }
  ck_assert_int_eq(hellos, 1);
  ck_assert(client.established());
  ck_assert(!world.to_server(client.seal(text), address_of(1)).message.empty());
}
END_TEST

// Whoever sees the session's number can ask for a new one; not at once again.
START_TEST(resets_one_after_the_other) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  const auto reset = [&] {
    const std::uint64_t session = decode_sealed_header(client.seal(text))->session;
    return client.receive(encode_reset(session), world.now_s).refused;
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

// A later message that overtakes the acceptance does not stand for it.
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
  ck_assert(client.receive(challenge.reply, world.now_s).reply.empty());  // one hello, one join
}
END_TEST

// Only what answers this client's own join says why it was refused.
START_TEST(false_refusals) {
  World world;
  ClientSession client(world.ours, "n1");
  Nonce nonce{};
  ck_assert_text_eq(client.receive(encode(RefusedFrame{nonce, 4}), world.now_s).note, "");  // before any join
  const auto join = decode_join(world.join_of(client, address_of(1)));
  nonce = join->nonce;
  nonce[0] ^= 1;
  ck_assert_text_eq(client.receive(encode(RefusedFrame{nonce, 4}), world.now_s).note, "");
  ck_assert(!client.receive(encode(RefusedFrame{join->nonce, 4}), world.now_s).note.empty());
}
END_TEST

// However long munge makes its credential, the join is no longer than the challenge that it answers.
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

START_TEST(oversize_and_noise) {
  World world;
  ClientSession client(world.ours, "n1");
  world.establish(client, address_of(1));
  ck_assert_error(client.seal(Bytes(max_message + 1)), "does not fit a datagram");
  ck_assert_error(client.seal(Bytes()), "0 bytes");
  ck_assert_uint_eq(client.seal(Bytes(max_message)).size(), max_datagram);
  Bytes big = client.seal(Bytes(max_message));
  big.push_back(0);
  for (const Bytes& noise : {big, Bytes(), Bytes(1), Bytes(65507, 0x53), encode_reset(1), encode(ChallengeFrame{})}) {
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
  ck_assert_int_eq(taken, 60);  // the burst
  ck_assert_uint_eq(count(world.server, Refusal::too_many), 940);
  ck_assert(!world.to_server(calm.seal(text), address_of(2)).message.empty());
  world.now_s += 1;
  ck_assert(!world.to_server(loud.seal(text), address_of(1)).message.empty());
}
END_TEST

// Anybody may send these, from any address: there is an end to the answers.
START_TEST(rate_of_hellos_and_hints) {
  World world;
  ServerSessions::Limits limits;
  limits.hellos_per_s = 10;
  limits.hellos_burst = 20;
  ServerSessions server(world.ours, 4, admit, limits);
  for (const Bytes& datagram : {encode_hello(Nonce{}), Bytes(64, 0)}) {
    Bytes asked = datagram;
    if (asked.size() == 64) {  // of a session that is none
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

// Whoever sends hellos from many addresses makes the monitor keep nothing.
START_TEST(hellos_leave_nothing) {
  World world;
  for (int i = 0; i < 100; ++i) {
    const auto got = world.to_server(encode_hello(Nonce{static_cast<std::uint8_t>(i)}), address_of(1, static_cast<std::uint16_t>(i + 1)));
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

// munge takes 2 s to say that munged is dead, and 10 when it hangs: most of the time is for the heartbeats.
START_TEST(a_silent_service_is_left_alone) {
  ServiceSilence silence;
  ck_assert(silence.may_ask(0) && silence.may_ask(1000));
  silence.failed(1000, 1002);
  ck_assert(!silence.may_ask(1002) && !silence.may_ask(1011.9) && silence.may_ask(1012));
  silence.failed(1012, 1012);  // at once: not at every datagram all the same
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
  ck_assert(!bucket.take(50));  // a clock that runs backwards gives nothing
  ck_assert(bucket.take(1000) && bucket.take(1000, 3) && !bucket.take(1000));
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
  tcase_add_test(tests, wrong_user);
  tcase_add_test(tests, wrong_node);
  tcase_add_test(tests, credential_of_another_handshake);
  tcase_add_test(tests, cookie_of_another_address_or_time);
  tcase_add_test(tests, clock_skew);
  tcase_add_test(tests, old_session);
  tcase_add_test(tests, a_new_session_each_day);
  tcase_add_test(tests, monitor_restart);
  tcase_add_test(tests, false_hints);
  tcase_add_test(tests, false_challenges);
  tcase_add_test(tests, resets_one_after_the_other);
  tcase_add_test(tests, acceptance_overtaken);
  tcase_add_test(tests, false_refusals);
  tcase_add_test(tests, a_long_credential);
  tcase_add_test(tests, another_address);
  tcase_add_test(tests, oversize_and_noise);
  tcase_add_test(tests, rate_of_one_peer);
  tcase_add_test(tests, rate_of_hellos_and_hints);
  tcase_add_test(tests, rate_of_joins);
  tcase_add_test(tests, hellos_leave_nothing);
  tcase_add_test(tests, hellos_come_ever_more_seldom);
  tcase_add_test(tests, no_munge);
  tcase_add_test(tests, a_silent_service_is_left_alone);
  tcase_add_test(tests, token_bucket);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
