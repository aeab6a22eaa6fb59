// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

namespace placement {

// The random number generator SplitMix64. A seed gives the same numbers on every machine; the distributions of the
// standard library do not promise that.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  // Returns a number from 0 to bound - 1. `bound` must be above 0.
  std::int32_t below(std::int32_t bound) {
    return static_cast<std::int32_t>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace placement
