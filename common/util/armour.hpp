// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// Bytes as text that fits an environment variable: letters, digits, '-' and '_' (base64url without
// padding), with a 64-bit checksum inside, so that a lost piece is noticed. It guards against
// accidents, not against people.
std::string armour(std::span<const std::byte> bytes);

// Length of armour() of that many bytes.
std::size_t armoured_size(std::size_t bytes);

// The bytes again. Throws Error when the text is longer than max_bytes need, was cut, changed, or is
// not exactly what armour() writes. Nothing is allocated before the length is checked.
std::vector<std::byte> disarm(std::string_view text, std::size_t max_bytes);

}  // namespace placement
