// SPDX-License-Identifier: GPL-2.0-or-later
// What slurmctld takes from the monitor's file: bytes that decode are a state that is legal, and that gives
// the same state again when it is written. The checksum is put right first, since a liar can do that
// too; an odd last byte leaves it as it is.
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "common/state/live_state.hpp"
#include "common/state/snapshot.hpp"
#include "common/util/bytes.hpp"
#include "common/util/error.hpp"
#include "tests/common/snapshot_samples.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "snapshot";

namespace {

constexpr std::size_t checksum_at = 16, header_bytes = 80;

// Of exactly this size, so that a read beyond it is noticed.
struct Buffer {
  explicit Buffer(std::size_t count)
      : size(count),
        bytes(static_cast<std::byte*>(::operator new (count, std::align_val_t{snapshot_alignment}))) {}
  ~Buffer() { ::operator delete (bytes, std::align_val_t{snapshot_alignment}); }
  Buffer(const Buffer&) = delete;

  std::size_t size;
  std::byte* bytes;
};

LiveState decoded(std::span<const std::byte> bytes, bool repair) {
  const auto buffer = std::make_shared<Buffer>(bytes.size());
  if (!bytes.empty()) std::memcpy(buffer->bytes, bytes.data(), bytes.size());
  const std::span all(buffer->bytes, buffer->size);
  if (repair && all.size() >= header_bytes) {
    std::memset(all.data() + checksum_at, 0, 8);
    const std::uint64_t sum = checksum(all.first(header_bytes)) ^ checksum(all.subspan(header_bytes));
    std::memcpy(all.data() + checksum_at, &sum, sizeof sum);
  }
  return decode_snapshot(all, buffer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool repair = size == 0 || data[size - 1] % 2 == 0;
  LiveState state;
  try {
    state = decoded(std::as_bytes(std::span(data, size)), repair);
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 1000);
    return 0;
  }
  check_live_state(state);
  REQUIRE(same_state(decoded(encode_snapshot(state), false), state));
  return 0;
}
