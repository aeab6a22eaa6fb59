// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
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

namespace placement::protocol {

// The messages between agents and monitors. Each is one UDP datagram. All numbers are little-endian and of fixed width;
// reals are IEEE 754 binary32. A decoder accepts only what the encoder of its version writes. It returns none for a
// wrong length, an unknown value or an impossible number. FrameKind lists the frames around the messages.

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

inline constexpr std::uint8_t wire_version = 1;
inline constexpr std::size_t max_datagram = 1400;  // small enough that IP does not fragment it
inline constexpr std::size_t max_wire_name = 64;   // longest name of a node or host; Slurm has this limit too

inline constexpr std::size_t frame_header_bytes = 8;
inline constexpr std::size_t nonce_bytes = 16;
// Length of a hello and of a challenge. They are padded so that no answer is longer than the datagram that it answers.
// A join, the answer to a challenge, is at most this long.
inline constexpr std::size_t handshake_bytes = 640;
inline constexpr std::size_t sealed_header_bytes = frame_header_bytes + 16;
inline constexpr std::size_t seal_tag_bytes = 16;
inline constexpr std::size_t seal_overhead = sealed_header_bytes + seal_tag_bytes;
inline constexpr std::size_t max_message = max_datagram - seal_overhead;

using Nonce = std::array<std::uint8_t, nonce_bytes>;
using Key = std::array<std::uint8_t, 32>;

// The source or destination address of a datagram. An IPv4 address is stored as ::ffff:a.b.c.d.
struct NetAddress {
  std::array<std::uint8_t, 16> ip{};
  std::uint16_t port = 0;

