// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "tofa/torus_search.hpp"

namespace placement::tofa {

// Hops between ranks on slots, and the change of the cost by a move: the innermost loops of the search. PackedHops and
// PlainHops have one interface:
//   put()      records that `rank` is on `slot`
//   between()  returns the hops between the slots a and b
//   change()   returns the change of traffic times hops when the rank with `arcs` moves from slot `from` to slot `to`,
//              without the traffic with the rank `other`

// The fast form, for up to four dimensions of up to `longest` positions. One vector register of 16 bytes has the
// coordinates of both ends of a move.
class PackedHops {
 public:
  // Returns whether this form can be used for the torus.
  static bool fits(const TorusTopology& torus) {
    return torus.dimensions().size() <= half && std::all_of(torus.dimensions().begin(), torus.dimensions().end(),
                                                            [](const TorusDimension& d) { return d.size <= longest; });
  }

  PackedHops(const TorusSlots& slots, std::int32_t ranks)
      : slot_(static_cast<std::size_t>(slots.size())),
        rank_(static_cast<std::size_t>(ranks)) {
    const auto dimensions = slots.torus->dimensions();
    for (std::size_t d = 0; d < dimensions.size(); ++d)
      around_[d] = around_[half + d] = dimensions[d].wraps ? static_cast<std::int16_t>(dimensions[d].size) : INT16_MAX;
    for (std::size_t s = 0; s < slot_.size(); ++s) {
      std::array<std::int16_t, half> at{};
      for (std::size_t d = 0; d < dimensions.size(); ++d)
        at[d] = static_cast<std::int16_t>(slots.torus->coordinate(slots.position[s], d));
      std::memcpy(&slot_[s], at.data(), sizeof slot_[s]);
    }
  }

  void put(std::int32_t rank, std::int32_t slot) { rank_[rank] = {slot_[slot], slot_[slot]}; }

  std::int32_t between(std::int32_t a, std::int32_t b) const {
    const auto [first, second] = hops(lanes({slot_[a], slot_[a]}), {slot_[b], slot_[b]});
    return first;
  }

  std::int64_t change(std::span<const mapping::Arc> arcs, std::int32_t to, std::int32_t from,
                      std::int32_t other) const {
    const Lanes ends = lanes({slot_[to], slot_[from]});
    std::int64_t delta = 0;
    for (const mapping::Arc& arc : arcs) {
      const auto [then, now] = hops(ends, rank_[arc.to]);
      delta += static_cast<std::int64_t>(arc.to == other ? 0 : arc.weight) * (then - now);
    }
    return delta;
  }

 private:
  static constexpr std::size_t half = 4;
  static constexpr std::int32_t longest = 8191;  // the sum of four lengths fits in 16 bits
  using Lanes [[gnu::vector_size(16)]] = std::int16_t;
  using Two = std::array<std::uint64_t, 2>;  // the coordinates of two slots, 16 bits for each coordinate

  static Lanes lanes(const Two& two) {
    Lanes result;
    std::memcpy(&result, &two, sizeof result);
    return result;
  }

  struct Pair {
    std::int32_t first, second;
  };

  Pair hops(const Lanes& ends, const Two& there) const {
    const Lanes off = ends - lanes(there);
    const Lanes back = -off;
    const Lanes straight = off > back ? off : back;
    const Lanes round = around_ - straight;
    const Lanes way = straight < round ? straight : round;
    Two sums;
    std::memcpy(&sums, &way, sizeof sums);
    return {sum_of(sums[0]), sum_of(sums[1])};
  }

  // Returns the sum of four 16-bit numbers, which the multiplication collects in the highest 16 bits.
  static std::int32_t sum_of(std::uint64_t four) {
    return static_cast<std::int32_t>(four * 0x0001000100010001ULL >> 48);
  }

  std::vector<std::uint64_t> slot_;
  std::vector<Two> rank_;
  Lanes around_ = {INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX};
};

// The general form, for any torus.
class PlainHops {
 public:
  PlainHops(const TorusSlots& slots, std::int32_t ranks) : slots_(slots), position_(static_cast<std::size_t>(ranks)) {}

  void put(std::int32_t rank, std::int32_t slot) { position_[rank] = slots_.position[slot]; }
  std::int32_t between(std::int32_t a, std::int32_t b) const {
    return slots_.torus->distance(slots_.position[a], slots_.position[b]);
  }
  std::int64_t change(std::span<const mapping::Arc> arcs, std::int32_t to, std::int32_t from,
                      std::int32_t other) const {
    std::int64_t delta = 0;
    for (const mapping::Arc& arc : arcs) {
      if (arc.to == other) continue;
      const std::int32_t there = position_[arc.to];
      delta += static_cast<std::int64_t>(arc.weight) * (slots_.torus->distance(slots_.position[to], there) -
                                                        slots_.torus->distance(slots_.position[from], there));
    }
    return delta;
  }

 private:
  const TorusSlots& slots_;
  std::vector<std::int32_t> position_;  // of each rank
};

}  // namespace placement::tofa
