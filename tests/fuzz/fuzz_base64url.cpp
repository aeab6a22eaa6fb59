// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes survive the conversion to base64url and back; a text that is accepted is the one that the conversion writes.
#include <span>
#include <vector>

#include "common/util/base64url.hpp"
#include "common/util/error.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "base64url";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::string text = to_base64url(bytes);
  REQUIRE(text.size() == base64url_size(size));
  REQUIRE(from_base64url(text, size) == std::vector<std::byte>(bytes.begin(), bytes.end()));
  try {
    const std::vector<std::byte> plain = from_base64url(as_text(data, size), size);
    REQUIRE(plain.size() < size);
    REQUIRE(to_base64url(plain) == as_text(data, size));
  } catch (const Error&) {
  }
  return 0;
}
