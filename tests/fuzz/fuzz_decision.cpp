// SPDX-License-Identifier: GPL-2.0-or-later
// What the monitor reads from the ring, and placectl from a history: a text that is taken gives the same text again.
#include "common/decision/decision.hpp"
#include "common/util/error.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "decision";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Decision decision;
  try {
    decision = parse_decision_text(as_text(data, size));
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 1000);
    return 0;
  }
  const std::string written = decision_text(decision);
  REQUIRE(decision_text(parse_decision_text(written)) == written);
  return 0;
}
