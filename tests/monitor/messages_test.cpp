// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/messages.hpp"

#include <cmath>
#include <limits>

#include "tests/check.hpp"
#include "tests/monitor/message_samples.hpp"

using namespace placement;
using namespace placement::protocol;

namespace {

// Checks that the decoder rejects bytes that are shorter, longer or of another kind.
template <typename Decode>
void only_whole(const Bytes& bytes, Decode decode) {
  ck_assert(decode(bytes).has_value());
  for (std::size_t size = 0; size < bytes.size(); ++size) ck_assert(!decode(ByteView(bytes).first(size)).has_value());
  Bytes longer = bytes;
  longer.push_back(0);
  ck_assert(!decode(longer).has_value());
  Bytes other = bytes;
  other[0] ^= 0x40;
  ck_assert(!decode(other).has_value());
}

// Checks that the decoder returns what was encoded.
template <typename Message>
void comes_back(const Message& sent) {
  const auto got = decode<Message>(encode(sent));
  ck_assert(got && encode(*got) == encode(sent));
}

void put_real(Bytes& bytes, std::size_t at, std::uint32_t bits) {
  for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::uint8_t>(bits >> (8 * i));
}

}  // namespace

START_TEST(heartbeat_comes_back) {
  const Heartbeat sent = full_heartbeat();
  const Bytes bytes = encode(sent);
  ck_assert_uint_eq(bytes.size(), heartbeat_message_bytes);
  const auto got = decode<Heartbeat>(bytes);
  ck_assert(got.has_value());
  ck_assert(got->boot_id == sent.boot_id && got->follows == sent.follows);
  ck_assert_uint_eq(got->agent_start_id, sent.agent_start_id);
  ck_assert_uint_eq(got->number, 7);
  ck_assert(got->probe_address == sent.probe_address);
  ck_assert_uint_eq(got->flags, sent.flags);
  ck_assert_double_eq(got->state.memory_MiB, 257000);
  ck_assert_double_eq(got->state.slurm_load.minutes_5, sent.state.slurm_load.minutes_5);
  ck_assert_double_eq(got->state.users.minutes_15, sent.state.users.minutes_15);
  ck_assert_double_eq(got->state.memory_pressure.minutes_1, 0.75);
  ck_assert(std::isnan(got->state.memory_pressure.minutes_5));
  ck_assert(std::isnan(got->state.io_pressure.minutes_1));
  ck_assert(encode(*got) == bytes);
  only_whole(bytes, decode<Heartbeat>);
}
END_TEST

// A value that cannot be encoded becomes "not known", and never a number that the decoder rejects.
START_TEST(encoder_says_nothing_impossible) {
  Heartbeat heartbeat;
  heartbeat.number = 1;
  heartbeat.flags = 0xffffffff;
  heartbeat.state.cores = 0;
  heartbeat.state.cpu_utilisation.minutes_1 = 1.5;
  heartbeat.state.cpu_load.minutes_1 = std::numeric_limits<double>::infinity();
  heartbeat.state.users.minutes_1 = -0.0;
  heartbeat.state.memory_MiB = 1e30;
  const auto got = decode<Heartbeat>(encode(heartbeat));
  ck_assert(got.has_value());
  ck_assert(std::isnan(got->state.cores) && std::isnan(got->state.memory_MiB));
  ck_assert(std::isnan(got->state.cpu_utilisation.minutes_1) && std::isnan(got->state.cpu_load.minutes_1));
  ck_assert_double_eq(got->state.users.minutes_1, 0);
  ck_assert_uint_eq(got->flags, all_heartbeat_flags);
}
END_TEST

START_TEST(heartbeat_refuses_what_cannot_be) {
  constexpr std::size_t number_at = 17, flags_at = 29, cores_at = 51, utilisation_at = cores_at + 4 * 10;
  const Bytes good = encode(full_heartbeat());
  ck_assert(decode<Heartbeat>(good).has_value());
  const auto refused = [&](std::size_t at, std::uint32_t bits) {
    Bytes bad = good;
    put_real(bad, at, bits);
    return !decode<Heartbeat>(bad).has_value();
  };
  ck_assert(refused(number_at, 0));                // heartbeats count from 1
  ck_assert(refused(flags_at, 0x80000000));        // an unknown flag
  ck_assert(refused(cores_at, 0xbf800000));        // -1
  ck_assert(refused(cores_at, 0x80000000));        // -0
  ck_assert(refused(cores_at, 0x7f800000));        // infinity
  ck_assert(refused(cores_at, 0x7fc00001));        // a NaN with another bit pattern
  ck_assert(!refused(cores_at, 0x7fc00000));       // not known
  ck_assert(refused(cores_at, 0));                 // a value that the snapshot rejects
  ck_assert(refused(cores_at, 0x7f7fffff));        // the largest float
  ck_assert(refused(utilisation_at, 0x40000000));  // 2
  ck_assert(!refused(utilisation_at, 0x3f800000));
  ck_assert(refused(heartbeat_message_bytes - 4, 1));  // the padding is not zero
}
END_TEST

