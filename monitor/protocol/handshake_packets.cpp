// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/handshake_packets.hpp"

#include "monitor/protocol/message_fields.hpp"

namespace placement::protocol {

using wire::Of;

static void head(auto& io, FrameKind kind) {
  for (const char letter : {'S', 'P', 'L', 'W'}) io.constant(letter);
  io.constant(wire_version);
  io.constant(kind);
  io.constant(0);
  io.constant(0);
  io.at_most(max_datagram);
}

static void fields(auto& io, Of<HelloFrame> auto& frame) {
  head(io, FrameKind::hello);
  io.raw(frame.nonce);
  io.pad(handshake_bytes);
}

static void fields(auto& io, Of<ChallengeFrame> auto& frame) {
  head(io, FrameKind::challenge);
  io.raw(frame.nonce);
  io.raw(frame.cookie);
  io.pad(handshake_bytes);
}

static void fields(auto& io, Of<JoinFrame> auto& frame) {
  head(io, FrameKind::join);
  io.raw(frame.nonce);
  io.raw(frame.cookie);
  io.name(frame.name);
  // The credential has only the characters that munge uses, so that it can be passed on as a C string.
  io.rest(frame.credential, [](std::uint8_t c) { return c > ' ' && c < 127; });
  io.require(!frame.credential.empty());
}

static void fields(auto& io, Of<RefusedFrame> auto& frame) {
  head(io, FrameKind::refused);
  io.raw(frame.nonce);
  io.number(frame.reason);
}

static void fields(auto& io, Of<ResetFrame> auto& frame) {
  head(io, FrameKind::reset);
  io.number(frame.session);
}

static void fields(auto& io, Of<SealedHeader> auto& header) {
  head(io, FrameKind::sealed);
  io.number(header.session);
  io.number(header.sequence);
  io.leave_more_than(seal_tag_bytes);
}

static void fields(auto& io, Of<JoinSecret> auto& secret) {
  io.raw(secret.nonce);
  io.raw(secret.cookie);
  io.raw(secret.secret);
  io.name(secret.name);
}

std::optional<FrameKind> frame_kind(ByteView datagram) {
  constexpr std::size_t place = 5;
  if (datagram.size() <= place || datagram[place] < static_cast<std::uint8_t>(FrameKind::hello) ||
      datagram[place] > static_cast<std::uint8_t>(FrameKind::sealed))
    return std::nullopt;
  return static_cast<FrameKind>(datagram[place]);
}

template Bytes encode(const HelloFrame&);
template Bytes encode(const ChallengeFrame&);
template Bytes encode(const JoinFrame&);
template Bytes encode(const RefusedFrame&);
template Bytes encode(const ResetFrame&);
template Bytes encode(const SealedHeader&);
template Bytes encode(const JoinSecret&);
template std::optional<HelloFrame> decode(ByteView);
template std::optional<ChallengeFrame> decode(ByteView);
template std::optional<JoinFrame> decode(ByteView);
template std::optional<RefusedFrame> decode(ByteView);
template std::optional<ResetFrame> decode(ByteView);
template std::optional<SealedHeader> decode(ByteView);
template std::optional<JoinSecret> decode(ByteView);

}  // namespace placement::protocol
