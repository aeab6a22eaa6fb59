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
      throw Error("node " + shown(of_job.name) + " has the GPUs " + format_cores(all) + " by " + printable(node.name) +
                  ", and the job has " + format_cores(of_job.gpus) +
                  " of them: allocate all GPUs of the nodes, as by --gpus-per-node=" + std::to_string(all.size()) +
                  ", or leave the GPUs to srun -m TREEMATCH");
    if (of_job.core_free.size() != node.cores.size()) continue;  // hardware threads, or another kind of node
    for (const std::int32_t core : places[rank].cores)
      if (!of_job.core_free[static_cast<std::size_t>(core)])
        throw Error(
            "rank " + std::to_string(rank) + " would have core " + std::to_string(core) + " of node " +
            shown(of_job.name) +
            ", which the job does not have: allocate whole nodes, as by --exclusive, or leave the cores to srun -m TREEMATCH");
  }
}

}  // namespace placement::tools
