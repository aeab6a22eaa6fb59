// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/torus_machine.hpp"

#include <algorithm>
#include <set>

#include "common/topology/link_traffic.hpp"
#include "common/topology/slurm_conf.hpp"
#include "common/topology/switch_tree.hpp"
#include "common/topology/topology_yaml.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement::tools {

// Returns the content of the file for which the word stands: "tree 4 4 4" for "4:4:4", "torus 8 8 8" for "8x8x8".
static std::optional<std::string> machine_of_word(const std::string& word) {
  const bool tree = word.find(':') != word.npos;
  const char separator = tree ? ':' : 'x';
  if (word.find(separator) == word.npos ||
      word.find_first_not_of("0123456789" + std::string(1, separator)) != word.npos)
    return std::nullopt;
  for (const std::string_view size : split_at(word, separator))
    if (size.find_first_not_of('0') == size.npos)
      throw Error(word + ": expected numbers of at least 1, as in 4:4:4 for a tree or 8x8x8 for a torus");
  std::string text = (tree ? "tree " : "torus ") + word;
  std::replace(text.begin(), text.end(), separator, ' ');
  return text + "\n";
}

MachineFile read_machine_file(const std::string& path) {
  const bool exists = may_exist(path);
  if (const auto text = machine_of_word(path); text && !exists) return {path, *text};
  if (!exists && path != "-" && path.find_first_not_of("0123456789,") == std::string::npos)
    throw Error(path + ": file not found; the arities of a tree have colons between them, as in 4:4:4");
  const std::size_t colon = exists ? std::string::npos : path.rfind(".yaml:");
  if (colon != std::string::npos) {
    const std::string file = path.substr(0, colon + 5);
    return without_yaml({file, read_input_file(file)}, path.substr(colon + 6));
  }
  return without_yaml({path, read_input_file(path == "-" ? "/dev/stdin" : path)});
}

TrafficWeight weight_given(const CommandLine& line) {
  return from_command_line([&] { return traffic_weight(line.value_or("weight", "bytes")); });
}

// Returns the machine of a torus file, as read_machine() does.
static ClusterView torus_machine(const MachineFile& file, const std::string& slurm_conf, MapFaults& faults,
                                 const std::optional<NodeShape>& shape) {
  const std::string& path = file.path;
  TorusDescription description = parse_torus(file.text, path);
  faults = {description.faulty, description.fault_factor};
  ClusterView view;
  std::vector<NodeShape> shapes;
  std::shared_ptr<const TorusTopology> torus;
  std::string warning;
  if (!slurm_conf.empty()) {
    if (!description.named) throw Error(path + ": the topology names no nodes, so --slurm-conf has no effect");
    shapes = read_node_shapes(slurm_conf, read_site_topology);
    std::vector<std::string> names;
    for (const NodeShape& shape : shapes) names.push_back(shape.name);
    torus = std::make_shared<const TorusTopology>(torus_of(description, names, path, warning));
  } else if (description.named || shape) {
    shapes.assign(static_cast<std::size_t>(description.torus.nodes()), shape.value_or(NodeShape()));
    for (std::size_t node = 0; node < shapes.size(); ++node)
      shapes[node].name = description.torus.name(static_cast<std::int32_t>(node));
  }
  if (!torus) torus = std::make_shared<const TorusTopology>(std::move(description.torus));
  if (shapes.empty()) {
    const std::int32_t leaves[] = {torus->positions()};
    view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(leaves));
  } else {
    view = view_of_switches({}, shapes);
    for (NodeView& node : view.nodes) node.torus_node = torus->find(node.name);
  }
  view.torus = torus;
  view.warning = std::move(warning);
  return view;
}

ClusterView read_machine(const MachineFile& file, const std::string& slurm_conf, MapFaults& faults,
                         std::span<const std::int64_t> level_distance, const std::optional<NodeShape>& shape) {
  ClusterView view = is_torus_text(file.text) ? torus_machine(file, slurm_conf, faults, shape)
                                              : parse_topology(file, slurm_conf, level_distance, read_site_topology);
  if (!view.warning.empty()) std::fprintf(stderr, "placectl: %s\n", view.warning.c_str());
  return view;
}

std::shared_ptr<const NodeOutages> map_outages(const ClusterView& view, const MapFaults& faults,
                                               const std::optional<std::string>& file, double of_faulty) {
  if (!file && faults.faulty.empty()) return nullptr;
  NodeOutages outages = file ? read_outages(*file) : NodeOutages();
  const NodeOutages::Place unknown = outages.first_unknown([&](const std::string& name) {
    if (view.torus) return view.torus->find(name) >= 0;
    if (!view.nodes.empty()) return std::ranges::find(view.nodes, name, &NodeView::name) != view.nodes.end();
    const auto leaf = parse_integer(name);
    return leaf && *leaf >= 0 && *leaf < view.tree->leaves() && std::to_string(*leaf) == name;
  });
  if (!unknown.name.empty()) fail_at(*file, unknown.line, "the topology has no node or leaf " + shown(unknown.name));
  for (const std::int32_t position : faults.faulty)
    if (const std::string name = std::to_string(position); !outages.lists(name)) outages.set(name, of_faulty);
  return std::make_shared<const NodeOutages>(std::move(outages));
}

