// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdint>
#include <cstdio>

extern "C" {
#include <scotch.h>
}

#include <algorithm>

#include "common/util/error.hpp"
#include "contrib/evaluation/bench/peers.hpp"

namespace placement::bench {

namespace {

void check(int code, const char* what) {
  if (code != 0) throw Error(std::string("SCOTCH: ") + what + " failed");
}

// SCOTCH may map several ranks to one leaf. Each further rank gets the next free usable leaf.
void make_legal(const Instance& instance, Mapping& leaf) {
  std::vector<bool> taken(instance.usable.size(), false);
  std::vector<std::int32_t> homeless;
  const auto index = [&](std::int32_t l) {
    return static_cast<std::size_t>(std::lower_bound(instance.usable.begin(), instance.usable.end(), l) -
                                    instance.usable.begin());
  };
  for (std::size_t rank = 0; rank < leaf.size(); ++rank) {
    const std::size_t k = index(leaf[rank]);
    if (k < taken.size() && instance.usable[k] == leaf[rank] && !taken[k])
      taken[k] = true;
    else
      homeless.push_back(static_cast<std::int32_t>(rank));
  }
  for (const std::int32_t rank : homeless) {
    std::size_t k = index(leaf[rank]) % taken.size();
    while (taken[k]) k = (k + 1) % taken.size();
    taken[k] = true;
    leaf[rank] = instance.usable[k];
  }
}

}  // namespace

Mapping scotch_mapping(const Instance& instance, std::uint64_t seed) {
  SCOTCH_randomSeed(static_cast<SCOTCH_Num>(seed));
  SCOTCH_randomReset();
  std::vector<SCOTCH_Num> sizes(instance.arities.begin(), instance.arities.end());
  std::vector<SCOTCH_Num> links(sizes.size(), 1);
  const std::vector<SCOTCH_Num> usable(instance.usable.begin(), instance.usable.end());
  SCOTCH_Arch whole, part;
  check(SCOTCH_archInit(&whole), "archInit");
  check(SCOTCH_archTleaf(&whole, static_cast<SCOTCH_Num>(sizes.size()), sizes.data(), links.data()), "archTleaf");
  const bool holes = instance.tree.leaves() > static_cast<std::int32_t>(usable.size());
  SCOTCH_Arch* target = &whole;
  if (holes) {
    check(SCOTCH_archInit(&part), "archInit");
    check(SCOTCH_archSub(&part, &whole, static_cast<SCOTCH_Num>(usable.size()), usable.data()), "archSub");
    target = &part;
  }
  const CommMatrix& matrix = instance.matrix;
  std::vector<SCOTCH_Num> row{0}, to, weight;
  // Ranks without traffic fill the usable leaves that the job does not need.
  for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(usable.size()); ++rank) {
    if (rank < matrix.ranks()) {
      to.insert(to.end(), matrix.neighbours(rank).begin(), matrix.neighbours(rank).end());
      weight.insert(weight.end(), matrix.weights(rank).begin(), matrix.weights(rank).end());
    }
    row.push_back(static_cast<SCOTCH_Num>(to.size()));
  }
  SCOTCH_Graph graph;
  check(SCOTCH_graphInit(&graph), "graphInit");
  check(SCOTCH_graphBuild(&graph, 0, static_cast<SCOTCH_Num>(usable.size()), row.data(), row.data() + 1, nullptr,
                          nullptr, static_cast<SCOTCH_Num>(to.size()), to.data(), weight.data()),
        "graphBuild");
  SCOTCH_Strat strategy;
  check(SCOTCH_stratInit(&strategy), "stratInit");
  check(SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY, SCOTCH_archSize(target), 0.0), "strategy");
  std::vector<SCOTCH_Num> place(usable.size(), -1);
  check(SCOTCH_graphMap(&graph, target, &strategy, place.data()), "graphMap");
  Mapping leaf(matrix.ranks());
  for (std::size_t rank = 0; rank < leaf.size(); ++rank)
    leaf[rank] = holes ? instance.usable[place[rank]] : static_cast<std::int32_t>(place[rank]);
  make_legal(instance, leaf);
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&graph);
  if (holes) SCOTCH_archExit(&part);
  SCOTCH_archExit(&whole);
  return leaf;
}

}  // namespace placement::bench
