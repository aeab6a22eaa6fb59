// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/rank_order.hpp"

#include <algorithm>

#include "common/util/error.hpp"
#include "common/util/sequence.hpp"
#include "common/util/text.hpp"
#include "treematch/grouping.hpp"
#include "treematch/tree_map.hpp"

namespace placement::mpi {

namespace {

// Returns whether paths branch at `level`: two processes have equal paths above it, and different ones at it. `sorted`
// holds the processes in the order of their paths.
bool branches(std::span<const ProcessPlace> places, std::span<const std::int32_t> sorted, std::size_t level) {
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    const auto& a = places[sorted[k - 1]].path;
    const auto& b = places[sorted[k]].path;
    if (std::equal(a.begin(), a.begin() + level, b.begin()) && a[level] != b[level]) return true;
  }
  return false;
}

// Returns the limit of the work for a mapping: about a millisecond at 128 ranks, and less for fewer ranks. The exact
// search for 11 to 16 ranks would use up any limit and seldom finish. With up to 10 ranks it finishes in 50
// microseconds.
std::int64_t work_limit(const CommMatrix& matrix) {
  constexpr std::int32_t exact_ranks = 10;
  constexpr std::int64_t most = 200'000, of_rank = 1'500;
  const std::int64_t ranks = matrix.ranks();
  return (ranks <= exact_ranks ? most : std::min(most, of_rank * ranks)) + 64 * (ranks + matrix.pairs());
}

// Returns the mapping by `method`. With few ranks, TREEMATCH also computes the published matching, which takes less
// time than its search, and returns the mapping with fewer hop-bytes.
treematch::MapResult mapping_by(OrderMethod method, const CommMatrix& matrix, const TreeTopology& tree) {
  constexpr std::int32_t few_ranks = 64;
  std::vector<std::int32_t> all = numbers(matrix.ranks());
  treematch::MapOptions map;
  map.scope = treematch::LeafScope::given;
  map.work_limit = work_limit(matrix);
  if (method == OrderMethod::matching) return treematch::map_by_matching(matrix, tree, all, map);
  treematch::MapResult mapped = treematch::map_to_tree(matrix, tree, all, map);
  if (matrix.ranks() > few_ranks) return mapped;
  treematch::MapResult matched = treematch::map_by_matching(matrix, tree, all, map);
  return matched.cost < mapped.cost ? matched : mapped;
}

}  // namespace

ProcessTree process_tree(std::span<const ProcessPlace> places) {
  const std::vector<std::int32_t> sorted = ordered_numbers(
      places.size(), [&](std::int32_t process) -> const auto& { return places[process].path; });
  std::vector<std::size_t> levels;
  for (std::size_t level = 0; level < ProcessPlace::levels; ++level)
    if (branches(places, sorted, level)) levels.push_back(level);

  bool shared = levels.empty();  // several processes are at one place
  for (std::size_t k = 1; k < sorted.size(); ++k) shared = shared || places[sorted[k]] == places[sorted[k - 1]];
  // Levels of inner vertices. If each place has one process, the places of the last level are the leaves themselves.
  const std::size_t inner = levels.size() - (shared ? 0 : 1);

  // Each inner level has one vertex per place, in the order of the places. The leaves below them are the processes.
  std::vector<std::int32_t> parents{-1};
  std::vector<std::int32_t> open(inner + 1, 0);  // the current vertex at each depth
  ProcessTree result;
  result.leaf_of_process.resize(places.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    std::size_t same = 0;  // the number of levels, from the root, at which this path equals the previous one
    if (k > 0)
      while (same < inner && places[sorted[k]].path[levels[same]] == places[sorted[k - 1]].path[levels[same]]) ++same;
    for (std::size_t depth = same; depth < inner; ++depth) {
      parents.push_back(open[depth]);
      open[depth + 1] = static_cast<std::int32_t>(parents.size()) - 1;
    }
    parents.push_back(open[inner]);
    result.leaf_of_process[sorted[k]] = static_cast<std::int32_t>(k);
  }
  result.tree = TreeTopology::from_parents(parents);
  return result;
}

RankOrder order_ranks(const CommMatrix& matrix, std::span<const ProcessPlace> places, const OrderOptions& options) {
  const auto processes = static_cast<std::int32_t>(places.size());
  if (matrix.ranks() != processes)
    throw Error("the matrix has " + std::to_string(matrix.ranks()) + " ranks, but the communicator has " +
                std::to_string(processes));
  RankOrder order;
  order.rank_of_process = numbers(places.size());
  if (processes < 2) return order;
  const ProcessTree machine = process_tree(places);
  order.natural_cost = machine.tree.hop_bytes(matrix, machine.leaf_of_process);
  order.cost = order.natural_cost;
  if (machine.tree.depth() < 2) return order;  // all places are equally far from each other

  const treematch::MapResult mapped = mapping_by(options.method, matrix, machine.tree);
  if (static_cast<double>(mapped.cost) >= static_cast<double>(order.natural_cost) * (1.0 - options.least_gain))
    return order;
  std::vector<std::int32_t> process_of_leaf(places.size());
  for (std::int32_t p = 0; p < processes; ++p) process_of_leaf[machine.leaf_of_process[p]] = p;
  for (std::int32_t rank = 0; rank < processes; ++rank)
    order.rank_of_process[process_of_leaf[mapped.leaf_of_rank[rank]]] = rank;
  order.cost = mapped.cost;
  order.changed = true;
  return order;
}

std::vector<std::string> switches_of_address(std::string_view address, std::string_view pattern) {
  const std::vector<std::string_view> kinds = split_at(pattern, '.');
  const std::vector<std::string_view> names = split_at(address, '.');
  if (kinds.back() != "node" || names.size() < kinds.size()) return {};
  std::vector<std::string> switches;
  for (std::size_t level = 0; level + 1 < kinds.size(); ++level) {
    if (kinds[level] != "switch" || names[level].empty()) return {};
    switches.emplace_back(names[level]);
  }
  return switches;
}

}  // namespace placement::mpi
