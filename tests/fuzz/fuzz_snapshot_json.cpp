// SPDX-License-Identifier: GPL-2.0-or-later
// The import of a snapshot as JSON: one that is taken gives the same state through its own JSON and through the file.
#include "common/state/live_state.hpp"
#include "common/state/snapshot.hpp"
#include "common/util/error.hpp"
#include "tests/common/snapshot_samples.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tools/input/snapshot_json.hpp"

using namespace placement;

const char* const fuzz_corpus = "snapshot_json";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  LiveState state;
  try {
    state = tools::parse_snapshot_json(as_text(data, size), "fuzz");
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 4000);
    return 0;
  }
  check_live_state(state);
  const std::string json = tools::format_snapshot_json(state);
  const LiveState again = tools::parse_snapshot_json(json, "again");
  REQUIRE(same_state(again, state));
  REQUIRE(encode_snapshot(again) == encode_snapshot(state));
  REQUIRE(tools::format_snapshot_json(again) == json);
  return 0;
}
