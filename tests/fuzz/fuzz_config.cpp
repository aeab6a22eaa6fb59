// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes are a configuration or an Error that names file and line; a configuration survives being
// written.
#include "common/policy/config.hpp"
#include "common/util/error.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "config";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Config config;
  try {
    config = parse_config(as_text(data, size), "name");
  } catch (const Error& error) {
    const std::string_view text = error.what();
    REQUIRE(text.starts_with("name:"));
    REQUIRE(text.size() < 2000);
    return 0;
  }
  std::string written;
  for (const ConfigKey& key : config_keys()) {
    const std::string value = key.show(config);
    if (!value.empty()) written += std::string(key.name) + "=" + value + "\n";
  }
  REQUIRE(parse_config(written, "written") == config);
  return 0;
}
