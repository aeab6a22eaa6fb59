// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/process_map.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>

#include "tests/check.hpp"

namespace {

using placement::longest_map;
using placement::shortest_map;
using RanksOfNodes = std::vector<std::vector<std::uint32_t>>;
using NodeOfRank = std::vector<std::uint32_t>;

// Whether rank `rank` is the next one of `node`, which has `used` ranks in the map.
bool is_next(const RanksOfNodes& ranks, const std::vector<std::size_t>& used, std::size_t node, std::size_t rank) {
  return used[node] < ranks[node].size() && ranks[node][used[node]] == rank;
}

// Returns the map that Slurm writes, as its loops do: over the nodes again and again until all ranks are in the map.
// `folds` is whether Slurm folds the successive ranks of a node.
std::string map_of_slurm(const RanksOfNodes& ranks, std::size_t tasks, bool folds) {
  std::string map = "(vector";
  std::vector<std::size_t> used(ranks.size(), 0);
  std::size_t rank = 0;
  const auto take = [&](std::size_t node) {
    std::size_t taken = 0;
    while (is_next(ranks, used, node, rank) && (folds || taken == 0)) ++rank, ++used[node], ++taken;
    return taken;
  };
  const auto length_of_run = [&](std::size_t node) {
    std::size_t length = 0;
    while (used[node] + length < ranks[node].size() && ranks[node][used[node] + length] == rank + length) ++length;
    return folds ? length : std::min<std::size_t>(length, 1);
  };
  while (rank < tasks)
    for (std::size_t node = 0; node < ranks.size();) {
      if (!is_next(ranks, used, node, rank)) {
        ++node;
        continue;
      }
      const std::size_t first = node, block = take(node);
      for (++node; node < ranks.size() && length_of_run(node) == block;) take(node++);
      map += ",(" + std::to_string(first) + "," + std::to_string(node - first) + "," + std::to_string(block) + ")";
    }
  return map + ")";
}

// Reads a map as MPI does. If there are fewer blocks than ranks, MPI starts again with the first block.
NodeOfRank read_map(const std::string& map, std::size_t tasks) {
  NodeOfRank node_of_rank;
  while (node_of_rank.size() < tasks)
    for (std::size_t at = map.find(",("); at != map.npos; at = map.find(",(", at + 1)) {
      unsigned first = 0, nodes = 0, block = 0;
      ck_assert_int_eq(std::sscanf(map.c_str() + at, ",(%u,%u,%u)", &first, &nodes, &block), 3);
      for (unsigned node = first; node < first + nodes; ++node) node_of_rank.insert(node_of_rank.end(), block, node);
    }
  node_of_rank.resize(tasks);
  return node_of_rank;
}

RanksOfNodes ranks_of(const NodeOfRank& node_of_rank, std::size_t nodes) {
  RanksOfNodes ranks(nodes);
  for (std::uint32_t rank = 0; rank < node_of_rank.size(); ++rank) ranks[node_of_rank[rank]].push_back(rank);
  return ranks;
}

// Checks that the map says where the ranks are, that Slurm writes it, and that no map of Slurm is shorter.
void check_map(const NodeOfRank& node_of_rank, std::size_t nodes) {
  const RanksOfNodes ranks = ranks_of(node_of_rank, nodes);
  const auto plane = map_of_slurm(ranks, node_of_rank.size(), true);
  const auto cyclic = map_of_slurm(ranks, node_of_rank.size(), false);
  const auto map = shortest_map(ranks, "pmi2");
  ck_assert(map.text == (map.plane ? plane : cyclic));
  ck_assert_uint_eq(map.text.size(), std::min(plane.size(), cyclic.size()));
  ck_assert(read_map(map.text, node_of_rank.size()) == node_of_rank);
  ck_assert(shortest_map(ranks, "pmix_v4").text == plane);
}

}  // namespace

START_TEST(small_layouts_all) {
  for (std::size_t nodes = 1; nodes <= 4; ++nodes)
    for (std::size_t tasks = nodes; tasks <= 7; ++tasks) {
      NodeOfRank node_of_rank(tasks, 0);
      for (bool more = true; more;) {
        const RanksOfNodes ranks = ranks_of(node_of_rank, nodes);
        if (std::ranges::none_of(ranks, &std::vector<std::uint32_t>::empty)) check_map(node_of_rank, nodes);
        std::size_t digit = 0;
        while (digit < tasks && ++node_of_rank[digit] == nodes) node_of_rank[digit++] = 0;
        more = digit < tasks;
      }
    }
}
END_TEST

