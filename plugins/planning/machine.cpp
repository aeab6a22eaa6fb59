// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/machine.hpp"

#include <span>

#include "common/topology/scontrol_topology.hpp"
#include "common/topology/topology_read.hpp"
#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"

namespace placement::planning {

Machine::Machine(const placement_machine& machine, const Config& config)
    : level_distances_(config.level_distances),
      from_file_(!config.treematch_topology_file.empty()) {
  for (const auto& given : std::span(machine.nodes, machine.node_count)) {
    nodes_.push_back({given.name, static_cast<std::int32_t>(given.sockets),
                      static_cast<std::int32_t>(given.cores_per_socket),
                      static_cast<std::int32_t>(given.threads_per_core)});
    if (config.cores_per_cache > 1) nodes_.back().cores_per_cache = static_cast<std::int32_t>(config.cores_per_cache);
  }
  if (machine.topology) switches_ = parse_scontrol_topology(machine.topology, nodes_);
  if (from_file_) {
    check_named_file(config, "TreematchTopologyFile", config.treematch_topology_file);
    const ClusterView& whole =
        views_.emplace(1, read_topology_of(config.treematch_topology_file, nodes_, level_distances_)).first->second;
    warn(whole.warning);
  }
  view(1);
  if (!config.torus_file.empty()) {
    check_named_file(config, "TorusFile", config.torus_file);
    const std::vector<std::string> names = node_names();
    std::string warning;
    torus_ = std::make_shared<const TorusTopology>(
        torus_of(read_torus(config.torus_file), names, config.torus_file, warning));
    // A node that the file does not have stays without coordinates. A policy that needs coordinates does not use it.
    for (const std::string& name : names) torus_node_.push_back(torus_->find(name));
    warn(warning);
  }
  if (!config.outage_file.empty()) {
    check_named_file(config, "OutageFile", config.outage_file);
    outages_ = std::make_shared<const NodeOutages>(read_outages(config.outage_file));
    warn(unknown_outage_node(*outages_, node_names(), config.outage_file));
  }
}

Machine::Machine(const Machine& cluster, const char* topology)
    : nodes_(cluster.nodes_),
      level_distances_(cluster.level_distances_),
      from_file_(false),
      torus_(cluster.torus_),
      torus_node_(cluster.torus_node_),
      outages_(cluster.outages_) {
  if (topology) switches_ = parse_scontrol_topology(topology, nodes_);
  view(1);
}

std::vector<std::string> Machine::node_names() const {
  std::vector<std::string> names;
  for (const NodeShape& node : nodes_) names.push_back(node.name);
  return names;
}

void Machine::warn(const std::string& text) { warning_ += (warning_.empty() || text.empty() ? "" : "; ") + text; }

const ClusterView& Machine::view(std::int32_t threads) const {
  const auto known = views_.find(threads);
  if (known != views_.end()) return known->second;
  if (from_file_) throw Error("tasks that share cores cannot be placed with TreematchTopologyFile");
  if (views_.size() >= max_views) throw PlacementError(STOCK_OTHER, "too many different numbers of threads per core");
  std::vector<NodeShape> shapes = nodes_;
  for (NodeShape& shape : shapes) {
    shape.cores_per_socket *= threads;
    shape.cores_per_cache *= threads;
  }
  return views_.emplace(threads, view_of_switches(switches_, shapes, level_distances_)).first->second;
}

}  // namespace placement::planning
