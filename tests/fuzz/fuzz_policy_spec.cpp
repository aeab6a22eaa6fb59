// SPDX-License-Identifier: GPL-2.0-or-later
// Any word is a policy with parameters, or an Error; the canonical word means the same.
#include "core/error.hpp"
#include "core/policy_spec.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "policy_spec";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  PolicySpec spec;
  try {
    spec = parse_policy_spec(as_text(data, size));
  } catch (const Error& error) {
    REQUIRE(!std::string_view(error.what()).empty());
    return 0;
  }
  REQUIRE(!spec.policy.empty() && spec.policy.find('=') == std::string::npos);
  const std::string word = to_string(spec);
  const PolicySpec again = parse_policy_spec(word);
  REQUIRE(again.policy == spec.policy && again.parameters == spec.parameters);
  REQUIRE(to_string(again) == word);
  return 0;
}
