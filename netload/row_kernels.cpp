// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/row_kernels.hpp"

#include <algorithm>
#include <cstring>

// The dynamic linker takes the version that the processor has.
#if defined(__x86_64__) && defined(__GNUC__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx2,fma", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

namespace placement {

namespace {

constexpr std::int32_t lanes = 8;
typedef float Floats __attribute__((vector_size(lanes * sizeof(float))));
typedef std::int32_t Ints __attribute__((vector_size(lanes * sizeof(std::int32_t))));

}  // namespace

FOR_EACH_PROCESSOR
void add_to_sums(RowSums& sums, const float* value, std::int32_t count, float bound) {
  Floats sum{}, most = Floats{} - 1.0F, least = Floats{} + std::numeric_limits<float>::infinity();
  Ints known{};
  const Floats bounds = Floats{} + bound;
  std::int32_t at = 0;
  for (; at + lanes <= count; at += lanes) {
    Floats x;
    std::memcpy(&x, value + at, sizeof x);
    const Ints ok = x >= 0.0F;
    const Floats cut = x < bounds ? x : bounds;
    sum += ok ? cut : Floats{};
    known -= ok;
    most = (ok & (cut > most)) ? cut : most;
    least = (ok & (cut < least)) ? cut : least;
  }
  for (std::int32_t k = 0; k < lanes; ++k) {
    sums.sum += sum[k];
    sums.known += known[k];
    sums.most = std::max(sums.most, most[k]);
    sums.least = std::min(sums.least, least[k]);
  }
  for (; at < count; ++at) {
    if (!(value[at] >= 0)) continue;
    const float cut = std::min(value[at], bound);
    sums.sum += cut;
    ++sums.known;
    sums.most = std::max(sums.most, cut);
    sums.least = std::min(sums.least, cut);
  }
}

FOR_EACH_PROCESSOR
void add_rows(std::span<const float> base, const PairTerm& a, const PairTerm& b, std::span<float> sum,
              std::span<float> least) {
  const Floats a_bound = Floats{} + a.bound, a_unknown = Floats{} + a.unknown, a_factor = Floats{} + a.factor;
  const Floats b_bound = Floats{} + b.bound, b_unknown = Floats{} + b.unknown, b_factor = Floats{} + b.factor;
  std::size_t block = 0;
  for (; (block + 1) * row_block <= sum.size(); ++block) {
    Floats smallest = Floats{} + std::numeric_limits<float>::infinity();
    for (std::size_t u = block * row_block; u < (block + 1) * row_block; u += lanes) {
      Floats x, y, s;
      std::memcpy(&x, a.value + u, sizeof x);
      std::memcpy(&y, b.value + u, sizeof y);
      std::memcpy(&s, base.data() + u, sizeof s);
      x = x >= 0.0F ? (x < a_bound ? x : a_bound) : a_unknown;
      y = y >= 0.0F ? (y < b_bound ? y : b_bound) : b_unknown;
      s += a_factor * x + b_factor * y;
      smallest = s < smallest ? s : smallest;
      std::memcpy(sum.data() + u, &s, sizeof s);
    }
    float one = smallest[0];
    for (std::int32_t k = 1; k < lanes; ++k) one = std::min(one, smallest[k]);
    least[block] = one;
  }
  if (block * row_block == sum.size()) return;
  float one = std::numeric_limits<float>::infinity();
  for (std::size_t u = block * row_block; u < sum.size(); ++u) {
    const float x = a.value[u] >= 0 ? std::min(a.value[u], a.bound) : a.unknown;
    const float y = b.value[u] >= 0 ? std::min(b.value[u], b.bound) : b.unknown;
    sum[u] = base[u] + a.factor * x + b.factor * y;
    one = std::min(one, sum[u]);
  }
  least[block] = one;
}

}  // namespace placement
