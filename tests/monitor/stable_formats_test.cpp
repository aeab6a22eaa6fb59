// SPDX-License-Identifier: GPL-2.0-or-later
// The files of an older version are read, and encoded again to the same bytes. So each version reads the data of the
// other: an old agent works with a new monitor and the reverse, a new placectl reads an old snapshot. The files of the
// older version are in tests/data/stable_formats.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/decision/decision_ring.hpp"
#include "common/matrix/matrix_wire.hpp"
#include "common/state/snapshot.hpp"
#include "monitor/protocol/messages.hpp"
#include "monitor/protocol/query_wire.hpp"
#include "monitor/protocol/seal.hpp"
#include "tests/check.hpp"
#include "tests/monitor/message_samples.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::protocol;

namespace {

std::string stored(const std::string& name) {
  const char* const top = std::getenv("srcdir");
  const std::string path = std::string(top != nullptr ? top : ".") + "/tests/data/stable_formats/" + name;
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  ck_assert_msg(!bytes.empty(), "%s cannot be read", path.c_str());
  return bytes;
}

template <typename Bytes>
std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Checks that `message` is encoded as the stored bytes, and that decoding them returns all of its fields.
template <typename Message, typename Decode, typename Encode>
void stays(const char* name, const Message& message, Decode decode, Encode encoded) {
  const std::string bytes = stored(name);
  ck_assert_msg(text_of(encoded(message)) == bytes, "%s is written in another form than it is stored in", name);
  const auto read = decode(ByteView(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  ck_assert_msg(read.has_value(), "the stored %s is not understood", name);
  ck_assert_msg(text_of(encoded(*read)) == bytes, "a part of the stored %s is lost", name);
}

template <typename Message, typename Decode>
void stays(const char* name, const Message& message, Decode decode) {
  stays(name, message, decode, [](const auto& one) { return encode(one); });
}

}  // namespace

START_TEST(messages_between_agent_and_monitor) {
  stays("heartbeat", full_heartbeat(), decode<Heartbeat>);
  stays("heartbeat_ack", HeartbeatAck{.number = 4, .next_to_slurmctld = true, .single_node_jobs = {12, 4000000000}},
        decode<HeartbeatAck>);
  stays("probe_lease", full_lease(), decode<ProbeLease>);
  stays(
      "probe_result",
      ProbeResult{
          .lease = 8, .kind = ProbeKind::train, .peer = "n3", .outcome = ProbeOutcome::measured, .bandwidth_Bps = 25e6},
      decode<ProbeResult>);
  stays("probe_packet", ProbePacket{.kind = ProbePacket::Kind::report, .index = 1, .held_ns = 2, .rate_Bps = 1e8},
        decode<ProbePacket>);
  stays("settings", SettingsMessage{"MonitorPort=6828\nProbeLinkMbps=100\n"}, decode<SettingsMessage>);
}
END_TEST

START_TEST(packets_of_a_handshake) {
  Nonce nonce{};
  nonce[3] = 7;
  stays("hello", HelloFrame{nonce}, decode<HelloFrame>);
  stays("challenge", ChallengeFrame{nonce, {}}, decode<ChallengeFrame>);
  stays("join", JoinFrame{nonce, {}, "n1", "MUNGE:AwQFAAC:"}, decode<JoinFrame>);
  stays("refused", RefusedFrame{nonce, 3}, decode<RefusedFrame>);
}
END_TEST

// The header, the keys of both directions and the nonce have their form here.
START_TEST(a_sealed_datagram) {
  Key secret{};
  for (std::size_t i = 0; i < secret.size(); ++i) secret[i] = static_cast<std::uint8_t>(i);
  SealedChannel agent(0x0102030405060708, secret, Side::first), monitor(0x0102030405060708, secret, Side::second);
  const Bytes message{1, 2, 3};
  agent.seal(message);
  const Bytes datagram = agent.seal(message);
  ck_assert(text_of(datagram) == stored("sealed_to_monitor"));
  ck_assert(*monitor.open(datagram) == message);
  ck_assert(text_of(monitor.seal(message)) == stored("sealed_to_agent"));
}
END_TEST

START_TEST(questions_of_placectl) {
  stays("query",
        Query{.kind = Query::Kind::job_state, .channel = 5, .key = {}, .job = 7, .since_s = 1.5, .text = "n[1-4]"},
        decode<Query>);
}
END_TEST

START_TEST(snapshots) {
  for (const std::string name : {"snapshot_1", "snapshot_1_forecasts"}) {
    const std::string bytes = stored(name);
    const LiveState state = decode_snapshot(bytes);
    ck_assert_uint_eq(state.nodes.size(), 5);
    ck_assert(text_of(encode_snapshot(state)) == bytes);
  }
}
END_TEST

// The ring has its head and its first place here; the other places have never been used.
START_TEST(the_ring) {
  constexpr std::size_t place_bytes = 4096;
  const std::string bytes = stored("ring_1"), text = stored("decision.text");
  ck_assert_uint_eq(bytes.size(), 2 * place_bytes);
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  std::ofstream(path, std::ios::binary) << bytes;
  std::filesystem::resize_file(path, place_bytes * (ring_places + 1));
  DecisionReader reader(path);
  const std::vector<Decision> decisions = reader.read();
  ck_assert_uint_eq(decisions.size(), 1);
  ck_assert_uint_eq(reader.broken(), 0);
  ck_assert_text_eq(decision_text(decisions[0]), text);
  ck_assert_text_eq(decision_text(parse_decision_text(text)), text);
  ck_assert_text_eq(bytes.substr(place_bytes + 16, text.size()), text);
}
END_TEST

// The compressed bytes may differ with the version of zstd.
START_TEST(a_matrix_on_its_way) {
  const std::string bytes = stored("matrix_1");
  const CommMatrix matrix = unpack_wire(std::as_bytes(std::span(bytes)));
  ck_assert(matrix == CommMatrix::from_edges(4, {{0, 1, 5}, {0, 3, 1}, {1, 2, 2}, {2, 3, 9}}));
  ck_assert(text_of(pack_wire(matrix)).substr(0, 4) == bytes.substr(0, 4));
}
END_TEST

int main() {
  Suite* const suite = suite_create("stable_formats");
  TCase* const tests = tcase_create("stable_formats");
  tcase_add_test(tests, messages_between_agent_and_monitor);
  tcase_add_test(tests, packets_of_a_handshake);
  tcase_add_test(tests, a_sealed_datagram);
  tcase_add_test(tests, questions_of_placectl);
  tcase_add_test(tests, snapshots);
  tcase_add_test(tests, the_ring);
  tcase_add_test(tests, a_matrix_on_its_way);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
