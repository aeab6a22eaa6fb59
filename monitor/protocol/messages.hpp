// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/state/live_state.hpp"

namespace placement {

// What agents and monitors say to each other, one UDP datagram each. All numbers are little-endian
// and of fixed width, reals are IEEE 754 binary32. A decoder takes exactly what the encoder of the
// same version writes: a wrong length, an unknown value or a number that cannot be is no message.
// The messages are here; frames.hpp has the frames around them.

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

inline constexpr std::uint8_t wire_version = 1;
inline constexpr std::size_t max_datagram = 1400;  // never fragmented
inline constexpr std::size_t max_wire_name = 64;   // of a node or host, as in Slurm

inline constexpr std::size_t frame_header_bytes = 8;
inline constexpr std::size_t nonce_bytes = 16;
// A whole hello or challenge: neither is shorter than what answers it, and a join is no longer.
inline constexpr std::size_t handshake_bytes = 640;
inline constexpr std::size_t sealed_header_bytes = frame_header_bytes + 16;
inline constexpr std::size_t seal_tag_bytes = 16;
inline constexpr std::size_t seal_overhead = sealed_header_bytes + seal_tag_bytes;
inline constexpr std::size_t max_message = max_datagram - seal_overhead;

using Nonce = std::array<std::uint8_t, nonce_bytes>;
using Key = std::array<std::uint8_t, 32>;

// Where a datagram comes from or goes to; an IPv4 address is held as ::ffff:a.b.c.d.
struct NetAddress {
  std::array<std::uint8_t, 16> ip{};
  std::uint16_t port = 0;

  auto operator<=>(const NetAddress&) const = default;
};

// "192.0.2.1:6820", "[2001:db8::1]:6820".
std::string to_string(const NetAddress& address);

// The messages in sealed frames; the first byte of a message is its kind.
enum class MessageKind : std::uint8_t {
  accept = 1,     // monitor to agent: the session stands; no body
  heartbeat,      // agent to monitor
  heartbeat_ack,  // monitor to agent
  lease,          // monitor to agent
  probe_result,   // agent to monitor
  probe_packet,   // agent to agent, sealed with the key of the lease
  settings,       // monitor to agent: what placement.conf of the controllers says for agents
  settings_taken,  // agent to monitor
};

// Which monitor publishes, as somebody has heard it. A larger term is newer; term 0: nobody yet.
struct LeaderTerm {
  std::uint64_t term = 0;
  std::string publisher;           // its SlurmctldHost name
  std::uint32_t age_ms = 0;        // since the publisher itself was heard to say so
  std::uint32_t remaining_ms = 0;  // of the lease term, when it was said

  bool operator==(const LeaderTerm&) const = default;
};

enum HeartbeatFlag : std::uint32_t {
  slurmd_running = 1,  // a slurmd process is on the node
  jobs_running = 2,    // a job of Slurm's is on the node
  leaving = 4,         // the last heartbeat: the agent was told to end
  probes_refused = 8,  // the agent takes no lease at present (budget, jobs, or its configuration)
  all_heartbeat_flags = 15,
};

struct Heartbeat {
  std::array<std::uint8_t, 16> boot_id{};  // of the kernel: another one is a reboot
  std::uint64_t agent_start_id = 0;        // random: another one is a restart of the agent
  std::uint64_t number = 0;                // counts up from 1 since the agent's start
  std::int64_t sent_at_ms = 0;             // the agent's clock, since 1970
  std::uint32_t uptime_s = 0;              // of the node
  std::uint32_t flags = 0;                 // HeartbeatFlag
  double link_Bps = unknown_value;         // nominal rate of the interface that matters
  // Where this agent answers probes, for the leases of its peers. An address of zeros: at the address
  // from which its heartbeats come, with this port. Port 0: nowhere.
  NetAddress probe_address;
  NodeState state;                         // attributes; name, liveness, age and outages do not travel
  LeaderTerm heard;                     // the newest that this agent has heard from any monitor
};

inline constexpr std::size_t max_single_node_jobs = 32;

struct HeartbeatAck {
  std::uint64_t number = 0;  // of the heartbeat
  LeaderTerm publisher;   // as this monitor sees it, itself perhaps
  // Jobs of which Slurm says that they run on this node alone. An agent allows no probe while a job
  // runs that is not in here (ProbeBusyNodes=no).
  std::vector<std::uint32_t> single_node_jobs;

