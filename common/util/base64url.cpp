// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/base64url.hpp"

#include <array>
#include <cstdint>

#include "common/util/bytes.hpp"
#include "common/util/error.hpp"

namespace placement {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t checksum_bytes = 8;
constexpr std::uint8_t no_letter = 64;

constexpr std::array<std::uint8_t, 256> letter_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(no_letter);
  for (std::size_t v = 0; v < alphabet.size(); ++v)
    values[static_cast<unsigned char>(alphabet[v])] = static_cast<std::uint8_t>(v);
  return values;
}

static std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return fnv1a({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::size_t base64url_size(std::size_t bytes) { return ((bytes + checksum_bytes) * 8 + 5) / 6; }

std::string to_base64url(std::span<const std::byte> bytes) {
  std::vector<std::byte> all(bytes.begin(), bytes.end());
  ByteWriter(all).number(hash_of(bytes), checksum_bytes);
  std::string text;
  text.reserve(base64url_size(bytes.size()));
  std::uint32_t bits = 0;
  int held = 0;
  for (const std::byte b : all) {
    bits = (bits << 8) | std::to_integer<std::uint32_t>(b);
    for (held += 8; held >= 6; held -= 6) text += alphabet[(bits >> (held - 6)) & 63];
  }
  if (held > 0) text += alphabet[(bits << (6 - held)) & 63];
  return text;
}

std::vector<std::byte> from_base64url(std::string_view text, std::size_t max_bytes) {
  static constexpr auto values = letter_values();
  const std::size_t size = text.size() / 4 * 3 + text.size() % 4 * 6 / 8;
  if (size < checksum_bytes || base64url_size(size - checksum_bytes) != text.size())
    throw Error("encoded data of " + std::to_string(text.size()) + " letters are cut off");
  if (size - checksum_bytes > max_bytes)
    throw Error("encoded data hold " + std::to_string(size - checksum_bytes) + " bytes: the limit is " +
                std::to_string(max_bytes));
  std::vector<std::byte> bytes;
  bytes.reserve(size);
  std::uint32_t bits = 0;
  int held = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint8_t value = values[static_cast<unsigned char>(text[i])];
    if (value == no_letter)
      throw Error("encoded data have the byte " + std::to_string(static_cast<unsigned char>(text[i])) + " at offset " +
                  std::to_string(i) + ": expected letters, digits, - and _");
    bits = (bits << 6) | value;
    if ((held += 6) >= 8) bytes.push_back(static_cast<std::byte>(bits >> (held -= 8)));
  }
  if ((bits & ((1u << held) - 1)) != 0) throw Error("encoded data end in bits that must be 0");
  const auto hash = ByteReader(std::span<const std::byte>(bytes).last(checksum_bytes)).number(checksum_bytes);
  bytes.resize(bytes.size() - checksum_bytes);
  if (hash != hash_of(bytes)) throw Error("encoded data are damaged: the checksum differs");
  return bytes;
}

}  // namespace placement
