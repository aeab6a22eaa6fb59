// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_wire.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "common/util/bytes.hpp"
#include "common/util/error.hpp"
#include "common/util/zstd_frame.hpp"

namespace placement {

namespace {

constexpr std::byte magic[] = {std::byte{'S'}, std::byte{'P'}, std::byte{'M'}, std::byte{1}};
constexpr int compression_level = 9;

[[noreturn]] void fail(const std::string& text) { throw Error("packed matrix: " + text); }

void put(std::vector<std::byte>& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

// Reads the LEB128 numbers of a payload one after another. `what` names the number in errors.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : in_(bytes) {}

  std::size_t left() const { return in_.left(); }

  // Returns the next number. Throws Error when it is above `most`, or is written with more bytes than it needs: each
  // matrix has only one packed form.
  std::uint64_t number(const char* what, std::uint64_t most) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = in_.number(1);
      if (!byte) fail("ends in the " + std::string(what));
      if (shift == 63 && *byte > 1) fail(std::string(what) + " of more than 64 bits");
      value |= (*byte & 0x7f) << shift;
      if (*byte & 0x80) continue;
      if (*byte == 0 && shift > 0) fail(std::string(what) + " is written with more bytes than it needs");
      break;
    }
    if (value > most) fail(std::string(what) + " " + std::to_string(value) + " is more than " + std::to_string(most));
    return value;
  }

  // Returns the next number, the number of items that follow. Throws Error when it is above `most`, or above the number
  // of bytes left, because each item takes at least one byte.
  std::uint64_t size(const char* what, std::uint64_t most) {
    const std::uint64_t value = number(what, most);
    if (value > left())
      fail(std::string(what) + " " + std::to_string(value) + " exceeds the number of bytes that follow");
    return value;
  }

 private:
  ByteReader<std::byte> in_;
};

std::vector<std::byte> payload_of(const CommMatrix& matrix) {
  std::vector<std::byte> out;
  put(out, 0);
  put(out, static_cast<std::uint64_t>(matrix.ranks()));
  put(out, static_cast<std::uint64_t>(matrix.pairs()));
  std::vector<std::byte> gaps;
  std::vector<std::byte> weights;
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    const auto row = matrix.neighbours(rank);
    const auto larger = static_cast<std::size_t>(std::ranges::upper_bound(row, rank) - row.begin());
    put(out, row.size() - larger);
    std::int32_t last = rank;
    for (std::size_t k = larger; k < row.size(); ++k) {
      put(gaps, static_cast<std::uint64_t>(row[k] - std::exchange(last, row[k]) - 1));
      put(weights, static_cast<std::uint64_t>(matrix.weights(rank)[k] - 1));
    }
  }
  out.insert(out.end(), gaps.begin(), gaps.end());
  out.insert(out.end(), weights.begin(), weights.end());
  return out;
}

CommMatrix read_pairs(Reader& in, const WireLimits& limits) {
  const auto ranks = static_cast<std::int32_t>(in.size("number of ranks", limits.max_ranks));
  const std::uint64_t pairs = in.size("number of pairs", limits.max_pairs);
  std::vector<CommEdge> edges(pairs);
  std::size_t filled = 0;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t larger = in.number("number of neighbours", ranks - 1 - rank);
    if (larger > pairs - filled) fail("the ranks have more than the announced " + std::to_string(pairs) + " pairs");
    for (std::uint64_t k = 0; k < larger; ++k) edges[filled++].a = rank;
  }
  if (filled != pairs)
    fail("the ranks have " + std::to_string(filled) + " pairs of the announced " + std::to_string(pairs));
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const std::int32_t last = e > 0 && edges[e - 1].a == edges[e].a ? edges[e - 1].b : edges[e].a;
    if (last >= ranks - 1) fail("rank " + std::to_string(edges[e].a) + " has neighbours beyond the last rank");
    edges[e].b = last + 1 + static_cast<std::int32_t>(in.number("distance of neighbours", ranks - 2 - last));
  }
  for (CommEdge& edge : edges)
    edge.weight = 1 + static_cast<std::int64_t>(in.number("weight", std::numeric_limits<std::int64_t>::max() - 1));
  return CommMatrix::from_edges(ranks, std::move(edges));
}

}  // namespace

std::vector<std::byte> pack_wire(const CommMatrix& matrix) {
  const WireLimits limits;
  if (matrix.ranks() > limits.max_ranks || matrix.pairs() > limits.max_pairs)
    fail(std::to_string(matrix.ranks()) + " ranks and " + std::to_string(matrix.pairs()) + " pairs: at most " +
         std::to_string(limits.max_ranks) + " and " + std::to_string(limits.max_pairs) + " fit");
  const std::vector<std::byte> payload = payload_of(matrix);
  if (payload.size() > limits.max_unpacked_bytes)
    fail(std::to_string(payload.size()) + " bytes: at most " + std::to_string(limits.max_unpacked_bytes) + " fit");
  std::vector<std::byte> bytes(std::begin(magic), std::end(magic));
  const std::vector<std::byte> frame = pack_frame(payload, compression_level);
  bytes.insert(bytes.end(), frame.begin(), frame.end());
  return bytes;
}

CommMatrix unpack_wire(std::span<const std::byte> bytes, const WireLimits& limits) {
  if (bytes.size() < std::size(magic) || !std::equal(std::begin(magic), std::end(magic), bytes.begin()))
    fail("does not start with the magic bytes of version 1");
  const std::vector<std::byte> payload = naming_file(
      "packed matrix", [&] { return unpack_frame(bytes.subspan(std::size(magic)), limits.max_unpacked_bytes); });
  Reader in(payload);
  in.number("first number", 0);
  CommMatrix matrix = read_pairs(in, limits);
  if (in.left() != 0) fail(std::to_string(in.left()) + " bytes too many");
  return matrix;
}

}  // namespace placement
