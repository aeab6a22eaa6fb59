// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace placement {

// Two participants of a round; a < b.
struct ProbePair {
  std::int32_t a = 0;
  std::int32_t b = 0;

  bool operator==(const ProbePair&) const = default;
};

inline ProbePair ordered_pair(std::int32_t a, std::int32_t b) { return {std::min(a, b), std::max(a, b)}; }

// A tournament in which each of n participants meets each other one once [NLA §8]. It has n - 1 rounds for an even n,
// and n rounds for an odd n, where one participant rests in each round. The pairs of a round are disjoint.
inline std::int32_t tournament_rounds(std::int32_t n) { return n < 2 ? 0 : n % 2 == 0 ? n - 1 : n; }

// Returns the pairs of the round `round`, 0 to tournament_rounds(n) - 1.
inline std::vector<ProbePair> tournament_round(std::int32_t n, std::int32_t round) {
  std::vector<ProbePair> pairs;
  if (n < 2) return pairs;
  // The circle method: m players on a circle turn around one who stays. If n is odd, nobody stays.
  const std::int32_t m = n % 2 == 0 ? n - 1 : n;
  if (n % 2 == 0) pairs.push_back(ordered_pair(round % m, n - 1));
  for (std::int32_t k = 1; k <= (m - 1) / 2; ++k) pairs.push_back(ordered_pair((round + k) % m, (round + m - k) % m));
  return pairs;
}

}  // namespace placement
