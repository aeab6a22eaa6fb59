// SPDX-License-Identifier: GPL-2.0-or-later
// The import of a snapshot as text: a text that is taken gives the same state through the file.
#include "common/state/live_check.hpp"
#include "common/state/snapshot.hpp"
#include "common/state/snapshot_text.hpp"
#include "common/util/error.hpp"
#include "tests/common/snapshot_samples.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "snapshot_text";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  LiveState state;
  try {
    state = parse_snapshot(as_text(data, size), "fuzz");
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 4000);
    return 0;
  }
  check_live_state(state);
  const std::vector<std::byte> file = encode_snapshot(state);
  REQUIRE(same_state(decode_snapshot({reinterpret_cast<const char*>(file.data()), file.size()}), state));
  return 0;
}
