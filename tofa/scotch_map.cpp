// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/scotch_hook.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {
#include <scotch.h>
}

#include "common/util/placement_error.hpp"

namespace {

std::string& last_message() {
  static std::string message;
  return message;
}

}  // namespace

// SCOTCH reports errors through these functions. Those of SCOTCH's own library print the error, and one ends the
// program.
#define PLACEMENT_FOR_SCOTCH extern "C" __attribute__((visibility("default")))
PLACEMENT_FOR_SCOTCH void SCOTCH_errorProg(const char*) {}
PLACEMENT_FOR_SCOTCH __attribute__((format(printf, 1, 2))) void SCOTCH_errorPrint(const char* format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  last_message() = text;
}
PLACEMENT_FOR_SCOTCH __attribute__((format(printf, 1, 2))) void SCOTCH_errorPrintW(const char*, ...) {}

namespace placement::tofa {

namespace {

constexpr std::int32_t most_raised = 8192;  // SCOTCH's memory grows with the square of the places

using Numbers = std::vector<SCOTCH_Num>;

void check(int code, const char* what) {
  if (code == 0) return;
  throw PlacementError(
      STOCK_OTHER, std::string("SCOTCH: ") + what + " failed" + (last_message().empty() ? "" : ": " + last_message()));
}

// A SCOTCH object that is freed at the end of its scope.
template <typename Object, int (*begin)(Object*), void (*end)(Object*)>
class Owned {
 public:
  Owned() { check(begin(&object_), "initialisation"); }
  ~Owned() { end(&object_); }
  Owned(const Owned&) = delete;
  Object* get() { return &object_; }

 private:
  Object object_;
};
using OwnedArch = Owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using OwnedGraph = Owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using OwnedStrategy = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;

class ScotchRun {
 public:
  explicit ScotchRun(const ScotchTask& task)
      : task_(task),
        torus_(*task.slots.torus),
        leaf_of_slot_(task.slots.size()) {
    std::vector<std::int32_t> taken(torus_.positions(), 0);
    for (std::int32_t slot = 0; slot < task.slots.size(); ++slot)
      width_ = std::max(width_, ++taken[task.slots.position[slot]]);
    std::fill(taken.begin(), taken.end(), 0);
    slot_of_leaf_.assign(static_cast<std::size_t>(torus_.positions()) * width_, -1);
    for (std::int32_t slot = 0; slot < task.slots.size(); ++slot) {
      const std::int32_t position = task.slots.position[slot];
      leaf_of_slot_[slot] = position * width_ + taken[position]++;
      slot_of_leaf_[leaf_of_slot_[slot]] = slot;
    }
  }

  std::vector<std::int32_t> run() {
    SCOTCH_randomSeed(static_cast<SCOTCH_Num>(task_.seed));
    SCOTCH_randomReset();
    last_message().clear();
    return legal(task_.raised ? on_weighted_machine() : on_part());
  }

 private:
  // Returns the dimensions for SCOTCH. If nodes have several slots, these form an additional first dimension.
  Numbers dimensions() const {
    Numbers sizes;
    if (width_ > 1) sizes.push_back(width_);
    for (const TorusDimension& dimension : torus_.dimensions()) sizes.push_back(dimension.size);
    return sizes;
  }

  // Returns the leaf of each rank. Adds isolated vertices up to the number of slots, so each slot gets one vertex.
  std::vector<std::int32_t> on_part() {
    OwnedArch whole, part;
    const Numbers sizes = dimensions();
    const bool rings = std::any_of(torus_.dimensions().begin(), torus_.dimensions().end(),
                                   [](const TorusDimension& d) { return d.wraps; });
    check((rings ? SCOTCH_archTorusX : SCOTCH_archMeshX)(whole.get(), static_cast<SCOTCH_Num>(sizes.size()),
                                                         const_cast<SCOTCH_Num*>(sizes.data())),
          "the torus");
    Numbers leaves(leaf_of_slot_.begin(), leaf_of_slot_.end());
    std::sort(leaves.begin(), leaves.end());
    SCOTCH_Arch* target = whole.get();
    const bool all = leaves.size() == slot_of_leaf_.size();
    if (!all) {
      check(SCOTCH_archSub(part.get(), whole.get(), static_cast<SCOTCH_Num>(leaves.size()), leaves.data()), "the part");
      target = part.get();
    }
    Numbers place(leaves.size(), -1);
    map(target, static_cast<SCOTCH_Num>(leaves.size()), place, false);
    std::vector<std::int32_t> leaf;
    for (std::int32_t rank = 0; rank < task_.matrix->ranks(); ++rank) {
      // SCOTCH gives -1 for a part of one leaf; legal() corrects it
      const SCOTCH_Num at = place[rank];
      const bool known = at >= 0 && static_cast<std::size_t>(at) < leaves.size();
      leaf.push_back(static_cast<std::int32_t>(all || !known ? at : leaves[at]));
    }
    return leaf;
  }

