// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/monitor/history.hpp"
#include "monitor/monitor/schedule.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement {

// What monitors say to each other in sealed frames, in the form of wire.hpp. The monitor that stands
// later in slurm.conf opens the session, as an agent does.
enum class PeerMessageKind : std::uint8_t {
  state = 64,  // each few seconds, both ways
  ask,         // for what changed in the other's history; as long as the longest answer
  changes,     // the answer
  pairs,       // measurements, from the one that publishes
};

// The name under which a monitor joins: no node has a name that begins so.
inline std::string peer_name(const std::string& host) { return "." + host; }

struct PeerState {
  std::uint8_t order = 0;              // of its SlurmctldHost line
  std::array<std::uint8_t, 16> history{};  // which history it keeps
  std::uint64_t last_change = 0;       // in it
  LeaderTerm publisher;

  bool operator==(const PeerState&) const = default;
};

struct PeerAsk {
  std::uint64_t after = 0;  // cursor in the other's history
};

struct PeerMeasurement {
  std::int32_t a = 0, b = 0;  // nodes, by their order in slurm.conf
  Measurement measurement = Measurement::latency;
  double value = unknown_value;
};
inline constexpr std::size_t max_peer_measurements = 80;

// How many rows of a history fit into one answer whatever their names are.
inline constexpr std::int64_t max_peer_rows = 9;

Bytes encode(const PeerState& state);
Bytes encode(const PeerAsk& ask);
Bytes encode(const History::Changes& changes);             // at most max_peer_rows
Bytes encode(const std::vector<PeerMeasurement>& pairs);   // at most max_peer_measurements

// None when the bytes are no such message.
std::optional<PeerMessageKind> peer_message_kind(ByteView message);
std::optional<PeerState> decode_peer_state(ByteView message);
std::optional<PeerAsk> decode_peer_ask(ByteView message);
std::optional<History::Changes> decode_peer_changes(ByteView message);
std::optional<std::vector<PeerMeasurement>> decode_peer_pairs(ByteView message);

}  // namespace placement
