// SPDX-License-Identifier: GPL-2.0-or-later
// The planned ranks that a job's environment brings to srun: any text is a list of ranks or an Error, and the list is
// the same once it is written and read again.
#include <string_view>

#include "common/decision/planned_ranks.hpp"
#include "common/matrix/comm_matrix.hpp"
#include "common/util/error.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "planned_ranks";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  PlannedRanks planned;
  try {
    planned = unpack_planned_ranks(as_text(data, size));
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 1000);
    return 0;
  }
  for (const auto& ranks : planned.ranks) {
    REQUIRE(!ranks.empty());
    for (const std::int32_t rank : ranks) REQUIRE(rank >= 0 && rank < CommMatrix::max_ranks);
  }
  const PlannedRanks again = unpack_planned_ranks(pack_planned_ranks(planned, SIZE_MAX));
  REQUIRE(again.job == planned.job && again.ranks == planned.ranks);
  return 0;
}