  // Returns the leaf of each rank on the whole machine, given as a graph in which links at suspect nodes weigh 101.
  // Fixed vertices fill slots that are not offered. SCOTCH's parts of a machine are not used, because on a part of a
  // graph SCOTCH places several ranks on one leaf.
  std::vector<std::int32_t> on_weighted_machine() {
    const auto leaves = static_cast<std::int32_t>(slot_of_leaf_.size());
    if (leaves > most_raised)
      throw PlacementError(STOCK_OTHER, "SCOTCH: " + std::to_string(leaves) +
                                            " places with raised weights require too much memory; the limit is " +
                                            std::to_string(most_raised));
    Numbers row{0}, to, weight;
    for (std::int32_t leaf = 0; leaf < leaves; ++leaf) {
      const std::int32_t position = leaf / width_;
      const auto link = [&](std::int32_t other, SCOTCH_Num cost) {
        to.push_back(other);
        weight.push_back(cost);
      };
      if (leaf % width_ != 0) {
        link(position * width_, 1);
      } else {
        for (std::int32_t k = 1; k < width_; ++k) link(leaf + k, 1);
        for (const std::int32_t next : neighbours_of(position)) {
          const bool heavy =
              task_.slots.faults && (task_.slots.faults->suspect(position) || task_.slots.faults->suspect(next));
          link(next * width_, heavy ? 101 : 1);
        }
      }
      row.push_back(static_cast<SCOTCH_Num>(to.size()));
    }
    OwnedGraph machine;
    check(SCOTCH_graphBuild(machine.get(), 0, leaves, row.data(), row.data() + 1, nullptr, nullptr,
                            static_cast<SCOTCH_Num>(to.size()), to.data(), weight.data()),
          "the machine");
    OwnedArch target;
    OwnedStrategy plain;
    check(SCOTCH_archBuild0(target.get(), machine.get(), 0, nullptr, plain.get()), "the architecture");
    Numbers place(static_cast<std::size_t>(leaves), -1);
    std::size_t filler = static_cast<std::size_t>(task_.matrix->ranks());
    bool fixed = false;
    for (std::int32_t leaf = 0; leaf < leaves; ++leaf)
      if (slot_of_leaf_[leaf] < 0) {
        place[filler++] = leaf;
        fixed = true;
      }
    map(target.get(), leaves, place, fixed);
    return {place.begin(), place.begin() + task_.matrix->ranks()};
  }

  std::vector<std::int32_t> neighbours_of(std::int32_t position) const {
    std::vector<std::int32_t> found;
    for_each_neighbour(torus_, position, [&](std::int32_t next) {
      if (next >= 0 && std::find(found.begin(), found.end(), next) == found.end()) found.push_back(next);
    });
    return found;
  }

  void map(SCOTCH_Arch* target, SCOTCH_Num vertices, Numbers& place, bool fixed) {
    const CommMatrix& matrix = *task_.matrix;
    Numbers row{0}, to, weight;
    // Weights are divided until sums of weight times distance fit in a SCOTCH_Num.
    std::int64_t divisor = 1;
    while (matrix.total_weight() / divisor > (std::int64_t{1} << (sizeof(SCOTCH_Num) == 4 ? 22 : 50))) divisor *= 2;
    for (SCOTCH_Num vertex = 0; vertex < vertices; ++vertex) {
      if (vertex < matrix.ranks()) {
        const auto rank = static_cast<std::int32_t>(vertex);
        to.insert(to.end(), matrix.neighbours(rank).begin(), matrix.neighbours(rank).end());
        for (const std::int64_t w : matrix.weights(rank))
          weight.push_back(static_cast<SCOTCH_Num>(std::max<std::int64_t>(1, w / divisor)));
      }
      row.push_back(static_cast<SCOTCH_Num>(to.size()));
    }
    OwnedGraph graph;
    check(SCOTCH_graphBuild(graph.get(), 0, vertices, row.data(), row.data() + 1, nullptr, nullptr,
                            static_cast<SCOTCH_Num>(to.size()), to.data(), weight.data()),
          "the matrix");
    OwnedStrategy strategy;
    check(SCOTCH_stratGraphMapBuild(strategy.get(), SCOTCH_STRATQUALITY, SCOTCH_archSize(target), 0.0), "the strategy");
    check((fixed ? SCOTCH_graphMapFixed : SCOTCH_graphMap)(graph.get(), target, strategy.get(), place.data()),
          "mapping");
  }

  // Returns the slot of each rank. SCOTCH may give one leaf to several ranks; the first keeps it, and each other rank
  // takes the nearest free slot.
  std::vector<std::int32_t> legal(const std::vector<std::int32_t>& leaf) const {
    std::vector<std::int32_t> slot(leaf.size(), -1);
    std::vector<bool> taken(leaf_of_slot_.size(), false);
    for (std::size_t rank = 0; rank < leaf.size(); ++rank) {
      const bool known = leaf[rank] >= 0 && static_cast<std::size_t>(leaf[rank]) < slot_of_leaf_.size();
      const std::int32_t wanted = known ? slot_of_leaf_[leaf[rank]] : -1;
      if (wanted < 0 || taken[wanted]) continue;
      taken[wanted] = true;
      slot[rank] = wanted;
    }
    for (std::size_t rank = 0; rank < leaf.size(); ++rank) {
      if (slot[rank] >= 0) continue;
      const std::int32_t near = std::clamp(leaf[rank], 0, static_cast<std::int32_t>(slot_of_leaf_.size()) - 1) / width_;
      std::int32_t best = -1;
      for (std::size_t s = 0; s < taken.size(); ++s)
        if (!taken[s] && (best < 0 || torus_.distance(near, task_.slots.position[s]) <
                                          torus_.distance(near, task_.slots.position[best])))
          best = static_cast<std::int32_t>(s);
      taken[best] = true;
      slot[rank] = best;
    }
    return slot;
  }

  const ScotchTask& task_;
  const TorusTopology& torus_;
  std::int32_t width_ = 1;                  // largest number of slots of a node
  std::vector<std::int32_t> leaf_of_slot_;  // leaf as SCOTCH numbers it: position * width + index in the node
  std::vector<std::int32_t> slot_of_leaf_;  // -1: not offered
};

}  // namespace

std::vector<std::int32_t> scotch_map(const ScotchTask& task) {
  setenv("SCOTCH_PTHREAD_NUMBER", "1", 1);
  return ScotchRun(task).run();
}

}  // namespace placement::tofa