  auto operator<=>(const NetAddress&) const = default;
  bool is_v4() const { return ip[10] == 255 && ip[11] == 255 && std::ranges::count(std::span(ip).first(10), 0) == 10; }
};

// Returns whether only a process with CAP_NET_BIND_SERVICE, which is root's, can send from this port.
inline bool is_reserved_port(std::uint16_t port) { return port > 0 && port < 1024; }

// Returns the address and port as text: "192.0.2.1:6820" or "[2001:db8::1]:6820".
std::string to_string(const NetAddress& address);

// The reason for which a datagram was not accepted. RefusedFrame contains these numbers.
enum class Refusal : std::uint8_t {
  none = 0,
  malformed,     // it is no frame or message of this version
  unknown_node,  // no node has this name, or it has another address
  bad_cookie,    // the cookie belongs to another address or nonce, or is too old
  bad_credential,
  clock_skew,  // munge finds the credential expired, or made in the future
  replayed,    // the credential or the sequence number was seen before
  wrong_user,
  no_service,     // munge does not answer on this host
  no_session,     // the session is unknown or has ended
  forged,         // the seal is not valid
  wrong_address,  // the session belongs to another address
  too_many,       // the peer or all joins together exceed their rate
  count
};

// The kinds of messages in sealed frames. The first byte of a message is its kind.
enum class MessageKind : std::uint8_t {
  accept = 1,     // monitor to agent: the session is established; no body
  heartbeat,      // agent to monitor
  heartbeat_ack,  // monitor to agent
  lease,          // monitor to agent
  probe_result,   // agent to monitor
  probe_packet,   // agent to agent, sealed with the key of the probe's lease
  settings,       // monitor to agent: the agents' settings from the controllers' placement.conf
};

// The session is established.
struct Accept {};

enum HeartbeatFlag : std::uint32_t {
  slurmd_running = 1,  // a slurmd process runs on the node
  leaving = 2,         // this is the last heartbeat: the agent was stopped and ends
  all_heartbeat_flags = 3,
};

struct Heartbeat {
  std::uint64_t boot_id = 0;         // checksum of the kernel's identifier; it changes with a reboot
  std::uint64_t agent_start_id = 0;  // random; it changes when the agent restarts
  std::uint64_t number = 0;          // counts up from 1 since the agent started
  std::uint32_t uptime_s = 0;        // seconds since the node booted
  std::uint32_t flags = 0;           // bits of HeartbeatFlag
  // The address where this agent answers probes. Monitors put it into the leases of its peers. An address of zeros
  // means the source address of its heartbeats, with this port. Port 0 means that the agent answers no probes.
  NetAddress probe_address;
  NodeState state;             // only the attributes; name, liveness, age and outages are not sent
  std::string follows;         // SlurmctldHost name of the monitor that the agent follows; empty: none
  std::uint64_t settings = 0;  // checksum() of the SettingsMessage::text that it follows; 0: none yet
};

inline constexpr std::size_t max_single_node_jobs = 32;

struct HeartbeatAck {
  std::uint64_t number = 0;        // number of the heartbeat that is acknowledged
  bool next_to_slurmctld = false;  // the active slurmctld runs on this monitor's host
  // The jobs that run on this node alone, by Slurm. An agent allows no probe while another job runs.
  std::vector<std::uint32_t> single_node_jobs;
};

// The agents' settings. A monitor sends them with the acknowledgement of each heartbeat that has another checksum.
struct SettingsMessage {
  std::string text;  // as agent_settings_text() writes it; at most max_settings_text bytes
};
inline constexpr std::size_t max_settings_text = max_message - 3;

enum class ProbeKind : std::uint8_t {
  latency = 1,  // a short exchange of packets
  train,        // bandwidth by a packet train
};

enum class ProbeRole : std::uint8_t { initiator = 1, responder };

// Permission to probe one pair. Both ends get one; the responder's lease is sent first.
struct ProbeLease {
  std::uint64_t id = 0;  // random; both ends of the pair get this number
  ProbeKind kind = ProbeKind::latency;
  ProbeRole role = ProbeRole::initiator;
  std::string peer;                 // node name of the other end
  NetAddress peer_address;          // where the agent of the other end listens
  Key key{};                        // random; both ends of the pair get this key
  std::uint32_t start_in_ms = 0;    // when the initiator starts, from receipt of the lease
  std::uint32_t expires_in_ms = 0;  // from the receipt of the lease; 1 to max_lease_ms
  std::uint16_t packets = 0;        // exchanges, or packets of the train; 1 to max_probe_packets
  std::uint16_t packet_bytes = 0;   // of the sealed datagram; min_probe_packet to max_datagram
};

inline constexpr std::uint32_t max_lease_ms = 60000;
inline constexpr std::uint16_t max_probe_packets = 256;

enum class ProbeOutcome : std::uint8_t {
  measured = 1,
  no_answer,    // the peer did not answer, or too few packets arrived
  over_budget,  // the probe would exceed this end's budget
  busy,         // another probe runs, or a job that must not be disturbed
  refused,      // the lease is old, or this agent makes no probes
};

// Names of the outcomes, indexed by the value of ProbeOutcome. No outcome has the value 0.
inline constexpr std::array<std::string_view, 6> probe_outcome_names = {"",     "measured", "no_answer", "over_budget",
                                                                        "busy", "refused"};

struct ProbeResult {
  std::uint64_t lease = 0;  // its number (ProbeLease::id)
  ProbeKind kind = ProbeKind::latency;
  std::string peer;
  ProbeOutcome outcome = ProbeOutcome::refused;
  double median_latency_us = unknown_value;  // half a round trip, without the time that the peer held the packet
  double bandwidth_Bps = unknown_value;      // from this end to the peer, including headers from Ethernet to UDP
};

// One packet of a probe.
struct ProbePacket {
  enum class Kind : std::uint8_t { ping = 1, pong, train, report };
  Kind kind = Kind::ping;
  std::uint32_t index = 0;          // ping, pong: number of the exchange; train: number of the packet
  std::uint32_t held_ns = 0;        // pong: time from the arrival of the ping to the sending of this packet
  double rate_Bps = unknown_value;  // report: see ProbeResult::bandwidth_Bps
};

inline constexpr std::size_t probe_packet_message_bytes = 18;
inline constexpr std::uint16_t min_probe_packet = seal_overhead + probe_packet_message_bytes;

// Length of a heartbeat, in bytes: at least the length of the longest acknowledgement, which answers it.
inline constexpr std::size_t heartbeat_message_bytes = 320;

// The datagrams of the handshake, and the frame around sealed datagrams. The classes of session.hpp send and read them.
//
//   frame  = "SPLW" version:u8 kind:u8 0:u16 body
//   hello  = nonce:16, then zeros up to handshake_bytes               agent to monitor
//   challenge = nonce:16 cookie:16, then zeros up to handshake_bytes  monitor to agent
//   join   = nonce:16 cookie:16 name credential                       agent to monitor
//   refused = nonce:16 reason:u8                                      monitor to agent; a hint, not authenticated
//   reset  = session:u64                                              monitor to agent; a hint, not authenticated
//   sealed = session:u64 sequence:u64 ciphertext tag:16               either way; contains a message of messages.hpp

enum class FrameKind : std::uint8_t { hello = 1, challenge, join, refused, reset, sealed };

struct HelloFrame {
  Nonce nonce{};
};
// A node asks to become a peer of a monitor.
struct JoinFrame {
  Nonce nonce{};
  Nonce cookie{};
  std::string name;
  std::string credential;
};
struct ChallengeFrame {
  Nonce nonce{};
  Nonce cookie{};
};
struct RefusedFrame {
  Nonce nonce{};
  std::uint8_t reason = 0;  // a Refusal of session.hpp
};
struct ResetFrame {
  std::uint64_t session = 0;
};
struct SealedHeader {
  std::uint64_t session = 0;
  std::uint64_t sequence = 0;
};

// encode() of messages.hpp returns the whole datagram of a frame, but only the header of a sealed frame. decode()
// checks length, magic, version, kind and zeros, and ignores the ciphertext of a sealed frame.

// Returns the kind of a datagram, or none without a valid kind. The rest of the datagram is not checked.
std::optional<FrameKind> frame_kind(ByteView datagram);

// The content of the munge credential in a join.
struct JoinSecret {
  Nonce nonce{};
  Nonce cookie{};
  Key secret{};
  std::string name;
};

// Returns a message as bytes: its kind, then its body. Names longer than max_wire_name and lists longer than their
// limit are cut. Reals that do not fit a float become NaN.
template <typename Message>
struct Codec {
  static Bytes encode(const Message& message);
  static std::optional<Message> decode(ByteView bytes);
};
template <typename Message>
Bytes encode(const Message& message) {
  return Codec<Message>::encode(message);
}
// Pads the message with zeros to `message_bytes`.
Bytes encode(const ProbePacket& packet, std::size_t message_bytes);

// Returns none when the bytes are no message of this type.
template <typename Message>
std::optional<Message> decode(ByteView bytes) {
  return Codec<Message>::decode(bytes);
}

}  // namespace placement::protocol
