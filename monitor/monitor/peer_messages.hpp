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

namespace placement::monitor {

// The messages between monitors, in sealed frames and with the fields of messages.hpp. The monitor that comes later in
// slurm.conf opens the session, as an agent does.
enum class PeerMessageKind : std::uint8_t {
  state = 64,  // sent every few seconds, in both directions
  ask,         // asks for changes of the other's history; as long as the longest answer
  changes,     // the answer to `ask`
  pairs,       // measurements, from the leader
};

// Returns the name with which a monitor joins. The name of a node never begins with a dot.
inline std::string peer_name(const std::string& host) { return "." + host; }

struct PeerState {
  std::uint8_t order = 0;                  // number of its SlurmctldHost line, from 0
  std::array<std::uint8_t, 16> history{};  // instance of its history
  std::uint64_t last_change = 0;           // number of the last change in its history
  protocol::LeaderTerm leader;

  bool operator==(const PeerState&) const = default;
};

struct PeerAsk {
  std::uint64_t after = 0;  // only changes after this number of the other's history are wanted
};

struct PeerMeasurement {
  std::int32_t a = 0, b = 0;  // nodes, by their order in slurm.conf
  Measurement measurement = Measurement::latency;
  double value = unknown_value;  // us for latency, bytes per second for bandwidth
};
inline constexpr std::size_t max_peer_measurements = 80;

// Largest number of rows of a history in one answer. They fit whatever the names of the nodes are.
inline constexpr std::int64_t max_peer_rows = 9;

protocol::Bytes encode(const PeerState& state);
protocol::Bytes encode(const PeerAsk& ask);
protocol::Bytes encode(const History::Changes& changes);            // at most max_peer_rows
protocol::Bytes encode(const std::vector<PeerMeasurement>& pairs);  // at most max_peer_measurements

// The decoders return none when the bytes are no message of their kind.
std::optional<PeerMessageKind> peer_message_kind(protocol::ByteView message);
std::optional<PeerState> decode_peer_state(protocol::ByteView message);
std::optional<PeerAsk> decode_peer_ask(protocol::ByteView message);
std::optional<History::Changes> decode_peer_changes(protocol::ByteView message);
std::optional<std::vector<PeerMeasurement>> decode_peer_pairs(protocol::ByteView message);

}  // namespace placement::monitor
