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
std::string to_base64url(std::span<const std::byte> bytes);

// Length of to_base64url() of that many bytes.
std::size_t base64url_size(std::size_t bytes);

// The bytes again. Throws Error when the text is longer than max_bytes need, was cut, changed, or is
// not exactly what to_base64url() writes. Nothing is allocated before the length is checked.
std::vector<std::byte> from_base64url(std::string_view text, std::size_t max_bytes);

}  // namespace placement
