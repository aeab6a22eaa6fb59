// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/topology/gres_conf.hpp"

namespace placement {

// The inside of a compute node: its cores, GPUs and network interfaces, and their links.

struct NodeCore {
  std::int32_t number = 0;         // in Slurm's order of cores, package by package
  std::vector<std::int32_t> cpus;  // its hardware threads, as the kernel numbers them, ascending
  std::int32_t package = 0;
  std::int32_t numa = 0;
  std::int32_t cache = 0;  // the last-level cache
};

struct NodeGpu {
  std::string name;                 // PCI bus ID or device file
  std::vector<std::int32_t> cores;  // numbers of the cores next to it, ascending; empty: not known
  std::int32_t nic = -1;            // index of the nearest network interface; -1: not known
  std::string file = {};            // its device file; empty: not known
};

// How near two devices are to each other by PCI and the memory of the node.
enum class Closeness : std::int32_t { pci_switch = 0, numa = 1, package = 2, machine = 3 };

struct NodeTopology {
  static constexpr std::int32_t max_cores = 4096;
  static constexpr std::int32_t max_cpus = 16384;  // the kernel's CPU numbers are below this
  static constexpr std::int32_t max_gpus = 64;
  static constexpr std::int32_t max_nics = 64;

  std::string name;             // of the file or the description, for messages
  std::vector<NodeCore> cores;  // the cores that may be used, by number
  std::vector<NodeGpu> gpus;    // in the order in which Slurm numbers them
  std::vector<std::string> nics;
  std::vector<Closeness> closeness;     // of each pair of GPUs, gpus() * gpus() values
  std::vector<std::int64_t> bandwidth;  // of the direct link of each pair of GPUs, in any unit; 0: they have no link
  std::vector<std::int64_t> hops;       // number of links on the way between two GPUs; 0: not known. May be empty

  bool linked(std::size_t gpu, std::size_t other) const { return bandwidth[gpu * gpus.size() + other] > 0; }
};

// Reads the cores, GPUs and network interfaces of a node with libhwloc, for tools that run as the user. `source` is an
// XML file of hwloc of at most 16 MiB, or a synthetic description such as "package:2 core:8 pu:1". GPUs are sorted by
// their index in RSMI or NVML if each has one, else by PCI bus ID. A GPU gets the nearest InfiniBand or Slingshot
// interface, else the nearest other one; GPUs that are equally near to several get different ones. Throws Error on an
// incomplete file, on a node without cores, and on more parts than NodeTopology can hold.
NodeTopology read_node_topology(const std::string& source);

// Returns the cost of a byte between each two GPUs, gpus() * gpus() values, 0 for a GPU and itself, at most 2^30. A
// direct link costs 1000 * the largest bandwidth / its own, times its hops. GPUs without a link cost 1000 to 4000 more
// than the worst link, by their closeness. In addition, each step of closeness costs 10, so the nearer of two equal
// links is preferred.
std::vector<std::int64_t> gpu_costs(const NodeTopology& node);

// Adds the cores and links that `shapes` gives, in Slurm's order, to the GPUs of the node. A node without GPUs gets
// those of `shapes`. `source` is the name of the gres.conf. Throws Error when the numbers of GPUs differ, when there
// are none or too many, and when a core does not exist.
void take_gres_conf(NodeTopology& node, const std::vector<GpuShape>& shapes, const std::string& source);

// Returns the largest number of cores per rank, at least 1, for which a rank on each GPU has only cores next to its
// GPU. A GPU with unknown cores is next to all cores.
std::int32_t near_cores_per_gpu(const NodeTopology& node);

}  // namespace placement
