// SPDX-License-Identifier: GPL-2.0-or-later
// What slurmctld takes from any user: bytes that unpack have one meaning and one payload, fit the limits,
// and coarsen soundly. The first byte of an input says whether the rest is a payload still to be
// packed, so that more than the first bytes of zstd's format are reached, or the bytes themselves.
#include <zstd.h>

#include <algorithm>
#include <span>
#include <vector>

#include "common/matrix/matrix_coarsen.hpp"
#include "common/matrix/matrix_wire.hpp"
#include "common/util/error.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "matrix_wire";

namespace {

using Bytes = std::vector<std::byte>;

constexpr WireLimits limits{.max_ranks = 5000, .max_pairs = 1 << 14, .max_unpacked_bytes = 1 << 16};
constexpr std::size_t magic_bytes = 4;

Bytes packed(std::span<const std::byte> payload) {
  Bytes bytes = pack_wire({});
  bytes.resize(magic_bytes + ZSTD_compressBound(payload.size()));
  const std::size_t length =
      ZSTD_compress(bytes.data() + magic_bytes, bytes.size() - magic_bytes, payload.data(), payload.size(), 1);
  REQUIRE(!ZSTD_isError(length));
  bytes.resize(magic_bytes + length);
  return bytes;
}

Bytes payload_of(const Bytes& bytes) {
  Bytes payload(limits.max_unpacked_bytes);
  const std::size_t length =
      ZSTD_decompress(payload.data(), payload.size(), bytes.data() + magic_bytes, bytes.size() - magic_bytes);
  REQUIRE(!ZSTD_isError(length));
  payload.resize(length);
  return payload;
}

void check_coarse(const CommMatrix& matrix, std::size_t limit_bytes, std::int32_t group_size) {
  WireMatrix coarse;
  try {
    coarse = coarsen_to_fit(matrix, limit_bytes, group_size);
  } catch (const Error&) {
    return;
  }
  REQUIRE(pack_wire(coarse).size() <= limit_bytes);
  REQUIRE(unpack_wire(pack_wire(coarse)) == coarse);
  REQUIRE(coarse.tasks() == matrix.ranks());
  if (!coarse.coarse()) return;
  REQUIRE(coarse.matrix == matrix.aggregated(coarse.group_of, coarse.matrix.ranks()));
  std::vector<std::int32_t> members(static_cast<std::size_t>(coarse.matrix.ranks()));
  for (const std::int32_t group : coarse.group_of) ++members[static_cast<std::size_t>(group)];
  const auto full = *std::max_element(members.begin(), members.end());
  REQUIRE(std::count(members.begin(), members.end(), full) >= static_cast<std::ptrdiff_t>(members.size()) - 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto rest = std::as_bytes(std::span(data + 1, size - 1));
  const Bytes bytes = data[0] & 1 ? packed(rest) : Bytes(rest.begin(), rest.end());
  WireMatrix wire;
  try {
    wire = unpack_wire(bytes, limits);
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 1000);
    return 0;
  }
  REQUIRE(wire.tasks() <= limits.max_ranks && wire.matrix.pairs() <= limits.max_pairs);
  const Bytes again = pack_wire(wire);
  REQUIRE(unpack_wire(again, limits) == wire);
  REQUIRE(payload_of(again) == payload_of(bytes));
  const CommMatrix ranks = expand_groups(wire);
  REQUIRE(ranks.ranks() == wire.tasks());
  if (wire.coarse()) REQUIRE(ranks.aggregated(wire.group_of, wire.matrix.ranks()) == wire.matrix);
  REQUIRE(CommMatrix::from_edges(wire.matrix.ranks(), wire.matrix.edges()) == wire.matrix);
  check_coarse(wire.matrix, 20 + data[0], 1 + data[0] / 16);
  return 0;
}
