// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/seal.hpp"

#include <gcrypt.h>

#include <array>
#include <string>
#include <string_view>

#include "common/util/bytes.hpp"
#include "common/util/error.hpp"

namespace placement::protocol {

namespace {

void check(gcry_error_t error, const char* what) {
  if (error != 0) throw Error(std::string("libgcrypt: ") + what + ": " + gcry_strerror(error));
}

// Initialises libgcrypt, once per process and before its first use. Its locked memory is switched off, because an
// unprivileged daemon may lock almost no memory.
void prepare() {
  static const bool ready = [] {
    if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) return true;
    if (gcry_check_version("1.7.0") == nullptr) throw Error("libgcrypt is older than 1.7");
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return true;
  }();
  static_cast<void>(ready);
}

class Cipher {
 public:
  Cipher() {
    prepare();
    check(gcry_cipher_open(&handle_, GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305, 0), "ChaCha20-Poly1305");
  }
  ~Cipher() { gcry_cipher_close(handle_); }
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;

  void begin(const Key& key, std::uint64_t sequence, ByteView header) {
    std::array<std::uint8_t, 12> nonce{};
    for (std::size_t i = 0; i < 8; ++i) nonce[4 + i] = static_cast<std::uint8_t>(sequence >> (8 * i));
    check(gcry_cipher_setkey(handle_, key.data(), key.size()), "key");
    check(gcry_cipher_setiv(handle_, nonce.data(), nonce.size()), "nonce");
    check(gcry_cipher_authenticate(handle_, header.data(), header.size()), "header");
    check(gcry_cipher_final(handle_), "end");
  }
  void encrypt(std::span<std::uint8_t> text, std::span<std::uint8_t> tag) {
    check(gcry_cipher_encrypt(handle_, text.data(), text.size(), nullptr, 0), "encryption");
    check(gcry_cipher_gettag(handle_, tag.data(), tag.size()), "tag");
  }
  bool decrypt(std::span<std::uint8_t> text, ByteView tag) {
    check(gcry_cipher_decrypt(handle_, text.data(), text.size(), nullptr, 0), "decryption");
    return gcry_cipher_checktag(handle_, tag.data(), tag.size()) == 0;
  }

 private:
  gcry_cipher_hd_t handle_ = nullptr;
};

Key direction_key(const Key& secret, std::string_view label, std::uint64_t id) {
  Bytes text;
  ByteWriter out(text);
  out.text(label);
  out.number(id, sizeof id);
  return keyed_hash(secret, text);
}

}  // namespace

void fill_random(std::span<std::uint8_t> bytes) {
  if (getentropy(bytes.data(), bytes.size()) != 0) throw Error("the kernel gives no random bytes");
}

std::uint64_t random_u64() {
  std::array<std::uint8_t, 8> bytes{};
  fill_random(bytes);
  return *ByteReader<std::uint8_t>(bytes).number(bytes.size());
}

Key keyed_hash(const Key& key, ByteView text) {
  prepare();
  gcry_mac_hd_t handle = nullptr;
  check(gcry_mac_open(&handle, GCRY_MAC_HMAC_SHA256, 0, nullptr), "HMAC-SHA256");
  Key hash{};
  std::size_t length = hash.size();
  gcry_error_t error = gcry_mac_setkey(handle, key.data(), key.size());
  if (error == 0) error = gcry_mac_write(handle, text.data(), text.size());
  if (error == 0) error = gcry_mac_read(handle, hash.data(), &length);
  gcry_mac_close(handle);
  check(error, "HMAC-SHA256");
  return hash;
}

bool same_bytes(ByteView a, ByteView b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

bool ReplayWindow::seen(std::uint64_t sequence) const {
  if (sequence == 0) return true;
  if (sequence > newest_) return false;
  const std::uint64_t behind = newest_ - sequence;
  return behind >= 64 || (bits_ >> behind & 1) != 0;
}

void ReplayWindow::note(std::uint64_t sequence) {
  if (sequence > newest_) {
    const std::uint64_t ahead = sequence - newest_;
    bits_ = ahead >= 64 ? 0 : bits_ << ahead;
    newest_ = sequence;
  }
  if (newest_ - sequence < 64) bits_ |= std::uint64_t{1} << (newest_ - sequence);
}

SealedChannel::SealedChannel(std::uint64_t id, const Key& secret, Side side) : id_(id) {
  out_ = direction_key(secret, side == Side::first ? "first to second" : "second to first", id);
  in_ = direction_key(secret, side == Side::first ? "second to first" : "first to second", id);
}

Bytes SealedChannel::seal(ByteView message) {
  if (message.empty() || message.size() > max_message)
    throw Error("a message of " + std::to_string(message.size()) + " bytes does not fit a datagram");
  Bytes datagram = encode(SealedHeader{.session = id_, .sequence = ++sent_});
  datagram.insert(datagram.end(), message.begin(), message.end());
  datagram.resize(datagram.size() + seal_tag_bytes);
  const std::span<std::uint8_t> bytes(datagram);
  Cipher cipher;
  cipher.begin(out_, sent_, bytes.first(sealed_header_bytes));
  cipher.encrypt(bytes.subspan(sealed_header_bytes, message.size()), bytes.last(seal_tag_bytes));
  return datagram;
}

std::optional<Bytes> SealedChannel::open(ByteView datagram, Refusal* why) {
  const auto fail = [&](Refusal error) {
    if (why) *why = error;
    return std::nullopt;
  };
  const std::optional<SealedHeader> header = decode<SealedHeader>(datagram);
  if (!header || header->session != id_) return fail(Refusal::malformed);
  if (window_.seen(header->sequence)) return fail(Refusal::replayed);
  const ByteView text = datagram.subspan(sealed_header_bytes, datagram.size() - seal_overhead);
  Bytes message(text.begin(), text.end());
  Cipher cipher;
  cipher.begin(in_, header->sequence, datagram.first(sealed_header_bytes));
  if (!cipher.decrypt(message, datagram.last(seal_tag_bytes))) return fail(Refusal::forged);
  window_.note(header->sequence);
  if (why) *why = Refusal::none;
  return message;
}

}  // namespace placement::protocol
