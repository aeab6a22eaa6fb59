// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "monitor/protocol/messages.hpp"

namespace placement::protocol {

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

}  // namespace placement::protocol
