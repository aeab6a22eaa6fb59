// SPDX-License-Identifier: GPL-2.0-or-later
// Any word is a policy with parameters, or an Error; the canonical word has an equal meaning.
#include <algorithm>

#include "common/policy/policy_spec.hpp"
#include "common/util/error.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "policy_spec";

namespace {

bool has_no_control(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  PolicySpec spec;
  try {
    spec = parse_policy_spec(as_text(data, size));
  } catch (const Error& error) {
    const std::string_view text = error.what();
    REQUIRE(!text.empty() && text.size() < 1000);
    REQUIRE(has_no_control(text));
    return 0;
  }
  REQUIRE(!spec.policy.empty() && spec.policy.find('=') == std::string::npos);
  const std::string word = to_string(spec);
  REQUIRE(has_no_control(word));
  const PolicySpec again = parse_policy_spec(word);
  REQUIRE(again.policy == spec.policy && again.parameters == spec.parameters);
  REQUIRE(to_string(again) == word);
  return 0;
}
