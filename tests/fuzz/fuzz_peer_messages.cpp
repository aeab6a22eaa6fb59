// SPDX-License-Identifier: GPL-2.0-or-later
// What monitors take from each other: what decodes is sound, and has one meaning.
#include <cmath>

#include "monitor/monitor/peer_messages.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "peer_messages";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const protocol::ByteView bytes(data, size);
  if (const auto state = monitor::decode_peer_state(bytes))
    REQUIRE(encode(*state) == protocol::Bytes(bytes.begin(), bytes.end()));
  if (const auto ask = monitor::decode_peer_ask(bytes))
    REQUIRE(encode(*ask) == protocol::Bytes(bytes.begin(), bytes.end()));
  if (const auto pairs = monitor::decode_peer_pairs(bytes)) {
    REQUIRE(pairs->size() <= monitor::max_peer_measurements);
    for (const monitor::PeerMeasurement& pair : *pairs) REQUIRE(pair.a >= 0 && pair.b >= 0 && !(pair.value < 0));
    REQUIRE(encode(*pairs) == protocol::Bytes(bytes.begin(), bytes.end()));
  }
  if (const auto changes = monitor::decode_peer_changes(bytes)) {
    REQUIRE(changes->cursor >= 0);
    for (const monitor::OutageRecord& outage : changes->outages)
      REQUIRE(!outage.node.empty() && outage.began_at_s >= 0 && !(outage.ended_at_s < outage.began_at_s));
    for (const monitor::SpanRecord& span : changes->spans)
      REQUIRE(!span.node.empty() && span.ended_at_s >= span.began_at_s);
    const auto again = monitor::decode_peer_changes(monitor::encode(*changes));
    REQUIRE(again && again->outages.size() == changes->outages.size() && again->spans.size() == changes->spans.size());
    for (std::size_t i = 0; i < changes->spans.size(); ++i)
      REQUIRE(again->spans[i].ended_at_s == changes->spans[i].ended_at_s);
  }
  return 0;
}