START_TEST(ack_comes_back) {
  HeartbeatAck ack{.number = 4, .next_to_slurmctld = true, .single_node_jobs = {12, 4000000000}};
  comes_back(ack);
  only_whole(encode(ack), decode<HeartbeatAck>);
  ack.single_node_jobs.assign(1000, 1);
  ck_assert_uint_eq(decode<HeartbeatAck>(encode(ack))->single_node_jobs.size(), max_single_node_jobs);
  ack.single_node_jobs.clear();
  ack.next_to_slurmctld = false;
  const Bytes none = encode(ack);
  comes_back(ack);
  Bytes jobs = none;
  jobs.back() = 255;  // the number of jobs, but no job follows
  ck_assert(!decode<HeartbeatAck>(jobs));
}
END_TEST

START_TEST(lease_comes_back) {
  const ProbeLease lease = full_lease();
  comes_back(lease);
  only_whole(encode(lease), decode<ProbeLease>);
  const auto refused = [&](auto change) {
    ProbeLease bad = lease;
    change(bad);
    return !decode<ProbeLease>(encode(bad)).has_value();
  };
  ck_assert(refused([](ProbeLease& l) { l.kind = static_cast<ProbeKind>(4); }));
  ck_assert(refused([](ProbeLease& l) { l.role = static_cast<ProbeRole>(0); }));
  ck_assert(refused([](ProbeLease& l) { l.packets = 0; }));
  // A lease has at most 256 packets and expires after at most a minute.
  ck_assert(!refused([](ProbeLease& l) { l.packets = 256; }));
  ck_assert(refused([](ProbeLease& l) { l.packets = 16385; }));
  ck_assert(!refused([](ProbeLease& l) { l.expires_in_ms = 60000; }));
  ck_assert(refused([](ProbeLease& l) { l.packet_bytes = min_probe_packet - 1; }));
  ck_assert(refused([](ProbeLease& l) { l.packet_bytes = max_datagram + 1; }));
  ck_assert(refused([](ProbeLease& l) { l.expires_in_ms = 60001; }));
  ck_assert(refused([](ProbeLease& l) { l.start_in_ms = l.expires_in_ms; }));
  ck_assert(refused([](ProbeLease& l) { l.peer_address.port = 0; }));
  ck_assert(refused([](ProbeLease& l) { l.peer = "n 1"; }));
  ck_assert(refused([](ProbeLease& l) { l.peer.clear(); }));
}
END_TEST

START_TEST(result_comes_back) {
  const ProbeResult result{
      .lease = 8, .kind = ProbeKind::train, .peer = "n3", .outcome = ProbeOutcome::measured, .bandwidth_Bps = 25e6};
  const auto got = decode<ProbeResult>(encode(result));
  ck_assert(got.has_value());
  ck_assert_text_eq(got->peer, "n3");
  ck_assert_double_eq(got->bandwidth_Bps, 25e6);
  ck_assert(std::isnan(got->median_latency_us));
  only_whole(encode(result), decode<ProbeResult>);
}
END_TEST

START_TEST(probe_packet_comes_back) {
  const ProbePacket packet{.kind = ProbePacket::Kind::report, .index = 1, .held_ns = 2, .rate_Bps = 1e8};
  const auto got = decode<ProbePacket>(encode(packet));
  ck_assert(got && got->kind == packet.kind && got->index == 1 && got->held_ns == 2);
  ck_assert_double_eq(got->rate_Bps, 1e8);
  ck_assert_uint_eq(encode(packet).size(), probe_packet_message_bytes);
  Bytes padded = encode(packet, 1000);
  ck_assert_uint_eq(padded.size(), 1000);
  ck_assert(decode<ProbePacket>(padded).has_value());
  padded.back() = 1;
  ck_assert(!decode<ProbePacket>(padded));
  ck_assert(!decode<ProbePacket>(encode(ProbePacket{.rate_Bps = std::numeric_limits<double>::infinity()})));
  ck_assert_uint_eq(encode(packet, 1 << 20).size(), max_message);
}
END_TEST

