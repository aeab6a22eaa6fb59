// SPDX-License-Identifier: GPL-2.0-or-later
#include <metis.h>

#include <algorithm>
#include <numeric>

#include "common/util/error.hpp"
#include "contrib/evaluation/bench/peers.hpp"
#include "treematch/leaf_choice.hpp"

namespace placement::bench {

namespace {

using Ints = std::vector<std::int32_t>;

class Multisection {
 public:
  Multisection(const Instance& instance, std::uint64_t seed)
      : instance_(instance),
        local_(instance.matrix.ranks(), -1),
        leaf_(instance.matrix.ranks(), -1) {
    METIS_SetDefaultOptions(options_);
    options_[METIS_OPTION_SEED] = static_cast<idx_t>(seed);
    options_[METIS_OPTION_UFACTOR] = 1;
  }

  Mapping run() {
    const Ints leaves = treematch::packed_leaves(instance_.tree, instance_.usable, instance_.matrix.ranks());
    Ints ranks(instance_.matrix.ranks());
    std::iota(ranks.begin(), ranks.end(), 0);
    descend(0, ranks, leaves);
    return leaf_;
  }

 private:
  void descend(std::int32_t vertex, const Ints& ranks, std::span<const std::int32_t> leaves) {
    if (ranks.empty()) return;
    if (instance_.tree.children(vertex).empty()) {
      leaf_[ranks.front()] = leaves.front();
      return;
    }
    std::vector<std::span<const std::int32_t>> below;
    Ints children;
    for (const std::int32_t child : instance_.tree.children(vertex)) {
      const std::int32_t first = instance_.tree.first_leaf(child);
      const auto begin = std::lower_bound(leaves.begin(), leaves.end(), first);
      const auto end = std::lower_bound(begin, leaves.end(), first + instance_.tree.leaf_count(child));
      if (begin == end) continue;
      below.emplace_back(begin, end);
      children.push_back(child);
    }
    const std::vector<Ints> parts = split(ranks, below);
    for (std::size_t k = 0; k < children.size(); ++k) descend(children[k], parts[k], below[k]);
  }

  std::vector<Ints> split(const Ints& ranks, const std::vector<std::span<const std::int32_t>>& below) {
    if (below.size() == 1) return {ranks};
    std::vector<idx_t> row{0}, to, weight, part(ranks.size());
    for (std::size_t k = 0; k < ranks.size(); ++k) local_[ranks[k]] = static_cast<std::int32_t>(k);
    for (const std::int32_t rank : ranks) {
      const auto neighbours = instance_.matrix.neighbours(rank);
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        if (local_[neighbours[k]] < 0) continue;
        to.push_back(local_[neighbours[k]]);
        weight.push_back(static_cast<idx_t>(std::min<std::int64_t>(instance_.matrix.weights(rank)[k], 1 << 20)));
      }
      row.push_back(static_cast<idx_t>(to.size()));
    }
    if (to.empty()) to.push_back(0), weight.push_back(1);
    std::vector<real_t> share;
    for (const auto& leaves : below)
      share.push_back(static_cast<real_t>(leaves.size()) / static_cast<real_t>(ranks.size()));
    idx_t vertices = static_cast<idx_t>(ranks.size()), constraints = 1, parts = static_cast<idx_t>(below.size()),
          cut = 0;
    if (METIS_PartGraphRecursive(&vertices, &constraints, row.data(), to.data(), nullptr, nullptr, weight.data(),
                                 &parts, share.data(), nullptr, options_, &cut, part.data()) != METIS_OK)
      throw Error("METIS failed on " + instance_.name);
    put_right(row, to, weight, below, part);
    std::vector<Ints> result(below.size());
    for (std::size_t k = 0; k < ranks.size(); ++k) result[part[k]].push_back(ranks[k]);
    for (const std::int32_t rank : ranks) local_[rank] = -1;
    return result;
  }

  // Moves vertices from each part that is too large to parts with room. First moves the vertex whose move costs least.
  static void put_right(const std::vector<idx_t>& row, const std::vector<idx_t>& to, const std::vector<idx_t>& weight,
                        const std::vector<std::span<const std::int32_t>>& below, std::vector<idx_t>& part) {
    std::vector<std::int64_t> room;
    for (const auto& leaves : below) room.push_back(static_cast<std::int64_t>(leaves.size()));
    for (const idx_t p : part) --room[p];
    std::vector<std::int64_t> pull(below.size());
    for (std::size_t from = 0; from < below.size(); ++from) {
      while (room[from] < 0) {
        std::int64_t best = INT64_MIN;
        std::size_t who = 0, where = 0;
        for (std::size_t v = 0; v < part.size(); ++v) {
          if (part[v] != static_cast<idx_t>(from)) continue;
          std::fill(pull.begin(), pull.end(), 0);
          for (idx_t k = row[v]; k < row[v + 1]; ++k) pull[part[to[k]]] += weight[k];
          for (std::size_t p = 0; p < below.size(); ++p)
            if (room[p] > 0 && pull[p] - pull[from] > best) best = pull[p] - pull[from], who = v, where = p;
        }
        part[who] = static_cast<idx_t>(where);
        ++room[from];
        --room[where];
      }
    }
  }

  const Instance& instance_;
  Ints local_;
  Mapping leaf_;
  idx_t options_[METIS_NOPTIONS];
};

}  // namespace

Mapping metis_multisection(const Instance& instance, std::uint64_t seed) { return Multisection(instance, seed).run(); }

}  // namespace placement::bench
