// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/gpu_order.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <numeric>

#include "common/topology/gres_conf.hpp"
#include "common/topology/node_topology.hpp"
#include "common/util/deadline.hpp"
#include "common/util/error.hpp"
#include "mapping/quadratic_assignment.hpp"

namespace placement::spank {

namespace {

using Numbers = std::vector<std::int64_t>;
using Order = std::vector<std::int32_t>;

constexpr std::chrono::seconds patience{1};
constexpr std::int64_t most_traffic = std::int64_t{1} << 31;  // so that a cost does not pass 62 bits

using Shapes = std::optional<std::vector<GpuShape>>;

// Returns the GPUs of each node by gres.conf; nothing if it cannot be read.
std::vector<Shapes> shapes_of(const std::vector<std::string>& nodes, const std::string& gres_conf) {
  try {
    return read_gpu_shapes(gres_conf, nodes);
  } catch (const Error&) {  // a site without a gres.conf
    return {};
  }
}

// Returns the GPUs of a node with their links; nothing if there are none, or not as many as tasks.
std::optional<NodeTopology> gpus_with_links(const NodeView& view, std::size_t tasks, const Shapes& shapes) {
  if (!shapes || shapes->size() != tasks) return std::nullopt;
  NodeTopology node;
  node.name = view.name;
  for (std::int32_t core = 0; core < view.cores(); ++core) node.cores.push_back({core, {core}, core / std::max(view.cores_per_socket, 1), 0, 0});
  try {
    take_gres_conf(node, *shapes, "gres.conf");
  } catch (const Error&) {  // for another kind of node
    return std::nullopt;
  }
  if (std::none_of(node.bandwidth.begin(), node.bandwidth.end(), [](std::int64_t bandwidth) { return bandwidth > 0; })) return std::nullopt;
  return node;
}

// Returns the traffic between the ranks of a node, scaled to 31 bits; the ranks are ascending.
Numbers traffic_among(const CommMatrix& matrix, const std::vector<std::uint32_t>& ranks) {
  const std::size_t count = ranks.size();
  Numbers traffic(count * count, 0);
  for (std::size_t a = 0; a < count; ++a) {
    const auto neighbours = matrix.neighbours(static_cast<std::int32_t>(ranks[a]));
    const auto weights = matrix.weights(static_cast<std::int32_t>(ranks[a]));
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const auto found = std::lower_bound(ranks.begin(), ranks.end(), static_cast<std::uint32_t>(neighbours[i]));
      if (found != ranks.end() && *found == static_cast<std::uint32_t>(neighbours[i]))
        traffic[a * count + static_cast<std::size_t>(found - ranks.begin())] = weights[i];
    }
  }
  const std::int64_t scale = matrix.total_weight() / most_traffic + 1;
  for (std::int64_t& weight : traffic)
    if (weight > 0) weight = std::max<std::int64_t>(weight / scale, 1);
  return traffic;
}

// Sums of the traffic on some nodes.
struct Sums {
  std::int64_t all = 0, linked = 0, natural = 0;

  void add(const NodeTopology& node, const Numbers& traffic, const Order& gpu) {
    for (std::size_t a = 0; a < gpu.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const std::int64_t weight = traffic[a * gpu.size() + b];
        all += weight;
        if (node.linked(static_cast<std::size_t>(gpu[a]), static_cast<std::size_t>(gpu[b]))) linked += weight;
        if (node.linked(a, b)) natural += weight;
      }
  }
};

// A node with links between its GPUs.
struct LinkedNode {
  NodeTopology topology;
  Numbers traffic, costs;  // of its ranks, of its GPUs
};

// Returns the nodes of the step, in its order; nothing for one that is not known to have links.
std::vector<std::optional<LinkedNode>> linked_nodes(const CommMatrix& matrix, const StepPlacement& placement, const StepShape& step,
                                                    const ClusterView& view, const std::string& gres_conf, const Deadline& deadline) {
  const std::vector<Shapes> shapes = shapes_of(step.nodes, gres_conf);
  std::vector<std::optional<LinkedNode>> nodes(step.nodes.size());
  for (std::size_t n = 0; n < shapes.size() && !deadline.expired(); ++n)
    if (auto topology = gpus_with_links(view.nodes[n], placement.ranks_of_node[n].size(), shapes[n])) {
      Numbers costs = gpu_costs(*topology);
      nodes[n] = LinkedNode{std::move(*topology), traffic_among(matrix, placement.ranks_of_node[n]), std::move(costs)};
    }
  return nodes;
}

// Gives all nodes the sum of their traffic, so that they get one order. Returns false if they are not alike.
bool add_up(std::vector<std::optional<LinkedNode>>& nodes) {
  Numbers sum;
  for (const auto& node : nodes) {
    if (!node || node->costs != nodes.front()->costs) return false;
    sum.resize(node->traffic.size(), 0);
    std::transform(sum.begin(), sum.end(), node->traffic.begin(), sum.begin(), std::plus<>());
  }
  for (auto& node : nodes) node->traffic = sum;
  return true;
}

}  // namespace

std::optional<GpuOrder> order_by_links(const CommMatrix& matrix, const StepPlacement& placement, const StepShape& step, const ClusterView& view,
                                       const std::string& gres_conf, GpuLists lists) {
  const Deadline deadline = Deadline::after(patience);
  std::vector<std::optional<LinkedNode>> nodes = linked_nodes(matrix, placement, step, view, gres_conf, deadline);
  if (lists == GpuLists::one && !add_up(nodes)) return std::nullopt;
  GpuOrder order;
  order.gpu_of_rank.assign(static_cast<std::size_t>(matrix.ranks()), 0);
  std::map<std::pair<Numbers, Numbers>, Order> known;  // nodes are often alike: by traffic and costs
  Sums sums;
  bool differs = false;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const std::vector<std::uint32_t>& ranks = placement.ranks_of_node[n];
    Order gpu(ranks.size());
    std::iota(gpu.begin(), gpu.end(), 0);
    if (nodes[n] && (!deadline.expired() || known.contains({nodes[n]->traffic, nodes[n]->costs}))) {
      Order& found = known[{nodes[n]->traffic, nodes[n]->costs}];
      if (found.empty()) found = mapping::quadratic_assignment(nodes[n]->traffic, nodes[n]->costs, ranks.size());
      gpu = found;
      sums.add(nodes[n]->topology, nodes[n]->traffic, gpu);
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      order.gpu_of_rank[ranks[i]] = gpu[i];
      differs = differs || gpu[i] != static_cast<std::int32_t>(i);
    }
  }
  if (!differs) return std::nullopt;
  if (sums.all > 0) {
    order.linked = static_cast<double>(sums.linked) / static_cast<double>(sums.all);
    order.natural_linked = static_cast<double>(sums.natural) / static_cast<double>(sums.all);
  }
  return order;
}

}  // namespace placement::spank
