// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/allocation_state.hpp"

#include <cstdio>

#include "common/policy/config.hpp"
#include "common/slurm/controller_query.hpp"
#include "common/state/controller_state.hpp"
#include "spank/step/slurm_view.hpp"
#include "spank/step/state_query.hpp"

namespace placement::tools {

void take_plan(const std::string& command, const PolicySpec& spec, bool named, std::optional<std::uint32_t> component,
               spank::Allocation& allocation) {
  const auto tell = [&](const std::string& text) {
    std::fprintf(stderr, "placectl %s: %s\n", command.c_str(), text.c_str());
  };
  ControllerState controller = controller_state_of(ask_controller());
  spank::use_mode_of_partition(controller, allocation.step.job);
  if (!controller.mode.empty() && controller.mode != to_string(Mode::enforce))
    tell("Mode=" + controller.mode +
         " in slurmctld: srun leaves the ranks to Slurm, and this is what Mode=enforce would give");
  if (const std::string unread = spank::take_plan_of_allocation(allocation, component); !unread.empty()) tell(unread);
  if (!named) return;
  const std::string why =
      spank::add_missing_state(spec, allocation.view, allocation.step.job, allocation.step.nodes, controller);
  if (!why.empty())
    tell("slurmctld sent no torus, outage probabilities or measured network with the job, and " + why + ": " +
         spec.policy + " goes by Slurm's topology alone");
}

}  // namespace placement::tools
