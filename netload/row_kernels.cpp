// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/row_kernels.hpp"

#include <algorithm>
#include <cstring>

// The compiler makes several versions of a function; the dynamic linker takes the one for the processor.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx2,fma", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

namespace placement::netload {

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

typedef float Floats __attribute__((vector_size(kernel_lanes * sizeof(float))));
typedef std::int32_t Ints __attribute__((vector_size(kernel_lanes * sizeof(std::int32_t))));
typedef float FewFloats __attribute__((vector_size(floor_lanes * sizeof(float))));
typedef double Doubles __attribute__((vector_size(floor_lanes * sizeof(double))));

#define LOAD(to, from) std::memcpy(&to, from, sizeof to)

// These are macros, because a function would be compiled for one processor only. A comparison with NaN is false.
#define LOWER(a, b) ((a) < (b) ? (a) : (b))
#define HIGHER(a, b) ((a) > (b) ? (a) : (b))
#define SHUFFLED(a, ...) __builtin_shufflevector(a, a, __VA_ARGS__)
#define LOW_HALF(a) __builtin_convertvector(__builtin_shufflevector(a, a, 0, 1, 2, 3), Doubles)
#define HIGH_HALF(a) __builtin_convertvector(__builtin_shufflevector(a, a, 4, 5, 6, 7), Doubles)

}  // namespace

FOR_EACH_PROCESSOR
void add_cells(PairSums& latency, PairSums& bandwidth, const CellRow& row, const RoughLoad& rough, std::int32_t blocks,
               std::int32_t per_block) {
  const Floats bound_us = Floats{} + rough.bound_us, bound_Bps = Floats{} + rough.bound_Bps;
  const Floats unknown_us = Floats{} + rough.unknown_us, unknown_Bps = Floats{} + rough.unknown_Bps;
  const Floats per_us = Floats{} + rough.per_us, per_Bps = Floats{} + rough.per_Bps;
  const Floats nothing = Floats{} + infinite, zero{};
  Floats known_us{}, known_Bps{}, most_us{}, most_Bps{}, least_Bps = nothing;
  Doubles sum_us{}, sum_Bps{};
  const float* us = row.latency;
  const float* Bps = row.bandwidth;
  const float* weight = row.weight;
  float* of_cell = row.of_cell;
  for (std::int32_t block = 0; block < blocks; ++block) {
    Floats best = nothing, few_us{}, few_Bps{}, x, y, cell;
    const float* const end = us + per_block;
    // When each cell counts once, as in a table of single nodes, there is half as much work.
    if (weight == nullptr) {
      Ints count_us{}, count_Bps{};
      for (; us < end; us += kernel_lanes, Bps += kernel_lanes, of_cell += kernel_lanes) {
        LOAD(x, us);
        LOAD(y, Bps);
        LOAD(cell, of_cell);
        const Ints x_known = x >= zero, y_known = y >= zero;
        count_us -= x_known;
        count_Bps -= y_known;
        x = LOWER(x, bound_us);
        y = LOWER(y, bound_Bps);
        const Floats x_or_0 = x_known ? x : zero, y_or_0 = y_known ? y : zero;
        few_us += x_or_0;
        few_Bps += y_or_0;
        most_us = HIGHER(x_or_0, most_us);
        most_Bps = HIGHER(y_or_0, most_Bps);
        x = x_known ? x : unknown_us;
        y = y_known ? y : unknown_Bps;
        const Floats y_low = y_known ? y : nothing;
        least_Bps = LOWER(y_low, least_Bps);
        const Floats load = per_us * x - per_Bps * y;
        best = LOWER(load, best);
        cell = LOWER(load, cell);
        std::memcpy(of_cell, &cell, sizeof cell);
      }
      known_us += __builtin_convertvector(count_us, Floats);
      known_Bps += __builtin_convertvector(count_Bps, Floats);
    } else {
      for (; us < end; us += kernel_lanes, Bps += kernel_lanes, of_cell += kernel_lanes, weight += kernel_lanes) {
        Floats w;
        LOAD(x, us);
        LOAD(y, Bps);
        LOAD(cell, of_cell);
        LOAD(w, weight);
        const Ints counts = w > zero;
        const Ints x_known = (x >= zero) & counts, y_known = (y >= zero) & counts;
        known_us += x_known ? w : zero;
        known_Bps += y_known ? w : zero;
        x = LOWER(x, bound_us);
        y = LOWER(y, bound_Bps);
        const Floats x_or_0 = x_known ? x : zero, y_or_0 = y_known ? y : zero;
        few_us += w * x_or_0;
        few_Bps += w * y_or_0;
        most_us = HIGHER(x_or_0, most_us);
        most_Bps = HIGHER(y_or_0, most_Bps);
        x = x_known ? x : unknown_us;
        y = y_known ? y : unknown_Bps;
        const Floats y_low = y_known ? y : nothing;
        least_Bps = LOWER(y_low, least_Bps);
        const Floats known_load = per_us * x - per_Bps * y, load = counts ? known_load : nothing;
        best = LOWER(load, best);
        cell = LOWER(load, cell);
        std::memcpy(of_cell, &cell, sizeof cell);
      }
    }
    sum_us += LOW_HALF(few_us) + HIGH_HALF(few_us);
    sum_Bps += LOW_HALF(few_Bps) + HIGH_HALF(few_Bps);
    Floats other = SHUFFLED(best, 4, 5, 6, 7, 0, 1, 2, 3);
    best = LOWER(best, other);
    other = SHUFFLED(best, 2, 3, 0, 1, 6, 7, 4, 5);
    best = LOWER(best, other);
    row.of_block[block] = std::min(best[0], best[1]);
  }
  for (std::int32_t k = 0; k < kernel_lanes; ++k) {
    latency.known += static_cast<double>(known_us[k]);
    bandwidth.known += static_cast<double>(known_Bps[k]);
    latency.most = std::max(latency.most, most_us[k]);
    bandwidth.most = std::max(bandwidth.most, most_Bps[k]);
    bandwidth.least = std::min(bandwidth.least, least_Bps[k]);
  }
  for (std::int32_t k = 0; k < floor_lanes; ++k) {
    latency.sum += sum_us[k];
    bandwidth.sum += sum_Bps[k];
  }
}

