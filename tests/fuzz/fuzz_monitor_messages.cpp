// SPDX-License-Identifier: GPL-2.0-or-later
// What agents and monitors take from the network: a datagram that decodes has one meaning and one
// spelling. The first byte chooses whether the rest is a packet of the handshake or a message inside of a seal.
#include <array>
#include <cmath>

#include "monitor/protocol/messages.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "monitor_messages";

namespace {

bool sound(double value, double most = 3.5e38) { return std::isnan(value) || (value >= 0 && value <= most); }

template <typename Message>
void require_same(const std::optional<Message>& message, protocol::ByteView bytes) {
  if (!message) return;
  const protocol::Bytes again = protocol::encode(*message);
  REQUIRE(protocol::Bytes(bytes.begin(), bytes.end()) == again);
}

void check_message(protocol::ByteView bytes) {
  const auto heartbeat = protocol::decode<protocol::Heartbeat>(bytes);
  require_same(heartbeat, bytes);
  if (heartbeat) {
    REQUIRE(sound(heartbeat->state.cores));
    REQUIRE(sound(heartbeat->state.cpu_utilisation.minutes_1, 1) && sound(heartbeat->state.io_pressure.minutes_15, 1));
  }
  const auto ack = protocol::decode<protocol::HeartbeatAck>(bytes);
  require_same(ack, bytes);
  if (ack)
    REQUIRE(ack->single_node_jobs.size() <= protocol::max_single_node_jobs &&
            bytes.size() <= protocol::heartbeat_message_bytes);
  const auto lease = protocol::decode<protocol::ProbeLease>(bytes);
  require_same(lease, bytes);
  if (lease)
    REQUIRE(lease->packet_bytes <= protocol::max_datagram && lease->packets > 0 &&
            lease->start_in_ms < lease->expires_in_ms);
  const auto result = protocol::decode<protocol::ProbeResult>(bytes);
  require_same(result, bytes);
  if (result) REQUIRE(sound(result->bandwidth_Bps) && result->peer.size() <= protocol::max_wire_name);
  require_same(protocol::decode<protocol::SettingsMessage>(bytes), bytes);
  if (const auto packet = protocol::decode<protocol::ProbePacket>(bytes)) {
    REQUIRE(std::isnan(packet->rate_Bps) || packet->rate_Bps >= 0);
    const protocol::Bytes again = protocol::encode(*packet, bytes.size());
    REQUIRE(again.size() == bytes.size() && protocol::decode<protocol::ProbePacket>(again).has_value());
  }
  const int kinds = heartbeat.has_value() + ack.has_value() + lease.has_value() + result.has_value();
  REQUIRE(kinds <= 1);
}

void check_frame(protocol::ByteView bytes) {
  require_same(protocol::decode<protocol::HelloFrame>(bytes), bytes);
  require_same(protocol::decode<protocol::ChallengeFrame>(bytes), bytes);
  require_same(protocol::decode<protocol::JoinFrame>(bytes), bytes);
  require_same(protocol::decode<protocol::RefusedFrame>(bytes), bytes);
  require_same(protocol::decode<protocol::ResetFrame>(bytes), bytes);
  if (const auto header = protocol::decode<protocol::SealedHeader>(bytes)) {
    REQUIRE(bytes.size() > protocol::seal_overhead && bytes.size() <= protocol::max_datagram);
    const protocol::Bytes again = protocol::encode(*header);
    REQUIRE(std::equal(again.begin(), again.end(), bytes.begin()));
  }
  require_same(protocol::decode<protocol::JoinSecret>(bytes), bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const protocol::ByteView rest(data + 1, size - 1);
  if (data[0] & 1)
    check_frame(rest);
  else
    check_message(rest);
  return 0;
}
