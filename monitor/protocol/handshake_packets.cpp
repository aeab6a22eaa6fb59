// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/handshake_packets.hpp"

#include "monitor/protocol/message_fields.hpp"

namespace placement::protocol {

namespace {

using wire::Of;
using wire::Reader;
using wire::Writer;

constexpr std::uint8_t magic[] = {'S', 'P', 'L', 'W'};

Writer begin(FrameKind kind) {
  Writer out;
  out.raw(magic);
  out.number(wire_version);
  out.choice(kind, FrameKind::sealed);
  out.number(std::uint16_t{0});
  return out;
}

// Returns a reader after the header, or one that is not good if the datagram is of another kind.
Reader body(ByteView datagram, FrameKind kind) {
  Reader in(datagram);
  in.require(frame_kind(datagram) == kind);
  std::uint64_t header = 0;
  in.number(header);
  return in;
}

}  // namespace

static void fields(auto& io, Of<Nonce> auto& nonce) {
  io.raw(nonce);
  io.pad(handshake_bytes);
}

static void fields(auto& io, Of<ChallengeFrame> auto& frame) {
  io.raw(frame.nonce);
  io.raw(frame.cookie);
  io.pad(handshake_bytes);
}

static void fields(auto& io, Of<JoinFrame> auto& frame) {
  io.raw(frame.nonce);
  io.raw(frame.cookie);
  io.name(frame.name);
  // The credential has only the characters that munge uses, so that it can be passed on as a C string.
  io.rest(frame.credential, [](std::uint8_t c) { return c > ' ' && c < 127; });
  io.require(!frame.credential.empty());
}

static void fields(auto& io, Of<RefusedFrame> auto& frame) {
  io.raw(frame.nonce);
  io.number(frame.reason);
}

static void fields(auto& io, Of<SealedHeader> auto& header) {
  io.number(header.session);
  io.number(header.sequence);
}

static void fields(auto& io, Of<JoinSecret> auto& secret) {
  io.raw(secret.nonce);
  io.raw(secret.cookie);
  io.raw(secret.secret);
  io.name(secret.name);
}

std::optional<FrameKind> frame_kind(ByteView datagram) {
  if (datagram.size() > max_datagram) return std::nullopt;
  Reader in(datagram);
  std::array<std::uint8_t, sizeof magic> begins{};
  std::uint8_t version = 0;
  std::uint16_t zero = 0;
  FrameKind kind{};
  in.raw(begins);
  in.number(version);
  in.choice(kind, FrameKind::sealed);
  in.number(zero);
  in.require(std::equal(begins.begin(), begins.end(), magic) && version == wire_version && zero == 0);
  return in.good() ? std::optional(kind) : std::nullopt;
}

Bytes encode_hello(const Nonce& nonce) {
  Writer out = begin(FrameKind::hello);
  fields(out, nonce);
  return out.take();
}

std::optional<Nonce> decode_hello(ByteView datagram) {
  Reader in = body(datagram, FrameKind::hello);
  Nonce nonce{};
  fields(in, nonce);
  return in.done() ? std::optional(nonce) : std::nullopt;
}

Bytes encode_reset(std::uint64_t session) {
  Writer out = begin(FrameKind::reset);
  out.number(session);
  return out.take();
}

std::optional<std::uint64_t> decode_reset(ByteView datagram) {
  Reader in = body(datagram, FrameKind::reset);
  std::uint64_t session = 0;
  in.number(session);
  return in.done() ? std::optional(session) : std::nullopt;
}

std::optional<SealedHeader> decode_sealed_header(ByteView datagram) {
  Reader in = body(datagram, FrameKind::sealed);
  SealedHeader header;
  fields(in, header);
  in.require(in.rest().size() > seal_tag_bytes);
  return in.done() ? std::optional(header) : std::nullopt;
}

Bytes encode(const ChallengeFrame& frame) { return written(begin(FrameKind::challenge), frame); }
Bytes encode(const JoinFrame& frame) { return written(begin(FrameKind::join), frame); }
Bytes encode(const RefusedFrame& frame) { return written(begin(FrameKind::refused), frame); }
Bytes encode(const SealedHeader& header) { return written(begin(FrameKind::sealed), header); }
Bytes encode(const JoinSecret& secret) { return written(Writer(), secret); }

std::optional<ChallengeFrame> decode_challenge(ByteView datagram) {
  return wire::read<ChallengeFrame>(body(datagram, FrameKind::challenge));
}
std::optional<JoinFrame> decode_join(ByteView datagram) {
  return wire::read<JoinFrame>(body(datagram, FrameKind::join));
}
std::optional<RefusedFrame> decode_refused(ByteView datagram) {
  return wire::read<RefusedFrame>(body(datagram, FrameKind::refused));
}
std::optional<JoinSecret> decode_join_secret(ByteView bytes) { return wire::read<JoinSecret>(Reader(bytes)); }

}  // namespace placement::protocol
