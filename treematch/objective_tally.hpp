// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "treematch/objectives.hpp"

namespace placement::treematch {

// Counts the ranks on the leaf switches while a search places one rank after the other, and evaluates the objective:
// with `balanced` the difference between the most and the fewest ranks on a used leaf switch, with `worst_group` the
// largest number of leaf switches that a group spans.
class ObjectiveTally {
 public:
  // `groups` is read with worst_group: disjoint groups of ranks. room[s] is the number of ranks for which leaf switch s
  // has room.
  ObjectiveTally(Objective objective, const std::vector<std::vector<std::int32_t>>& groups, std::int32_t ranks,
                 std::vector<std::int32_t> room)
      : balanced_(objective == Objective::balanced),
        room_(std::move(room)),
        group_of_(ranks, balanced_ ? 0 : -1),
        on_(balanced_ ? 1 : groups.size(), std::vector<std::int32_t>(room_.size(), 0)),
        used_(on_.size()) {
    for (std::size_t g = 0; g < groups.size() && !balanced_; ++g)
      for (const std::int32_t rank : groups[g]) group_of_[rank] = static_cast<std::int32_t>(g);
  }

  void add(std::int32_t rank, std::int32_t on) {
    const std::int32_t group = group_of_[rank];
    if (group >= 0 && on_[group][on]++ == 0) used_[group].push_back(on);
  }

  // Takes back the last add() that has not been taken back.
  void remove(std::int32_t rank, std::int32_t on) {
    const std::int32_t group = group_of_[rank];
    if (group >= 0 && --on_[group][on] == 0) used_[group].pop_back();
  }

  // Returns the objective of the ranks placed so far.
  std::int32_t value() const {
    if (!balanced_) return widest();
    std::int32_t most = 0, least = INT32_MAX;
    for (const std::int32_t on : used_[0]) most = std::max(most, on_[0][on]), least = std::min(least, on_[0][on]);
    return most - least;
  }

  // Whether the objective may be at most `value` once `left` more ranks are placed. False is certain.
  bool can_be(std::int32_t value, std::int32_t left) const {
    if (!balanced_) return std::max(1, widest()) <= value;
    for (std::int32_t least = 1; value >= 0 && least <= std::ssize(group_of_); ++least)
      if (can_have_shares(least, least + value, left)) return true;
    return false;
  }

 private:
  std::int32_t widest() const {
    std::int32_t widest = 0;
    for (const std::vector<std::int32_t>& used : used_)
      widest = std::max(widest, static_cast<std::int32_t>(used.size()));
    return widest;
  }

  // Whether each used leaf switch may get `least` to `most` ranks: no used one has more or too little room, the ranks
  // left are enough for those with fewer, and some number of leaf switches takes all ranks.
  bool can_have_shares(std::int32_t least, std::int32_t most, std::int32_t left) const {
    for (const std::int32_t on : used_[0]) {
      if (on_[0][on] > most || room_[on] < least) return false;
      left -= std::max(0, least - on_[0][on]);
    }
    const auto ranks = static_cast<std::int32_t>(group_of_.size());
    const std::int32_t switches = std::max(static_cast<std::int32_t>(used_[0].size()), (ranks + most - 1) / most);
    return left >= 0 && switches * least <= ranks;
  }

  const bool balanced_;
  const std::vector<std::int32_t> room_;
  std::vector<std::int32_t> group_of_;           // of each rank, or -1; with `balanced` all are of one group
  std::vector<std::vector<std::int32_t>> on_;    // of each group: the number of its ranks on each leaf switch
  std::vector<std::vector<std::int32_t>> used_;  // of each group: the leaf switches with ranks, first used first
};

}  // namespace placement::treematch