  bool operator==(const HeartbeatAck&) const = default;
};

// Sent with each acknowledgement until the agent says that it has taken them.
struct SettingsMessage {
  std::string text;  // see agent_config.hpp; at most max_settings_text bytes
};
inline constexpr std::size_t max_settings_text = max_message - 3;

struct SettingsTaken {
  std::uint64_t agent_start_id = 0;
  std::uint64_t checksum = 0;  // checksum() of the text
};

enum class ProbeKind : std::uint8_t {
  latency = 1,  // a short exchange
  train,        // bandwidth by a packet train
  bulk,         // bandwidth by a longer stream, between idle nodes only
};

enum class ProbeRole : std::uint8_t { initiator = 1, responder };

// Leave to probe, for both ends of one pair. The responder's lease is sent first.
struct ProbeLease {
  std::uint64_t id = 0;    // random; the same at both ends
  std::uint64_t term = 0;  // of the publisher that gives it
  ProbeKind kind = ProbeKind::latency;
  ProbeRole role = ProbeRole::initiator;
  std::string peer;        // node name of the other end
  NetAddress peer_address;  // where its agent listens
  Key key{};               // random; the same at both ends
  std::uint32_t start_in_ms = 0;    // from receipt, for the initiator
  std::uint32_t expires_in_ms = 0;  // from receipt; 1 .. max_lease_ms
  std::uint16_t packets = 0;        // 1 .. max_probe_packets: exchanges, or packets of the train
  std::uint16_t packet_bytes = 0;   // of the datagram, seal and all; min_probe_packet .. max_datagram
  std::uint64_t max_bytes = 0;      // that both ends together may send, headers of IP and UDP not counted

  bool operator==(const ProbeLease&) const = default;
};

inline constexpr std::uint32_t max_lease_ms = 60000;
inline constexpr std::uint16_t max_probe_packets = 16384;

enum class ProbeOutcome : std::uint8_t {
  measured = 1,
  no_answer,       // the peer did not answer, or too little came through
  over_budget,     // this end's budget has no room
  busy,            // another probe runs, or a job that must not be disturbed
  not_idle,        // a bulk stream was asked for and an end carries load
  refused,         // the lease is old, or this agent probes nothing
};

// By the outcome's number; the first is none.
inline constexpr std::array<std::string_view, 7> probe_outcome_names = {"",     "measured", "no_answer", "over_budget",
                                                                        "busy", "not_idle", "refused"};

struct ProbeResult {
  std::uint64_t lease = 0;
  ProbeKind kind = ProbeKind::latency;
  std::string peer;
  ProbeOutcome outcome = ProbeOutcome::refused;
  std::uint32_t sent = 0;      // packets
  std::uint32_t received = 0;  // answers, or packets of the train that arrived
  double min_latency_us = unknown_value;     // half a round trip, the peer's own time taken off
  double median_latency_us = unknown_value;
  double bandwidth_Bps = unknown_value;      // from this end to the peer, with headers of Ethernet to UDP
  double other_flow_Bps = unknown_value;     // what else this end's interface carried in the sample before
  std::uint64_t bytes = 0;                   // sent by this end
};

// One packet of a probe.
struct ProbePacket {
  enum class Kind : std::uint8_t { ping = 1, pong, train, report };
  Kind kind = Kind::ping;
  std::uint32_t index = 0;          // ping, pong: which exchange; train: which packet
  std::uint32_t held_ns = 0;        // pong: from the arrival of the ping to the sending of this
  std::uint32_t received = 0;       // report: packets of the train
  double rate_Bps = unknown_value;  // report: as ProbeResult::bandwidth_Bps
};

inline constexpr std::size_t probe_packet_message_bytes = 22;
inline constexpr std::uint16_t min_probe_packet = seal_overhead + probe_packet_message_bytes;

// A heartbeat is no shorter than the longest acknowledgement, which answers it.
inline constexpr std::size_t heartbeat_message_bytes = 320;

// Each encoder writes the kind and the body. Names longer than max_wire_name, lists longer than
// their limit and reals that are no float are cut or become NaN.
Bytes encode(const Heartbeat& heartbeat);
Bytes encode(const HeartbeatAck& ack);
Bytes encode(const ProbeLease& lease);
Bytes encode(const ProbeResult& result);
// Zeros follow up to `message_bytes`.
Bytes encode(const ProbePacket& packet, std::size_t message_bytes = probe_packet_message_bytes);
Bytes encode(const SettingsMessage& settings);
Bytes encode(const SettingsTaken& taken);
Bytes encode_accept();

// The kind of a message, as far as its first byte tells.
std::optional<MessageKind> message_kind(ByteView message);

// None when the bytes are no such message.
std::optional<Heartbeat> decode_heartbeat(ByteView message);
std::optional<HeartbeatAck> decode_heartbeat_ack(ByteView message);
std::optional<ProbeLease> decode_lease(ByteView message);
std::optional<ProbeResult> decode_probe_result(ByteView message);
std::optional<ProbePacket> decode_probe_packet(ByteView message);
std::optional<SettingsMessage> decode_settings(ByteView message);
std::optional<SettingsTaken> decode_settings_taken(ByteView message);

}  // namespace placement
