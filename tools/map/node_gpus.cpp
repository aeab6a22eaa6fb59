// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/node_gpus.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

#include "common/topology/switch_tree.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/text.hpp"
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifdef HAVE_HWLOC
#include "common/topology/node_topology.hpp"
#endif

namespace placement::tools {

constexpr std::int64_t most_traffic = std::int64_t{1} << 31;  // the largest sum of traffic that map_to_gpus() accepts

// Returns the traffic between the i-th and the j-th rank of a node, summed over all nodes and scaled to 31 bits. It is
// a matrix of `count` rows; empty if there is no traffic within nodes.
static std::vector<std::int64_t> local_traffic(const CommMatrix& matrix, const std::vector<RankPlace>& places,
                                               const std::vector<std::int32_t>& place_of_rank, std::size_t count) {
  std::vector<std::int64_t> traffic(count * count, 0);
  std::int64_t sum = 0;
  for (const CommEdge& edge : matrix.edges()) {
    const auto a = static_cast<std::size_t>(edge.a), b = static_cast<std::size_t>(edge.b);
    if (places[a].node != places[b].node) continue;
    const auto i = static_cast<std::size_t>(place_of_rank[a]), j = static_cast<std::size_t>(place_of_rank[b]);
    traffic[i * count + j] += edge.weight;
    traffic[j * count + i] += edge.weight;
    sum += edge.weight;
  }
  if (sum == 0) return {};
  const std::int64_t scale = sum / most_traffic + 1;
  for (std::int64_t& weight : traffic)
    if (weight > 0) weight = std::max<std::int64_t>(weight / scale, 1);
  return traffic;
}

// Returns the cost of the traffic, and its share over direct links.
static std::pair<std::int64_t, double> judge(const NodeTopology& node, const std::vector<std::int64_t>& traffic,
                                             const std::vector<mapping::GpuPlace>& of_rank) {
  const std::vector<std::int64_t> costs = gpu_costs(node);
  std::int64_t cost = 0, sum = 0, linked = 0;
  for (std::size_t i = 0; i < of_rank.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const std::int64_t weight = traffic[i * of_rank.size() + j];
      const auto gpu = static_cast<std::size_t>(of_rank[i].gpu), other = static_cast<std::size_t>(of_rank[j].gpu);
      cost += weight * costs[gpu * node.gpus.size() + other];
      sum += weight;
      if (node.linked(gpu, other)) linked += weight;
    }
  return {cost, sum > 0 ? static_cast<double>(linked) / static_cast<double>(sum) : 0};
}

// Removes the cores of --reserved-cores from `node`, and the cores that a job may not use on some node of the view.
// Ignores nodes of the view on which a job may use no core.
static void remove_reserved(const CommandLine& line, const ClusterView& view, NodeTopology& node) {
  const auto count = static_cast<std::size_t>(node.cores.back().number) + 1;
  std::vector<bool> reserved(count, false);
  if (const auto list = line.value("reserved-cores"); list && !mark_cores(*list, reserved))
    throw UsageError("--reserved-cores " + shown(*list) + ": expected core numbers from 0 to " +
                     std::to_string(count - 1) + ", as in 0,8-11");
  for (const NodeView& of_view : view.nodes) {
    if (std::ranges::find(of_view.core_free, true) == of_view.core_free.end()) continue;
    for (std::size_t core = 0; core < std::min(count, of_view.core_free.size()); ++core)
      if (!of_view.core_free[core]) reserved[core] = true;
  }
  std::erase_if(node.cores, [&](const NodeCore& core) { return reserved[core.number]; });
  if (node.cores.empty()) throw Error(printable(node.name) + ": all its cores are reserved");
}

NodeTopology read_node(const std::string& source) {
#ifdef HAVE_HWLOC
  return read_node_topology(source);
#else
  throw Error(printable(source) + " cannot be read: this placectl was built without hwloc (libhwloc-dev)");
#endif
}

GpuTask read_gpu_task(const CommandLine& line, const std::string& node_name, const ClusterView& machine) {
  GpuTask gpu;
  gpu.node = read_node(*line.value("node-topology"));
  if (const auto path = line.value("gres-conf")) {
    const std::string name = line.value_or("gres-node", node_name);
    const auto [shapes, why_not, detected] = read_gpu_shapes(*path, name);
    if (!shapes)
      throw Error("cannot identify the GPUs of " + shown(name) + ": " + why_not +
                  "; generate the lines with placectl gres-conf");
    if (shapes->empty())
      throw Error(printable(*path) + " has no line Name=gpu for node " + shown(name) +
                  ": name another node with --gres-node");
    take_gres_conf(gpu.node, *shapes, printable(*path));
  } else if (line.has("gres-node")) {
    throw UsageError("--gres-node is for --gres-conf");
  }
  if (gpu.node.gpus.empty())
    throw Error(printable(gpu.node.name) +
                " has no GPU: create it with an lstopo that detects GPUs, or use --gres-conf");
  remove_reserved(line, machine, gpu.node);
  gpu.cores_per_rank =
      line.integer("cores-per-task", 1, NodeTopology::max_cores).value_or(near_cores_per_gpu(gpu.node));
  gpu.threads_per_core = line.integer("threads-per-core", 1, 64).value_or(1);
  std::size_t most = 1;
  for (const NodeCore& core : gpu.node.cores) most = std::max(most, core.cpus.size());
  if (static_cast<std::size_t>(gpu.threads_per_core) > most)
    throw Error("--threads-per-core " + std::to_string(gpu.threads_per_core) + ": a core of " +
                printable(gpu.node.name) + " has " + std::to_string(most) + " hardware threads at most");
  return gpu;
}

ClusterView machine_of_gpus(std::int32_t nodes, std::int32_t gpus) {
  const std::array<std::int32_t, 2> arities{nodes, gpus};
  ClusterView view;
  view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(arities));
  for (std::int32_t n = 0; n < nodes; ++n)
    view.nodes.push_back(view_of_node({"node" + std::to_string(n), 1, gpus}, n * gpus));
  return view;
}

