// SPDX-License-Identifier: GPL-2.0-or-later
// The symbols that Slurm looks up in loadmatrix.so. srun, sbatch and salloc load this file, and slurmstepd on the nodes
// does too. Each function calls the part of the plugin for the process that it runs in.
#include "spank/request/spank_api.hpp"

#include "common/util/file_size_signal.hpp"
#include "spank/client.hpp"
#include "spank/mpirun_plan.hpp"
#include "spank/profile/profiling.hpp"
#include "spank/task/batch_notice.hpp"
#include "spank/task/bind_task.hpp"

SPANK_PLUGIN_SYMBOLS("loadmatrix")

namespace {

bool in_client() {
  const spank_context_t context = spank_context();
  return context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR;
}

}  // namespace

EXPORTED int slurm_spank_init(spank_t spank, int, char**) {
  if (in_client()) placement::spank::client_begin(spank);
  if (spank_context() == S_CTX_REMOTE) placement::spank::register_options(spank);
  return ESPANK_SUCCESS;
}

EXPORTED int slurm_spank_init_post_opt(spank_t spank, int, char**) {
  const placement::WithoutFileSizeSignal without_signal;
  if (in_client()) placement::spank::client_options_done(spank);
  return ESPANK_SUCCESS;
}

EXPORTED int slurm_spank_local_user_init(spank_t spank, int, char**) {
  const placement::WithoutFileSizeSignal without_signal;
  if (in_client()) placement::spank::client_place_step(spank);
  return ESPANK_SUCCESS;
}

EXPORTED int slurm_spank_user_init(spank_t spank, int, char**) {
  try {
    if (spank_context() == S_CTX_REMOTE) placement::spank::note_step_gpus(spank);
  } catch (...) {
  }
  return ESPANK_SUCCESS;
}

// Always returns ESPANK_SUCCESS, because Slurm ends the task on any other value. A part that throws does not stop the
// next ones.
EXPORTED int slurm_spank_task_init(spank_t spank, int, char**) {
  const placement::WithoutFileSizeSignal without_signal;
  using namespace placement::spank;
  if (spank_context() != S_CTX_REMOTE) return ESPANK_SUCCESS;
  for (void (*const part)(spank_t) : {order_gpus, bind_task, profile_task, tell_batch_script, plan_mpirun_of_script})
    try {
      part(spank);
    } catch (...) {
    }
  return ESPANK_SUCCESS;
}

EXPORTED int slurm_spank_exit(spank_t, int, char**) {
  const placement::WithoutFileSizeSignal without_signal;
  if (in_client()) placement::spank::client_end();
  return ESPANK_SUCCESS;
}
