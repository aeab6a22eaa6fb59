// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace placement {

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