void leave_one_leaf_per_gpu(const ClusterView& view, std::int32_t gpus, std::vector<std::int32_t>& usable) {
  std::vector<std::int32_t> left;
  for (const NodeView& node : view.nodes) {
    auto leaf = std::lower_bound(usable.begin(), usable.end(), node.first_leaf);
    for (std::int32_t taken = 0; leaf != usable.end() && *leaf < node.first_leaf + node.cores() && taken < gpus;
         ++leaf, ++taken)
      left.push_back(*leaf);
  }
  std::sort(left.begin(), left.end());
  usable = std::move(left);
}

void map_ranks_to_gpus(GpuTask& gpu, const CommMatrix& matrix, const ClusterView& view, bool has_real_nodes,
                       std::vector<RankPlace>& places) {
  std::map<std::int32_t, std::int32_t> ranks_on;
  for (const RankPlace& place : places) gpu.place_of_rank.push_back(ranks_on[place.node]++);
  std::int32_t count = 0;
  for (const auto& [index, ranks] : ranks_on) {
    const NodeView& node = view.nodes[index];
    if (has_real_nodes && node.cores() <= gpu.node.cores.back().number)
      throw Error("node " + shown(node.name) + " has " + std::to_string(node.cores()) + " cores, and " +
                  printable(gpu.node.name) + " has " + std::to_string(gpu.node.cores.back().number + 1) +
                  ": use the topology of this kind of node");
    count = std::max(count, ranks);
  }
  const std::vector<std::int64_t> traffic =
      local_traffic(matrix, places, gpu.place_of_rank, static_cast<std::size_t>(count));
  gpu.mapping = mapping::map_to_gpus(gpu.node, count, gpu.cores_per_rank, traffic);
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    places[rank].cores.clear();
    for (const std::int32_t core : gpu.mapping.of_rank[gpu.place_of_rank[rank]].cores)
      places[rank].cores.push_back(gpu.node.cores[core].number);
  }
  if (traffic.empty()) return;
  gpu.has_traffic = true;
  std::tie(gpu.cost, gpu.linked) = judge(gpu.node, traffic, gpu.mapping.of_rank);
  std::tie(gpu.natural_cost, gpu.natural_linked) =
      judge(gpu.node, traffic, mapping::map_to_gpus(gpu.node, count, gpu.cores_per_rank, {}).of_rank);
}

void check_gpus_of_job(const NodeTopology& node, const ClusterView& view, const std::vector<RankPlace>& places) {
  std::vector<std::int32_t> all(node.gpus.size());
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const NodeView& of_job = view.nodes[places[rank].node];
    if (!of_job.gpus.empty() && of_job.gpus != all)
      throw Error("node " + shown(of_job.name) + " has GPUs " + format_cores(all) + " according to " +
                  printable(node.name) + ", but the job has only " + format_cores(of_job.gpus) +
                  ": allocate all GPUs of the nodes, as with --gpus-per-node=" + std::to_string(all.size()) +
                  ", or use srun -m TREEMATCH");
    if (of_job.core_free.size() != node.cores.size()) continue;  // hardware threads, or another kind of node
    for (const std::int32_t core : places[rank].cores)
      if (!of_job.core_free[core])
        throw Error("rank " + std::to_string(rank) + " requires core " + std::to_string(core) + " of node " +
                    shown(of_job.name) +
                    ", which the job does not have: allocate whole nodes with --exclusive, or use srun -m TREEMATCH");
  }
}

}  // namespace placement::tools
