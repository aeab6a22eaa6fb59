// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace placement {

// The random number generator SplitMix64. A seed gives equal numbers on all machines, unlike in the standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  bool operator==(const Random&) const = default;

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

  // Puts the values into a random order.
  template <typename Values>
  void shuffle(Values&& values) {
    for (std::size_t k = std::size(values); k > 1; --k)
      std::swap(values[k - 1], values[below(static_cast<std::int32_t>(k))]);
  }

  // Returns -log(u) for a random u from 0 to 1. In the Metropolis test, a rise is accepted if it is below this number
  // times the temperature. The logarithm is linear between powers of two, so all machines compute equal values.
  double exponential() {
    const std::uint64_t bits = next() | 1;
    const int zeros = std::countl_zero(bits);
    const double fraction = static_cast<double>(bits << zeros << 1 >> 12) * 0x1p-52;
    return 0.6931471805599453 * (zeros + 1 - fraction);
  }

 private:
  std::uint64_t state_;
};

}  // namespace placement
