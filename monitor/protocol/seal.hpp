// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>

#include "monitor/protocol/messages.hpp"

namespace placement {

// Authenticated encryption of datagrams, by libgcrypt: ChaCha20-Poly1305 (RFC 8439), the frame's
// header with it, the sequence number as nonce; keys by HMAC-SHA256.

// At most 256 random bytes that nobody can foretell.
void fill_random(std::span<std::uint8_t> bytes);
std::uint64_t random_u64();

// HMAC-SHA256.
Key keyed_hash(const Key& key, ByteView text);

// In a time that does not tell where they differ.
bool same_bytes(ByteView a, ByteView b);

// Which sequence numbers were seen: each is let in once, and none that is 64 or more behind the newest.
class ReplayWindow {
 public:
  bool seen(std::uint64_t sequence) const;
  void note(std::uint64_t sequence);

 private:
  std::uint64_t newest_ = 0;
  std::uint64_t bits_ = 0;  // bit k: newest_ - k
};

enum class Side : std::uint8_t { first, second };  // agent and monitor; initiator and responder

enum class OpenError : std::uint8_t { none, not_sealed, replayed, forged };

// One end of a pair that shares a key. Each direction has a key and a count of its own, so that
// nothing is sealed twice with the same nonce and nothing can be sent back to its sender.
class SealedChannel {
 public:
  SealedChannel() = default;
  SealedChannel(std::uint64_t id, const Key& secret, Side side);

  std::uint64_t id() const { return id_; }
  std::uint64_t sent() const { return sent_; }

  // The datagram of a message of at most max_message bytes.
  Bytes seal(ByteView message);

  // The message of a datagram; nothing changes when there is none.
  std::optional<Bytes> open(ByteView datagram, OpenError* why = nullptr);

 private:
  std::uint64_t id_ = 0;
  Key out_{};
  Key in_{};
  std::uint64_t sent_ = 0;
  ReplayWindow window_;
};

}  // namespace placement
