// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/handshake_packets.hpp"

#include "monitor/protocol/message_fields.hpp"

namespace placement::protocol {

namespace {

using wire::Reader;
using wire::whole;
using wire::Writer;

constexpr std::uint8_t magic[] = {'S', 'P', 'L', 'W'};

Writer begin(FrameKind kind) {
  Writer out;
  out.raw(magic);
  out.u8(wire_version);
  out.u8(static_cast<std::uint8_t>(kind));
  out.u16(0);
  return out;
}

Reader body(ByteView datagram, FrameKind kind) {
  Reader in(datagram);
  in.require(frame_kind(datagram) == kind);
  if (in.good()) in.u64();
  return in;
}

}  // namespace

std::optional<FrameKind> frame_kind(ByteView datagram) {
  if (datagram.size() > max_datagram) return std::nullopt;
  Reader in(datagram);
  for (const std::uint8_t byte : magic) in.require(in.u8() == byte);
  in.require(in.u8() == wire_version);
  const FrameKind kind = in.choice(FrameKind::sealed);
  in.require(in.u16() == 0);
  return in.good() ? std::optional(kind) : std::nullopt;
}

Bytes encode_hello(const Nonce& nonce) {
  Writer out = begin(FrameKind::hello);
  out.raw(nonce);
  out.pad(handshake_bytes);
  return out.take();
}

std::optional<Nonce> decode_hello(ByteView datagram) {
  Reader in = body(datagram, FrameKind::hello);
  Nonce nonce{};
  in.raw(nonce);
  in.zeros();
  in.require(datagram.size() == handshake_bytes);
  return whole(in, std::move(nonce));
}

Bytes encode(const ChallengeFrame& frame) {
  Writer out = begin(FrameKind::challenge);
  out.raw(frame.nonce);
  out.raw(frame.cookie);
  out.pad(handshake_bytes);
  return out.take();
}

std::optional<ChallengeFrame> decode_challenge(ByteView datagram) {
  Reader in = body(datagram, FrameKind::challenge);
  ChallengeFrame frame;
  in.raw(frame.nonce);
  in.raw(frame.cookie);
  in.zeros();
  in.require(datagram.size() == handshake_bytes);
  return whole(in, std::move(frame));
}

Bytes encode(const JoinFrame& frame) {
  Writer out = begin(FrameKind::join);
  out.raw(frame.nonce);
  out.raw(frame.cookie);
  out.name(frame.name);
  out.text(frame.credential);
  return out.take();
}

std::optional<JoinFrame> decode_join(ByteView datagram) {
  Reader in = body(datagram, FrameKind::join);
  JoinFrame frame;
  in.raw(frame.nonce);
  in.raw(frame.cookie);
  frame.name = in.name();
  const ByteView credential = in.rest();
  in.require(!credential.empty());
  // The credential has only the characters that munge uses, so that it can be passed on as a C string.
  in.require(std::all_of(credential.begin(), credential.end(), [](std::uint8_t c) { return c > ' ' && c < 127; }));
  frame.credential.assign(credential.begin(), credential.end());
  return whole(in, std::move(frame));
}

Bytes encode(const RefusedFrame& frame) {
  Writer out = begin(FrameKind::refused);
  out.raw(frame.nonce);
  out.u8(frame.reason);
  return out.take();
}

std::optional<RefusedFrame> decode_refused(ByteView datagram) {
  Reader in = body(datagram, FrameKind::refused);
  RefusedFrame frame;
  in.raw(frame.nonce);
  frame.reason = in.u8();
  return whole(in, std::move(frame));
}

Bytes encode_reset(std::uint64_t session) {
  Writer out = begin(FrameKind::reset);
  out.u64(session);
  return out.take();
}

std::optional<std::uint64_t> decode_reset(ByteView datagram) {
  Reader in = body(datagram, FrameKind::reset);
  std::uint64_t session = in.u64();
  return whole(in, std::move(session));
}

Bytes encode(const SealedHeader& header) {
  Writer out = begin(FrameKind::sealed);
  out.u64(header.session);
  out.u64(header.sequence);
  return out.take();
}

std::optional<SealedHeader> decode_sealed_header(ByteView datagram) {
  Reader in = body(datagram, FrameKind::sealed);
  SealedHeader header;
  header.session = in.u64();
  header.sequence = in.u64();
  in.require(in.rest().size() > seal_tag_bytes);
  return whole(in, std::move(header));
}

Bytes encode(const JoinSecret& secret) {
  Writer out;
  out.raw(secret.nonce);
  out.raw(secret.cookie);
  out.raw(secret.secret);
  out.name(secret.name);
  return out.take();
}

std::optional<JoinSecret> decode_join_secret(ByteView bytes) {
  Reader in(bytes);
  JoinSecret secret;
  in.raw(secret.nonce);
  in.raw(secret.cookie);
  in.raw(secret.secret);
  secret.name = in.name();
  return whole(in, std::move(secret));
}

}  // namespace placement::protocol
