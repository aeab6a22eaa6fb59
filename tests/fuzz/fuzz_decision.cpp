// SPDX-License-Identifier: GPL-2.0-or-later
// What the monitor reads from the ring, and placectl from a history: each form of a decision that is taken
// gives the same text again. The first byte of an input says which form the rest is.
#include <span>
#include <vector>

#include "common/decision/decision.hpp"
#include "common/util/error.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "decision";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Decision decision;
  const bool text = data[0] == 't';
  try {
    decision = text ? parse_decision_text(as_text(data + 1, size - 1))
                    : unpack_decision(std::as_bytes(std::span(data + 1, size - 1)));
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 1000);
    return 0;
  }
  const std::string written = decision_text(decision);
  REQUIRE(decision_text(parse_decision_text(written)) == written);
  if (text) return 0;
  std::vector<std::byte> bytes(size + min_decision_bytes);
  pack_decision(decision, bytes);
  REQUIRE(decision_text(unpack_decision(bytes)) == written);
  return 0;
}
