// SPDX-License-Identifier: GPL-2.0-or-later
// What agents and monitors take from the network: a datagram that decodes has one meaning and one
// spelling. The first byte chooses whether the rest is a packet of the handshake or a message inside of a seal.
#include <array>
#include <cmath>

#include "monitor/protocol/handshake_packets.hpp"
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
  const auto heartbeat = protocol::decode_heartbeat(bytes);
  require_same(heartbeat, bytes);
  if (heartbeat) {
    REQUIRE(sound(heartbeat->link_Bps) && sound(heartbeat->state.cores));
    REQUIRE(sound(heartbeat->state.cpu_utilisation.minutes_1, 1) && sound(heartbeat->state.io_pressure.minutes_15, 1));
  }
  const auto ack = protocol::decode_heartbeat_ack(bytes);
  require_same(ack, bytes);
  if (ack)
    REQUIRE(ack->single_node_jobs.size() <= protocol::max_single_node_jobs &&
            bytes.size() <= protocol::heartbeat_message_bytes);
  const auto lease = protocol::decode_lease(bytes);
  require_same(lease, bytes);
  if (lease)
    REQUIRE(lease->packet_bytes <= protocol::max_datagram && lease->packets > 0 &&
            lease->start_in_ms < lease->expires_in_ms);
  const auto result = protocol::decode_probe_result(bytes);
  require_same(result, bytes);
  if (result) REQUIRE(sound(result->bandwidth_Bps) && result->peer.size() <= protocol::max_wire_name);
  require_same(protocol::decode_settings(bytes), bytes);
  require_same(protocol::decode_settings_taken(bytes), bytes);
  if (const auto packet = protocol::decode_probe_packet(bytes)) {
    REQUIRE(std::isnan(packet->rate_Bps) || packet->rate_Bps >= 0);
    const protocol::Bytes again = protocol::encode(*packet, bytes.size());
    REQUIRE(again.size() == bytes.size() && protocol::decode_probe_packet(again).has_value());
  }
  const int kinds = heartbeat.has_value() + ack.has_value() + lease.has_value() + result.has_value();
  REQUIRE(kinds <= 1);
  REQUIRE(kinds == 0 || protocol::message_kind(bytes).has_value());
}

void check_frame(protocol::ByteView bytes) {
  if (const auto nonce = protocol::decode_hello(bytes))
    REQUIRE(protocol::encode_hello(*nonce) == protocol::Bytes(bytes.begin(), bytes.end()));
  require_same(protocol::decode_challenge(bytes), bytes);
  require_same(protocol::decode_join(bytes), bytes);
  require_same(protocol::decode_refused(bytes), bytes);
  if (const auto session = protocol::decode_reset(bytes))
    REQUIRE(protocol::encode_reset(*session) == protocol::Bytes(bytes.begin(), bytes.end()));
  if (const auto header = protocol::decode_sealed_header(bytes)) {
    REQUIRE(bytes.size() > protocol::seal_overhead && bytes.size() <= protocol::max_datagram);
    const protocol::Bytes again = protocol::encode(*header);
    REQUIRE(std::equal(again.begin(), again.end(), bytes.begin()));
  }
  require_same(protocol::decode_join_secret(bytes), bytes);
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