START_TEST(large_layouts_at_random) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t nodes = 1 + random() % 40, runs = nodes + random() % 200, longest = 1 + random() % 9;
    NodeOfRank node_of_rank;
    for (std::uint32_t run = 0; run < runs; ++run) {
      const std::uint32_t node = run < nodes ? run : random() % nodes;
      node_of_rank.insert(node_of_rank.end(), 1 + random() % longest, node);
    }
    if (round % 3 == 0) std::ranges::shuffle(node_of_rank, random);
    check_map(node_of_rank, nodes);
  }
}
END_TEST

START_TEST(layouts_of_slurm_have_its_own_maps) {
  NodeOfRank block, cyclic, plane;
  for (std::uint32_t rank = 0; rank < 128; ++rank) {
    block.push_back(rank / 8);
    cyclic.push_back(rank % 16);
    plane.push_back(rank / 2 % 16);
  }
  ck_assert(shortest_map(ranks_of(block, 16), "pmi2").text == "(vector,(0,16,8))");
  ck_assert_uint_eq(shortest_map(ranks_of(cyclic, 16), "pmi2").text.size(), 80);
  ck_assert_uint_eq(shortest_map(ranks_of(plane, 16), "pmi2").text.size(), 44);
}
END_TEST

// Lengths of the maps of 16 nodes and more, for each layout. Those that exceed the limit of pmi2 are placed again.
START_TEST(layouts_of_64_to_8192_ranks) {
  std::mt19937 random(11);
  for (const std::uint32_t ranks : {64U, 96U, 128U, 192U, 256U, 512U, 1024U, 2048U, 4096U, 8192U})
    for (const std::uint32_t nodes : {16U, 48U}) {
      NodeOfRank block, uneven, cyclic, plane, reversed, scattered;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        block.push_back(static_cast<std::uint32_t>(std::uint64_t{rank} * nodes / ranks));
        uneven.push_back(rank < ranks / 2 ? 0 : 1 + (rank - ranks / 2) * (nodes - 1) / (ranks - ranks / 2));
        cyclic.push_back(rank % nodes);
        plane.push_back(rank / 2 % nodes);
        reversed.push_back(nodes - 1 - block.back());
      }
      scattered = cyclic;
      std::ranges::shuffle(scattered, random);
      const auto length = [&](const NodeOfRank& layout) {
        check_map(layout, nodes);
        const std::size_t pmix = shortest_map(ranks_of(layout, nodes), "pmix").text.size();
        ck_assert_uint_le(pmix, longest_map("pmix"));
        return shortest_map(ranks_of(layout, nodes), "pmi2").text.size();
      };
      const std::size_t most = longest_map("pmi2");
      if (ranks % nodes == 0) ck_assert_uint_le(length(block), sizeof "(vector,(0,48,8192))");
      for (const NodeOfRank& runs : {block, uneven, reversed}) ck_assert_uint_le(length(runs), most);
      // A block "(0,16,1)" and its comma have 9 bytes: 73 blocks fit, and each has a rank or two of each node.
      ck_assert((length(cyclic) <= most) == (ranks <= 73 * nodes));
      ck_assert((length(plane) <= most) == (ranks <= 73 * 2 * nodes));
      ck_assert((length(scattered) <= most) == (ranks == 64));
    }
}
END_TEST

START_TEST(limits_of_the_launchers) {
  ck_assert_uint_eq(longest_map("pmi2"), 673);
  ck_assert_uint_eq(longest_map(""), 673);
  ck_assert_uint_eq(longest_map("pmix") + sizeof "SLURM_PMIX_MAPPING_SERV=" + 1, 128 * 1024);
  ck_assert_uint_eq(longest_map("pmix_v4"), longest_map("pmix"));
  ck_assert_uint_gt(longest_map("none"), 1U << 30);
}
END_TEST

int main() {
  Suite* const suite = suite_create("process_map");
  TCase* const tests = tcase_create("process_map");
  tcase_add_test(tests, small_layouts_all);
  tcase_add_test(tests, large_layouts_at_random);
  tcase_add_test(tests, layouts_of_slurm_have_its_own_maps);
  tcase_add_test(tests, layouts_of_64_to_8192_ranks);
  tcase_add_test(tests, limits_of_the_launchers);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
