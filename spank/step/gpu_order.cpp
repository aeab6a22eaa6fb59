// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/gpu_order.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "common/topology/gres_conf.hpp"
#include "common/topology/node_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "mapping/assignment.hpp"

namespace placement::spank {

namespace {

using Numbers = std::vector<std::int64_t>;
using Order = std::vector<std::int32_t>;

constexpr std::int64_t most_traffic = std::int64_t{1} << 31;  // so that a cost does not pass 62 bits

// Thrown with the reason why the GPUs of a node keep their order.
struct Kept {
  std::string why;
};

// Returns the GPUs of the job among those of a node, with the links between them.
std::vector<GpuShape> gpus_of_job(const NodeView& view, std::size_t tasks, const NodeGpus& node, GpuLists lists) {
  if (view.gpus.size() != tasks)
    throw Kept{view.name + " has " + std::to_string(view.gpus.size()) + " GPUs of the job for " +
               std::to_string(tasks) + " tasks"};
  const auto& shapes = node.shapes;
  if (!shapes)
    throw Kept{"cannot identify the GPUs of " + view.name + " (" + node.why_not +
               "); generate the lines with placectl gres-conf"};
  if (shapes->size() <= static_cast<std::size_t>(view.gpus.back()))
    throw Kept{"gres.conf has " + std::to_string(shapes->size()) + " GPUs of " + view.name + ", but the job has GPU " +
               std::to_string(view.gpus.back())};
  if (lists == GpuLists::one && shapes->size() != tasks)  // map_gpu may count the GPUs of the node or of the step
    throw Kept{"the job does not have all GPUs of " + view.name};
  std::vector<GpuShape> gpus;
  for (const std::int32_t number : view.gpus) {
    GpuShape gpu = shapes->at(static_cast<std::size_t>(number));
    const std::vector<std::int32_t> links = std::move(gpu.links);
    gpu.links.clear();
    for (const std::int32_t other : view.gpus)
      if (static_cast<std::size_t>(other) < links.size()) gpu.links.push_back(links[static_cast<std::size_t>(other)]);
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

// Returns the job's GPUs of a node with the links between them.
NodeTopology gpus_with_links(const NodeView& view, const std::vector<GpuShape>& gpus) {
  NodeTopology node;
  node.name = view.name;
  for (std::int32_t core = 0; core < view.cores(); ++core)
    node.cores.push_back({core, {core}, core / std::max(view.cores_per_socket, 1), 0, 0});
  try {
    take_gres_conf(node, gpus, "gres.conf");
  } catch (const Error& error) {  // gres.conf describes another kind of node
    throw Kept{error.what()};
  }
  if (std::none_of(node.bandwidth.begin(), node.bandwidth.end(), [](std::int64_t bandwidth) { return bandwidth > 0; }))
    throw Kept{"gres.conf has no Links= between the job's GPUs of " + view.name};
  return node;
}

// Returns the traffic between the ranks of a node, scaled to 31 bits.
Numbers traffic_among(const CommMatrix& matrix, const std::vector<std::uint32_t>& ranks) {
  const std::size_t count = ranks.size();
  Numbers traffic(count * count, 0);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b)
      traffic[a * count + b] = matrix.weight(static_cast<std::int32_t>(ranks[a]), static_cast<std::int32_t>(ranks[b]));
  const std::int64_t scale = matrix.total_weight() / most_traffic + 1;
  for (std::int64_t& weight : traffic)
    if (weight > 0) weight = std::max<std::int64_t>(weight / scale, 1);
  return traffic;
}

// Sums of the traffic on some nodes.
struct Sums {
  std::int64_t all = 0, linked = 0, natural = 0;
  double cost = 0, natural_cost = 0;  // traffic times gpu_costs()

  void add(const NodeTopology& node, const Numbers& traffic, const Numbers& costs, const Order& gpu) {
    for (std::size_t a = 0; a < gpu.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const std::int64_t weight = traffic[a * gpu.size() + b];
        all += weight;
        const auto place = static_cast<std::size_t>(gpu[a]), other = static_cast<std::size_t>(gpu[b]);
        cost += static_cast<double>(weight) * static_cast<double>(costs[place * gpu.size() + other]);
        natural_cost += static_cast<double>(weight) * static_cast<double>(costs[a * gpu.size() + b]);
        if (node.linked(static_cast<std::size_t>(gpu[a]), static_cast<std::size_t>(gpu[b]))) linked += weight;
        if (node.linked(a, b)) natural += weight;
      }
  }
};

// A node with links between its GPUs.
struct LinkedNode {
  NodeTopology topology;
  Numbers traffic, costs;  // between its ranks, and between its GPUs
};

using LinkedNodes = std::vector<std::optional<LinkedNode>>;

// Returns the nodes of the step, in its order; nothing for a node that keeps its order of GPUs. Sets `kept` to the
// reason of the first node that keeps it.
LinkedNodes linked_nodes(const CommMatrix& matrix, const StepPlacement& placement, const StepShape& step,
                         const ClusterView& view, const std::string& gres_conf, GpuLists lists,
                         const Deadline& deadline, std::string& kept) {
  LinkedNodes nodes(step.nodes.size());
  std::vector<NodeGpus> shapes;
  try {
    shapes = read_gpu_shapes(gres_conf, step.nodes);
  } catch (const Error& error) {  // a site without a gres.conf
    kept = error.what();
    return nodes;
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) try {
      const std::vector<std::uint32_t>& ranks = placement.ranks_of_node[n];
      if (deadline.expired()) throw Kept{"no time was left"};
      NodeTopology topology =
          gpus_with_links(view.nodes[n], gpus_of_job(view.nodes[n], ranks.size(), shapes[n], lists));
      Numbers costs = gpu_costs(topology);
      nodes[n] = LinkedNode{std::move(topology), traffic_among(matrix, ranks), std::move(costs)};
    } catch (const Kept& reason) {
      if (kept.empty()) kept = reason.why;
    }
  return nodes;
}

// Sets the traffic of each node to the sum over all nodes, so that all get one order. Returns false if links differ.
bool add_up(LinkedNodes& nodes) {
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

GpuChoice gpu_choice(const ClientOption& option) {
  // From Slurm 23.11 on, --tres-bind is also set if --gpus-per-task of the job implies it.
  constexpr std::pair<const char*, const char*> users_own_but_for[] = {
      {"gpu-bind", "none"}, {"accel-bind", ""}, {"tres-bind", "gres/gpu:per_task:1"}};
  for (const auto& [name, other] : users_own_but_for)
    if (const auto given = option(name); given && *given != other)
      return {{}, "--" + std::string(name) + "=" + shown(*given) + " assigns the GPUs"};
  const auto each = option("gpus-per-task"), share = option("ntasks-per-gpu");
  if (option("gpu-bind") || (!option("tres-bind") && !each && !share)) return {GpuLists::per_node, {}};
  if (each && gpu_number(each) != 1)
    return {{}, "--gpus-per-task=" + shown(*each) + " does not give each task one GPU"};
  if (share && *share != "1") return {{}, "--ntasks-per-gpu=" + shown(*share) + " gives several tasks one GPU"};
  return {GpuLists::one, {}};
}

GpuOrder order_by_links(const CommMatrix& matrix, const StepPlacement& placement, const StepShape& step,
                        const ClusterView& view, const std::string& gres_conf, GpuLists lists,
                        const Deadline& deadline) {
  GpuOrder order;
  if (std::ranges::all_of(view.nodes, [](const NodeView& node) { return node.gpus.empty(); }))
    return order;  // a job without GPUs
  LinkedNodes nodes = linked_nodes(matrix, placement, step, view, gres_conf, lists, deadline, order.kept);
  if (lists == GpuLists::one && !add_up(nodes)) {
    if (order.kept.empty())
      order.kept = "the nodes have different links, but --gpus-per-task uses one order on all nodes";
    return order;
  }
  order.gpu_of_rank.assign(static_cast<std::size_t>(matrix.ranks()), 0);
  std::map<std::pair<Numbers, Numbers>, Order> known;  // by traffic and costs, because nodes are often alike
  Sums sums;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const std::vector<std::uint32_t>& ranks = placement.ranks_of_node[n];
    Order gpu(ranks.size());
    std::iota(gpu.begin(), gpu.end(), 0);
    if (nodes[n] && (!deadline.expired() || known.contains({nodes[n]->traffic, nodes[n]->costs}))) {
      Order& found = known[{nodes[n]->traffic, nodes[n]->costs}];
      if (found.empty()) found = mapping::quadratic_assignment(nodes[n]->traffic, nodes[n]->costs, ranks.size());
      gpu = found;
      sums.add(nodes[n]->topology, nodes[n]->traffic, nodes[n]->costs, gpu);
    } else if (nodes[n] && order.kept.empty()) {
      order.kept = "no time was left for some of the nodes";
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      order.gpu_of_rank[ranks[i]] = gpu[i];
      order.changed = order.changed || gpu[i] != static_cast<std::int32_t>(i);
    }
  }
  if (sums.all > 0) {
    order.linked = static_cast<double>(sums.linked) / static_cast<double>(sums.all);
    order.natural_linked = static_cast<double>(sums.natural) / static_cast<double>(sums.all);
  }
  if (sums.natural_cost > 0) order.cost_ratio = sums.cost / sums.natural_cost;
  if (!order.changed && order.kept.empty()) order.kept = "no other order costs less";
  return order;
}

}  // namespace placement::spank
