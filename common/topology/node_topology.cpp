// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/node_topology.hpp"

#include <algorithm>
#include <map>

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::int64_t unit = 1000;          // the cost of the best link
constexpr std::int64_t step = 10;            // added for each step of closeness between linked GPUs
constexpr std::int64_t worst = 1000 * unit;  // the highest cost of a link

std::int64_t steps(Closeness closeness) { return static_cast<std::int64_t>(closeness); }

// Returns the packages of the cores with these numbers, each once.
std::vector<std::int32_t> packages_of(const NodeTopology& node, const std::vector<std::int32_t>& numbers) {
  std::vector<std::int32_t> packages;
  for (const NodeCore& core : node.cores)
    if (std::ranges::binary_search(numbers, core.number)) packages.push_back(core.package);
  std::ranges::sort(packages);
  packages.erase(std::unique(packages.begin(), packages.end()), packages.end());
  return packages;
}

// Returns the closeness of two GPUs by their cores, which is all that gres.conf has.
Closeness by_cores(const NodeTopology& node, const NodeGpu& gpu, const NodeGpu& other) {
  if (gpu.cores == other.cores) return Closeness::numa;
  return packages_of(node, gpu.cores) == packages_of(node, other.cores) ? Closeness::package : Closeness::machine;
}

void check_cores(const NodeTopology& node, const GpuShape& shape, std::size_t gpu, const std::string& source) {
  std::int32_t most = -1;
  for (const NodeCore& core : node.cores) most = std::max(most, core.number);
  for (const std::int32_t core : shape.cores)
    if (core > most)
      throw Error(source + ": Cores= of GPU " + std::to_string(gpu) + " has core " + std::to_string(core) +
                  ", and the last core of " + node.name + " is " + std::to_string(most));
}

}  // namespace

std::vector<std::int64_t> gpu_costs(const NodeTopology& node) {
  const std::size_t gpus = node.gpus.size();
  std::int64_t fastest = 0, worst_link = 0;
  for (const std::int64_t bandwidth : node.bandwidth) fastest = std::max(fastest, bandwidth);
  std::vector<std::int64_t> cost(gpus * gpus, 0);
  for (std::size_t pair = 0; pair < cost.size(); ++pair) {
    if (pair / gpus == pair % gpus || node.bandwidth[pair] <= 0) continue;
    const std::int64_t hops = node.hops.empty() ? 1 : std::clamp<std::int64_t>(node.hops[pair], 1, 1000);
    const auto slowness = static_cast<std::int64_t>(
        static_cast<double>(fastest) / static_cast<double>(node.bandwidth[pair]) * unit + 0.5);
    cost[pair] = std::min(std::min(slowness, worst) * hops, worst);
    worst_link = std::max(worst_link, cost[pair]);
    cost[pair] += step * steps(node.closeness[pair]);
  }
  for (std::size_t pair = 0; pair < cost.size(); ++pair)
    if (pair / gpus != pair % gpus && node.bandwidth[pair] <= 0)
      cost[pair] = worst_link + unit * (1 + steps(node.closeness[pair]));
  return cost;
}

void take_gres_conf(NodeTopology& node, const std::vector<GpuShape>& shapes, const std::string& source) {
  const bool has_gpus = !node.gpus.empty();
  if (shapes.empty()) throw Error(source + ": no line Name=gpu is for this node");
  if (shapes.size() > static_cast<std::size_t>(NodeTopology::max_gpus))
    throw Error(source + ": " + std::to_string(shapes.size()) + " GPUs: at most " +
                std::to_string(NodeTopology::max_gpus) + " are taken");
  if (has_gpus && shapes.size() != node.gpus.size())
    throw Error(source + " has " + std::to_string(shapes.size()) + " GPUs of this node, and " + node.name + " has " +
                std::to_string(node.gpus.size()));
  const std::size_t gpus = shapes.size();
  node.gpus.resize(gpus);
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    check_cores(node, shapes[gpu], gpu, source);
    if (!shapes[gpu].cores.empty()) node.gpus[gpu].cores = shapes[gpu].cores;
    if (!has_gpus) node.gpus[gpu].name = shapes[gpu].file;
  }
  if (!has_gpus) {
    for (std::size_t pair = 0; pair < gpus * gpus; ++pair)
      node.closeness.push_back(by_cores(node, node.gpus[pair / gpus], node.gpus[pair % gpus]));
    node.bandwidth.assign(gpus * gpus, 0);
  }
  if (std::ranges::all_of(shapes, [](const GpuShape& shape) { return shape.links.empty(); })) return;
  node.hops.clear();
  for (std::size_t gpu = 0; gpu < gpus; ++gpu)
    for (std::size_t other = 0; other < gpus; ++other) {
      const std::int64_t there = gpu < shapes[other].links.size() ? shapes[other].links[gpu] : 0;
      const std::int64_t back = other < shapes[gpu].links.size() ? shapes[gpu].links[other] : 0;
      node.bandwidth[gpu * gpus + other] = gpu == other ? 0 : std::max({there, back, std::int64_t{0}});
    }
}

std::int32_t near_cores_per_gpu(const NodeTopology& node) {
  std::map<std::vector<std::int32_t>, std::int32_t> gpus_at;  // number of GPUs next to each set of cores
  for (const NodeGpu& gpu : node.gpus) ++gpus_at[gpu.cores];
  std::int32_t least = NodeTopology::max_cores;
  for (const auto& [cores, gpus] : gpus_at) {
    const auto is_near = [&numbers = cores](const NodeCore& core) {
      return numbers.empty() || std::ranges::binary_search(numbers, core.number);
    };
    least = std::min(least, static_cast<std::int32_t>(std::ranges::count_if(node.cores, is_near)) / gpus);
  }
  return std::max(least, 1);
}

}  // namespace placement
