// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/process_map.hpp"

#include <limits>

namespace placement {

namespace {

// The ranks of a block: `ranks` successive ranks on each of `nodes` successive nodes.
struct Block {
  std::uint32_t node, nodes, ranks;
};

bool is_pmix(std::string_view mpi_type) { return mpi_type.starts_with("pmix"); }

std::vector<std::uint32_t> nodes_of_ranks(const std::vector<std::vector<std::uint32_t>>& ranks_of_node) {
  std::size_t ranks = 0;
  for (const auto& of_node : ranks_of_node) ranks += of_node.size();
  std::vector<std::uint32_t> node_of_rank(ranks);
  for (std::uint32_t node = 0; node < ranks_of_node.size(); ++node)
    for (const std::uint32_t rank : ranks_of_node[node]) node_of_rank.at(rank) = node;
  return node_of_rank;
}

// Returns the map whose blocks have at most `most` successive ranks of a node.
std::string map_of(const std::vector<std::uint32_t>& node_of_rank, std::size_t most) {
  std::string text = "(vector";
  Block block{0, 0, 0};
  const auto write = [&] {
    if (block.nodes == 0) return;
    text += ",(" + std::to_string(block.node) + "," + std::to_string(block.nodes) + "," + std::to_string(block.ranks);
    text += ')';
  };
  for (std::size_t rank = 0, end = 0; rank < node_of_rank.size(); rank = end) {
    const std::uint32_t node = node_of_rank[rank];
    while (end < node_of_rank.size() && end - rank < most && node_of_rank[end] == node) ++end;
    const auto ranks = static_cast<std::uint32_t>(end - rank);
    if (block.nodes > 0 && block.ranks == ranks && block.node + block.nodes == node) {
      ++block.nodes;
      continue;
    }
    write();
    block = {node, 1, ranks};
  }
  write();
  return text + ")";
}

}  // namespace

ProcessMap shortest_map(const std::vector<std::vector<std::uint32_t>>& ranks_of_node, std::string_view mpi_type) {
  const std::vector<std::uint32_t> node_of_rank = nodes_of_ranks(ranks_of_node);
  ProcessMap plane{true, map_of(node_of_rank, node_of_rank.size())};
  if (is_pmix(mpi_type)) return plane;
  ProcessMap cyclic{false, map_of(node_of_rank, 1)};
  return cyclic.text.size() < plane.text.size() ? cyclic : plane;
}

std::size_t longest_map(std::string_view mpi_type) {
  if (mpi_type.empty() || mpi_type == "pmi2") return 1024 - 30 - 256 - 64 - 1;
  if (is_pmix(mpi_type)) return 128 * 1024 - sizeof "SLURM_PMIX_MAPPING_SERV=" - 1;
  return std::numeric_limits<std::size_t>::max();
}

}  // namespace placement
