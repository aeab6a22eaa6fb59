// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/gpus_of_job.hpp"

#include <cstddef>
#include <numeric>

#include "common/util/cpu_list.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::tools {

void check_gpus_of_job(const NodeTopology& node, const ClusterView& view, const std::vector<RankPlace>& places) {
  std::vector<std::int32_t> all(node.gpus.size());
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const NodeView& of_job = view.nodes[static_cast<std::size_t>(places[rank].node)];
    if (!of_job.gpus.empty() && of_job.gpus != all)
      throw Error("node " + shown(of_job.name) + " has GPUs " + format_cores(all) + " according to " +
                  printable(node.name) + ", but the job has only " + format_cores(of_job.gpus) +
                  ": allocate all GPUs of the nodes, as with --gpus-per-node=" + std::to_string(all.size()) +
                  ", or use srun -m TREEMATCH");
    if (of_job.core_free.size() != node.cores.size()) continue;  // hardware threads, or another kind of node
    for (const std::int32_t core : places[rank].cores)
      if (!of_job.core_free[static_cast<std::size_t>(core)])
        throw Error("rank " + std::to_string(rank) + " requires core " + std::to_string(core) + " of node " +
                    shown(of_job.name) +
                    ", which the job does not have: allocate whole nodes with --exclusive, or use srun -m TREEMATCH");
  }
}

}  // namespace placement::tools