void drop_unusable(const ClusterView& view, std::vector<std::int32_t>& leaves) {
  std::vector<bool> unusable(static_cast<std::size_t>(view.tree->leaves()), false);
  for (const NodeView& node : view.nodes)
    for (std::int32_t core = 0; core < node.cores(); ++core)
      unusable[node.first_leaf + core] = !node.core_free[core] || (view.torus && node.torus_node < 0);
  std::erase_if(leaves, [&](std::int32_t leaf) { return unusable[leaf]; });
}

std::vector<std::int32_t> leaf_positions(const ClusterView& view) {
  std::vector<std::int32_t> position(static_cast<std::size_t>(view.tree->leaves()), -1);
  for (std::size_t leaf = 0; view.nodes.empty() && leaf < position.size(); ++leaf)
    position[leaf] = static_cast<std::int32_t>(leaf);
  for (const NodeView& node : view.nodes)
    for (std::int32_t core = 0; core < node.cores(); ++core)
      position[node.first_leaf + core] = node.torus_node < 0 ? -1 : view.torus->position(node.torus_node);
  return position;
}

static std::vector<std::int32_t> rank_positions(const ClusterView& view, std::span<const std::int32_t> leaf_of_rank) {
  const std::vector<std::int32_t> of_leaf = leaf_positions(view);
  std::vector<std::int32_t> position;
  for (const std::int32_t leaf : leaf_of_rank) {
    if (of_leaf[leaf] < 0) throw Error("a rank is on a node without coordinates, so its routes are unknown");
    position.push_back(of_leaf[leaf]);
  }
  return position;
}

static tofa::Assessment assess_on_torus(const ClusterView& view, const MapFaults& faults, const CommMatrix& matrix,
                                        std::span<const std::int32_t> leaf_of_rank) {
  const std::vector<std::int32_t> position = rank_positions(view, leaf_of_rank);
  std::vector<double> outage(static_cast<std::size_t>(view.torus->positions()), 0.0);
  for (std::int32_t node = 0; view.outages && node < view.torus->nodes(); ++node)
    outage[view.torus->position(node)] = view.outages->of(view.torus->name(node));
  std::vector<bool> faulty(outage.size(), false);
  for (const std::int32_t at : faults.faulty) faulty[at] = true;
  const std::vector<std::int32_t> extra(outage.size(), static_cast<std::int32_t>(faults.factor - 1));
  const tofa::RouteFaults routes(*view.torus, faulty, extra);
  return tofa::assess(*view.torus, matrix, position, outage, &routes);
}

static tofa::Assessment assess_on_tree(const ClusterView& view, const CommMatrix& matrix,
                                       std::span<const std::int32_t> leaf_of_rank) {
  const TreeTopology& tree = *view.tree;
  tofa::Assessment result;
  result.hop_bytes = tree.hop_bytes(matrix, leaf_of_rank);
  result.weighted_twice = 2 * result.hop_bytes;
  // Half of the traffic of a pair goes each way, so that the traffic of both ways is twice the load of one.
  result.link_load_twice = std::ranges::max(link_traffic(tree, matrix, leaf_of_rank));
  std::vector<std::string> name(static_cast<std::size_t>(tree.leaves()));
  for (std::int32_t leaf = 0; view.nodes.empty() && leaf < tree.leaves(); ++leaf) name[leaf] = std::to_string(leaf);
  for (const NodeView& node : view.nodes)
    for (std::int32_t core = 0; core < node.cores(); ++core) name[node.first_leaf + core] = node.name;
  std::set<std::string> used;
  for (const std::int32_t leaf : leaf_of_rank) used.insert(name[leaf]);
  result.nodes_touched = std::ssize(used);
  tofa::AnyFailure failure;
  for (const std::string& node : used) {
    const double outage = view.outages ? view.outages->of(node) : 0.0;
    if (!(outage > 0)) continue;
    ++result.suspects_touched;
    failure.add(outage);
  }
  result.abort_probability = failure.probability();
  return result;
}

Cost mapping_cost(const ClusterView& view, const CommMatrix& matrix, std::span<const std::int32_t> leaf_of_rank) {
  return view.torus ? tofa::hop_bytes(*view.torus, matrix, rank_positions(view, leaf_of_rank))
                    : view.tree->hop_bytes(matrix, leaf_of_rank);
}

tofa::Assessment assess_mapping(const ClusterView& view, const MapFaults& faults, const CommMatrix& matrix,
                                std::span<const std::int32_t> leaf_of_rank) {
  return view.torus ? assess_on_torus(view, faults, matrix, leaf_of_rank) : assess_on_tree(view, matrix, leaf_of_rank);
}

}  // namespace placement::tools