START_TEST(frames_come_back) {
  const Nonce a{1, 2}, b{3};
  const auto decodes_join = [](ByteView bytes) { return decode<JoinFrame>(bytes); };
  comes_back(HelloFrame{a});
  only_whole(encode(HelloFrame{a}), decode<HelloFrame>);
  comes_back(ChallengeFrame{a, b});
  only_whole(encode(ChallengeFrame{a, b}), decode<ChallengeFrame>);
  const JoinFrame join{a, b, "n1", "MUNGE:abc:"};
  comes_back(join);
  ck_assert(!decodes_join(encode(JoinFrame{a, b, "n1", ""})));
  ck_assert(!decodes_join(encode(JoinFrame{a, b, "n1", std::string("a\0b", 3)})));
  ck_assert(!decodes_join(encode(JoinFrame{a, b, "n1", std::string(max_datagram, 'a')})));
  comes_back(RefusedFrame{a, 3});
  only_whole(encode(RefusedFrame{a, 3}), decode<RefusedFrame>);
  comes_back(ResetFrame{77});
  only_whole(encode(ResetFrame{77}), decode<ResetFrame>);
  const JoinSecret secret{a, b, Key{9}, "n1"};
  comes_back(secret);
  ck_assert(!decode<JoinSecret>(ByteView(encode(secret)).first(10)));
}
END_TEST

START_TEST(frames_of_other_versions_are_none) {
  Bytes hello = encode(HelloFrame{});
  ck_assert(frame_kind(hello) == FrameKind::hello);
  for (const std::size_t at : {0, 3, 4, 6, 7}) {
    Bytes other = hello;
    other[at] ^= 1;
    ck_assert_msg(!decode<HelloFrame>(other), "byte %zu", at);
  }
  for (const std::uint8_t kind : {0, 7, 255}) {
    hello[5] = kind;
    ck_assert(!frame_kind(hello));
  }
  ck_assert(!frame_kind({}));
  Bytes big = encode(HelloFrame{});
  big.resize(max_datagram + 1);
  ck_assert(!decode<HelloFrame>(big));
}
END_TEST

// No answer is longer than the message that it answers.
START_TEST(answers_are_no_longer_than_questions) {
  ck_assert_uint_le(encode(ChallengeFrame{}).size(), encode(HelloFrame{}).size());
  const std::size_t join = encode(JoinFrame{{}, {}, "n", "x"}).size();
  ck_assert_uint_le(encode(RefusedFrame{}).size(), join);
  HeartbeatAck ack{.number = 1, .single_node_jobs = std::vector<std::uint32_t>(max_single_node_jobs)};
  ck_assert_uint_le(encode(ack).size(), encode(Heartbeat{}).size());
  ck_assert_uint_le(encode(ResetFrame{1}).size(), seal_overhead + 1);
  ck_assert_uint_le(encode(full_lease()).size(), max_message);
}
END_TEST

START_TEST(addresses_as_text) {
  NetAddress address;
  address.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 1};
  address.port = 6820;
  ck_assert_text_eq(to_string(address), "192.0.2.1:6820");
  address.ip = {0x20, 1, 0x0d, 0xb8};
  address.ip[15] = 0x10;
  ck_assert_text_eq(to_string(address), "[2001:db8::10]:6820");
}
END_TEST

int main() {
  Suite* suite = suite_create("wire");
  TCase* tests = tcase_create("wire");
  tcase_add_test(tests, heartbeat_comes_back);
  tcase_add_test(tests, encoder_says_nothing_impossible);
  tcase_add_test(tests, heartbeat_refuses_what_cannot_be);
  tcase_add_test(tests, ack_comes_back);
  tcase_add_test(tests, lease_comes_back);
  tcase_add_test(tests, result_comes_back);
  tcase_add_test(tests, probe_packet_comes_back);
  tcase_add_test(tests, frames_come_back);
  tcase_add_test(tests, frames_of_other_versions_are_none);
  tcase_add_test(tests, answers_are_no_longer_than_questions);
  tcase_add_test(tests, addresses_as_text);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
