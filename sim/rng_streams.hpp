// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/util/random.hpp"

namespace placement::sim {

// The streams of random numbers of a replay. They are separate so that they do not influence each other.
enum class Stream : std::uint64_t { matrix = 1, share, fill, failure };

// Returns the random number at an index of a stream.
inline std::uint64_t number_of(std::uint64_t seed, Stream stream, std::size_t index) {
  return Random(Random(seed * 8 + static_cast<std::uint64_t>(stream)).next() + index).next();
}

// Turns a random number into a fraction from 0 to 1, without 1.
inline double fraction(std::uint64_t number) { return static_cast<double>(number >> 11) * 0x1p-53; }

}  // namespace placement::sim
