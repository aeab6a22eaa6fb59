// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace placement {

// Reads the parts of a byte string one after another. Every size is checked before memory is read. If a part is longer
// than the rest, the functions return nothing and the reader keeps its position. `Byte` is std::byte or std::uint8_t.
// The bytes must outlive the reader and what take() returns.
template <typename Byte>
class ByteReader {
 public:
  static_assert(sizeof(Byte) == 1);
  explicit ByteReader(std::span<const Byte> bytes) : bytes_(bytes) {}

  // Returns the number of bytes that were not read yet.
  std::size_t left() const { return bytes_.size(); }

  // Returns the next `count` bytes.
  std::optional<std::span<const Byte>> take(std::size_t count) {
    if (count > bytes_.size()) return std::nullopt;
    const std::span<const Byte> part = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return part;
  }

  // Returns the next `count` bytes, from 1 to 8, as a number whose lowest byte comes first.
  std::optional<std::uint64_t> number(std::size_t count) {
    const auto part = take(count);
    if (!part) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= static_cast<std::uint64_t>((*part)[i]) << (8 * i);
    return value;
  }

  // Returns the next sizeof(T) bytes as a value, in the byte order and layout of this machine.
  template <typename T>
  std::optional<T> value() {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto part = take(sizeof(T));
    if (!part) return std::nullopt;
    T value;
    std::memcpy(&value, part->data(), sizeof value);
    return value;
  }

 private:
  std::span<const Byte> bytes_;
};

// Appends to a vector of std::byte or std::uint8_t, for ByteReader. The vector must outlive the writer.
template <typename Byte>
class ByteWriter {
 public:
  static_assert(sizeof(Byte) == 1);
  explicit ByteWriter(std::vector<Byte>& bytes) : bytes_(bytes) {}

  void put(std::span<const Byte> part) { bytes_.insert(bytes_.end(), part.begin(), part.end()); }

  // Writes the lowest `count` bytes, from 1 to 8, of a number, the lowest byte first.
  void number(std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) bytes_.push_back(static_cast<Byte>(value >> (8 * i)));
  }

  void text(std::string_view letters) { put({reinterpret_cast<const Byte*>(letters.data()), letters.size()}); }

 private:
  std::vector<Byte>& bytes_;
};

// Returns a 64-bit checksum of `bytes`. It detects accidents (a piece that is missing, damaged or half written), but no
// attack: it is not a cryptographic hash. Four independent chains of multiplications make it as fast as memory.
inline std::uint64_t checksum(std::span<const std::byte> bytes) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
  constexpr std::size_t lanes = 4;
  std::uint64_t lane[lanes] = {1, 2, 3, 4};
  std::size_t at = 0;
  for (; at + sizeof lane <= bytes.size(); at += sizeof lane) {
    std::uint64_t words[lanes];
    std::memcpy(words, bytes.data() + at, sizeof words);
    for (std::size_t l = 0; l < lanes; ++l) lane[l] = std::rotl((lane[l] ^ words[l]) * odd, 29);
  }
  std::uint64_t all = bytes.size() * odd;
  for (; at < bytes.size(); ++at) all = std::rotl((all ^ std::to_integer<std::uint64_t>(bytes[at])) * odd, 29);
  for (const std::uint64_t one : lane) all = std::rotl((all ^ one) * odd, 29);
  return all ^ (all >> 32);
}

// Returns the 64-bit FNV-1a hash of `bytes`, which is equal on every machine. It is slower than checksum().
constexpr std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace placement
