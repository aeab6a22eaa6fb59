// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>

#include "monitor/protocol/messages.hpp"

namespace placement::protocol {

// Authenticated encryption of datagrams with libgcrypt: ChaCha20-Poly1305 (RFC 8439). It covers the frame's header and
// uses the sequence number as nonce. Keys are derived with HMAC-SHA256.

// Fills `bytes`, at most 256, with unpredictable random bytes. Throws Error when the kernel gives none.
void fill_random(std::span<std::uint8_t> bytes);
std::uint64_t random_u64();  // throws as fill_random() does

// Returns HMAC-SHA256 of `text` with `key`.
Key keyed_hash(const Key& key, ByteView text);

// Returns whether `a` and `b` are equal. The run time does not depend on the position of a difference.
bool same_bytes(ByteView a, ByteView b);

// Remembers the sequence numbers seen, so that each is accepted once. 0 and numbers that
// are 64 or more behind the newest count as seen.
class ReplayWindow {
 public:
  // Returns whether the number must not be accepted.
  bool seen(std::uint64_t sequence) const;
  // Records a number that was accepted.
  void note(std::uint64_t sequence);

 private:
  std::uint64_t newest_ = 0;
  std::uint64_t bits_ = 0;  // bit k stands for the number newest_ - k
};

enum class Side : std::uint8_t { first, second };  // first: agent or initiator; second: monitor or responder

// One end of a pair that shares a secret. Each direction has its own key and its own count. So no nonce is used twice
// with one key, and a sender does not accept its own datagram if somebody sends it back.
class SealedChannel {
 public:
  SealedChannel() = default;
  // Both ends have equal `id` and `secret`. Each datagram has the id.
  SealedChannel(std::uint64_t id, const Key& secret, Side side);
  std::uint64_t id() const { return id_; }

  // Returns the datagram for a message of 1 to max_message bytes. Throws Error for another length.
  Bytes seal(ByteView message);

  // Returns the message in a datagram. Returns none, changes nothing and sets `*why` when the datagram is not accepted.
  std::optional<Bytes> open(ByteView datagram, Refusal* why = nullptr);

 private:
  std::uint64_t id_ = 0;
  Key out_{};
  Key in_{};
  std::uint64_t sent_ = 0;
  ReplayWindow window_;
};

}  // namespace placement::protocol
