// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// Encodes `bytes` as text that fits into an environment variable: base64url without padding, that is letters,
// digits, '-' and '_'. The text contains a 64-bit checksum, so that a lost piece is noticed. The checksum detects
// accidents only: anybody can compute it for other data.
std::string to_base64url(std::span<const std::byte> bytes);

// Returns the length in characters of the text that to_base64url() makes of this number of bytes.
std::size_t base64url_size(std::size_t bytes);

// Decodes a text that to_base64url() wrote and returns its bytes. Throws Error when it holds more than `max_bytes`
// bytes, which is checked before memory is allocated, or is not exactly what to_base64url() writes.
std::vector<std::byte> from_base64url(std::string_view text, std::size_t max_bytes);

}  // namespace placement
