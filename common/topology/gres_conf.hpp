// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace placement {

// A GPU of a node as gres.conf(5) describes it.
struct GpuShape {
  std::string file;                 // its device file; empty: not given
  std::vector<std::int32_t> cores;  // Cores=: the cores next to it, in Slurm's count from 0; empty: not given
  std::vector<std::int32_t> links =
      {};  // Links=: number of links to each GPU of the node, -1 for itself; empty: not given
};

// The GPUs of a node in the order in which Slurm numbers them, or why gres.conf does not give this order.
struct NodeGpus {
  std::optional<std::vector<GpuShape>> shapes;
  std::string why_not;  // why their order is unknown, with file and line; empty if it is known
  // Whether Slurm detects the GPUs of the node: AutoDetect= of the node has a value other than off. The line of the
  // node overrides the line for all nodes, in any order of the lines.
  bool detected = false;
};

// Returns the GPUs of the node `node` from the gres.conf `path` and the files that it includes. Their order is unknown
// if Slurm detects them (AutoDetect=), if they have several types, by which Slurm sorts them, or if a line is wrong.
// why_not then has the reason. Throws Error when a file cannot be read, and when its GPUs need more than 512 MiB.
NodeGpus read_gpu_shapes(const std::string& path, const std::string& node);

// Returns read_gpu_shapes() for each of the nodes; the file is read once. Appends the mistakes of the file to
// `mistakes`, each with file and line, up to 100 in all.
std::vector<NodeGpus> read_gpu_shapes(const std::string& path, std::span<const std::string> nodes,
                                      std::vector<std::string>* mistakes = nullptr);

}  // namespace placement
