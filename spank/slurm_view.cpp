// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/slurm_view.hpp"

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <unordered_map>

#include "core/error.hpp"
#include "core/switch_tree.hpp"

namespace placement {

namespace {

template <typename Message, void (*release)(Message*)>
struct Releaser {
  void operator()(Message* message) const { release(message); }
};
using Nodes = std::unique_ptr<node_info_msg_t, Releaser<node_info_msg_t, slurm_free_node_info_msg>>;
using Jobs = std::unique_ptr<job_info_msg_t, Releaser<job_info_msg_t, slurm_free_job_info_msg>>;
using Topology = std::unique_ptr<topo_info_response_msg_t,
                                 Releaser<topo_info_response_msg_t, slurm_free_topo_info_msg>>;

[[noreturn]] void fail(const std::string& what) {
  throw Error("cannot get " + what + " from slurmctld: " + slurm_strerror(errno));
}

Nodes load_nodes() {
  node_info_msg_t* message = nullptr;
  if (slurm_load_node(0, &message, SHOW_ALL) != SLURM_SUCCESS) fail("the nodes");
  return Nodes(message);
}

Topology load_topology() {
  topo_info_response_msg_t* message = nullptr;
  if (slurm_load_topo(&message) != SLURM_SUCCESS) fail("the topology");
  return Topology(message);
}

Jobs load_job(std::uint32_t job) {
  job_info_msg_t* message = nullptr;
  if (slurm_load_job(&message, job, SHOW_DETAIL) != SLURM_SUCCESS)
    fail("job " + std::to_string(job));
  return Jobs(message);
}

using IndexOf = std::unordered_map<std::string, std::int32_t>;

std::vector<NodeShape> shapes_of(const node_info_msg_t& message, IndexOf& index_of) {
  std::vector<NodeShape> shapes;
  for (std::uint32_t i = 0; i < message.record_count; ++i) {
    const node_info_t& node = message.node_array[i];
    if (!node.name) continue;  // a dynamic node that has gone
    index_of.emplace(node.name, static_cast<std::int32_t>(shapes.size()));
    shapes.push_back({node.name, std::max<std::int32_t>(node.sockets, 1),
                      std::max<std::int32_t>(node.cores, 1), std::max<std::int32_t>(node.threads, 1)});
  }
  return shapes;
}

// slurmctld lists all nodes below a switch; SwitchShape wants those that hang directly on it. From
// the leaves upwards, a node belongs to the first switch that names it.
std::vector<SwitchShape> switches_of(const topo_info_response_msg_t& message, const IndexOf& node_index) {
  std::vector<const topo_info_t*> records;
  for (std::uint32_t i = 0; i < message.record_count; ++i)
    if (message.topo_array[i].name) records.push_back(&message.topo_array[i]);
  std::stable_sort(records.begin(), records.end(),
                   [](const topo_info_t* a, const topo_info_t* b) { return a->level < b->level; });

  IndexOf switch_index;
  std::vector<SwitchShape> switches;
  std::vector<bool> placed(node_index.size(), false);
  for (const topo_info_t* record : records) {
    const auto self = static_cast<std::int32_t>(switches.size());
    SwitchShape shape{record->name, -1, {}};
    if (record->nodes && *record->nodes)
      for (const std::string& name : expand_hostlist(record->nodes)) {
        const auto found = node_index.find(name);
        if (found == node_index.end() || placed[static_cast<std::size_t>(found->second)]) continue;
        placed[static_cast<std::size_t>(found->second)] = true;
        shape.nodes.push_back(found->second);
      }
    if (record->switches && *record->switches)
      for (const std::string& name : expand_hostlist(record->switches)) {
        const auto found = switch_index.find(name);
        if (found != switch_index.end()) switches[static_cast<std::size_t>(found->second)].parent = self;
      }
    switch_index.emplace(record->name, self);
    switches.push_back(std::move(shape));
  }
  return switches;
}

// Of the node, only the cores that the job has stay free.
void keep_cores_of(const job_info_msg_t& message, NodeView& node) {
  std::vector<bool> owned(node.core_free.size(), false);
  bool found = false;
  for (std::uint32_t i = 0; i < message.record_count; ++i) {
    job_resources_t* const resources = message.job_array[i].job_resrcs;
    char list[16384];
    if (!resources || slurm_job_cpus_allocated_str_on_node(list, sizeof list, resources,
                                                           node.name.c_str()) != SLURM_SUCCESS)
      continue;
    found = found || mark_cores(list, owned);
  }
  if (!found) throw Error("slurmctld does not tell which cores of " + node.name + " the job has");
  node.core_free = owned;
}

}  // namespace

std::vector<std::string> expand_hostlist(const std::string& list) {
  const hostlist_t hosts = slurm_hostlist_create(list.c_str());
  if (!hosts) throw Error("'" + list + "' is not a list of nodes");
  std::vector<std::string> names;
  while (char* name = slurm_hostlist_shift(hosts)) {
    names.emplace_back(name);
    std::free(name);
  }
  slurm_hostlist_destroy(hosts);
  return names;
}

bool mark_cores(const std::string& list, std::vector<bool>& core) {
  const char* at = list.data();
  const char* const end = at + list.size();
  const auto number = [&at, end](std::size_t& value) {
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) return false;
    at = stop;
    return true;
  };
  for (;;) {
    std::size_t first = 0;
    if (!number(first)) return false;
    std::size_t last = first;
    if (at != end && *at == '-') {
      ++at;
      if (!number(last)) return false;
    }
    if (last < first || last >= core.size()) return false;
    std::fill(core.begin() + static_cast<std::ptrdiff_t>(first),
              core.begin() + static_cast<std::ptrdiff_t>(last) + 1, true);
    if (at == end) return true;
    if (*at++ != ',') return false;
  }
}

ClusterView load_cluster_view(std::span<const std::string> names, std::uint32_t job) {
  IndexOf index_of;
  const std::vector<NodeShape> shapes = shapes_of(*load_nodes(), index_of);
  const std::vector<SwitchShape> switches = switches_of(*load_topology(), index_of);
  ClusterView machine = view_of_switches(switches, shapes);

  ClusterView view;
  view.tree = machine.tree;
  for (const std::string& name : names) {
    const auto found = index_of.find(name);
    if (found == index_of.end()) throw Error("slurmctld shows no node " + name);
    view.nodes.push_back(machine.nodes[static_cast<std::size_t>(found->second)]);
  }
  if (job != 0) {
    const Jobs jobs = load_job(job);
    for (NodeView& node : view.nodes) keep_cores_of(*jobs, node);
  }
  return view;
}

}  // namespace placement