FOR_EACH_PROCESSOR
void add_rough_floors(const double* base, const float* rough, double times, double more, double* floor,
                      std::int32_t blocks) {
  for (std::int32_t block = 0; block < blocks; block += floor_lanes) {
    FewFloats load;
    Doubles sum;
    LOAD(load, rough + block);
    LOAD(sum, base + block);
    const Doubles of_pair = times * __builtin_convertvector(load, Doubles) + more;
    sum += of_pair > 0.0 ? of_pair : Doubles{};
    std::memcpy(floor + block, &sum, sizeof sum);
  }
}

FOR_EACH_PROCESSOR
void add_floors(const FloorTerms& terms, double* floor, std::int32_t blocks) {
  const Doubles own_us = Doubles{} + terms.own_added_us, own_Bps = Doubles{} + terms.own_most_Bps;
  const Doubles worst = Doubles{} + terms.worst_us, least = Doubles{} + terms.least_Bps;
  for (std::int32_t block = 0; block < blocks; block += floor_lanes) {
    FewFloats latency, bandwidth;
    Doubles added, most, base;
    LOAD(latency, terms.latency + block);
    LOAD(bandwidth, terms.bandwidth + block);
    LOAD(added, terms.added_us + block);
    LOAD(most, terms.most_Bps + block);
    LOAD(base, terms.base + block);
    Doubles us = __builtin_convertvector(latency, Doubles) + (own_us + added);
    us = us < worst ? us : worst;
    Doubles Bps = __builtin_convertvector(bandwidth, Doubles);
    Bps = Bps < most ? Bps : most;
    Bps = Bps < own_Bps ? Bps : own_Bps;
    Bps = Bps > least ? Bps : least;
    base += terms.per_us * us + terms.per_Bps * (terms.peak_Bps - Bps);
    std::memcpy(floor + block, &base, sizeof base);
  }
}

}  // namespace placement::netload
