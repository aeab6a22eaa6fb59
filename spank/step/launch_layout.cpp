// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/launch_layout.hpp"

#include <sys/types.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "config.h"

namespace placement::spank {

namespace {

// The first fields of two structures in Slurm's src/common/plugstack.{c,h}. They are the same in Slurm 22.05 to 26.05.
struct Handle {
  int magic;
  void* plugin;
  int phase;
  void* job;
};
constexpr int handle_magic = 0x00a5a500;

struct LauncherJob {
  uid_t uid;
  gid_t gid;
  std::uint32_t job;
  std::uint32_t step;
  slurm_step_layout_t* layout;
};

// Returns true if srun is of the release that this plugin was compiled for. Only then are the structures above known.
bool running_release_is_ours(spank_t spank) {
  const char* running = nullptr;
  if (spank_get_item(spank, S_SLURM_VERSION, &running) != ESPANK_SUCCESS || !running) return false;
  const std::string_view built = SLURM_RELEASE;
  const std::string_view release = built.substr(0, built.find('.', built.find('.') + 1) + 1);
  return std::string(running).starts_with(release);
}

}  // namespace

slurm_step_layout_t* layout_of(spank_t spank) {
  uid_t uid = 0;
  std::uint32_t nodes = 0, tasks = 0;
  const auto number = step_number(spank);
  if (!number || !running_release_is_ours(spank) || spank_get_item(spank, S_JOB_UID, &uid) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_NNODES, &nodes) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &tasks) != ESPANK_SUCCESS)
    return nullptr;

  Handle handle{};
  std::memcpy(&handle, static_cast<const void*>(spank), sizeof handle);
  if (handle.magic != handle_magic || !handle.job) return nullptr;
  LauncherJob launcher{};
  std::memcpy(&launcher, handle.job, sizeof launcher);
  slurm_step_layout_t* const layout = launcher.layout;
  if (launcher.uid != uid || std::pair(launcher.job, launcher.step) != *number || !layout) return nullptr;
  if (layout->node_cnt != nodes || layout->task_cnt != tasks || nodes == 0 || tasks == 0) return nullptr;
  if (!layout->node_list || !layout->tasks || !layout->tids) return nullptr;
  return layout;
}

StepShape shape_of(const slurm_step_layout_t& layout, std::uint32_t job, std::uint32_t step) {
  StepShape shape{job, step, expand_hostlist(layout.node_list), {}, 1};
  shape.rank0_host = environment_value("MASTER_ADDR");
  if (shape.nodes.size() != layout.node_cnt)
    throw Error("the step has " + std::to_string(layout.node_cnt) + " nodes, but its list is " + layout.node_list);
  std::vector<bool> seen(layout.task_cnt, false);
  std::size_t total = 0;
  for (std::uint32_t node = 0; node < layout.node_cnt; ++node) {
    shape.tasks.push_back(layout.tasks[node]);
    for (std::uint32_t task = 0; task < layout.tasks[node]; ++task, ++total) {
      const std::uint32_t rank = layout.tids[node] ? layout.tids[node][task] : layout.task_cnt;
      if (rank >= layout.task_cnt || seen[rank]) throw Error("the step's tasks are not numbered 0..n-1");
      seen[rank] = true;
    }
  }
  if (total != layout.task_cnt) throw Error("the step's tasks per node do not add up");
  return shape;
}

void apply(const StepPlacement& placement, std::uint32_t distribution, slurm_step_layout_t& layout) {
  for (std::uint32_t node = 0; node < layout.node_cnt; ++node)
    std::copy(placement.ranks_of_node[node].begin(), placement.ranks_of_node[node].end(), layout.tids[node]);
  layout.task_dist = (layout.task_dist & SLURM_DIST_STATE_FLAGS) | distribution;
}

}  // namespace placement::spank
