// SPDX-License-Identifier: GPL-2.0-or-later
// The payload that slurmctld accepts from any user: bytes that unpack have one meaning and one payload, and fit the
// limits. The first byte of an input chooses whether the rest is packed first or used as it is. A packed input reaches
// code behind the first bytes of zstd's format.
#include <zstd.h>

#include <span>
#include <vector>

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto rest = std::as_bytes(std::span(data + 1, size - 1));
  const Bytes bytes = data[0] & 1 ? packed(rest) : Bytes(rest.begin(), rest.end());
  CommMatrix matrix;
  try {
    matrix = unpack_wire(bytes, limits);
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 1000);
    return 0;
  }
  REQUIRE(matrix.ranks() <= limits.max_ranks && matrix.pairs() <= limits.max_pairs);
  const Bytes again = pack_wire(matrix);
  REQUIRE(unpack_wire(again, limits) == matrix);
  REQUIRE(payload_of(again) == payload_of(bytes));
  REQUIRE(CommMatrix::from_edges(matrix.ranks(), matrix.edges()) == matrix);
  return 0;
}
