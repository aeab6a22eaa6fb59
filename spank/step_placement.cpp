// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/client.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <optional>
#include <string>

#include "common/decision/job_variables.hpp"
#include "common/decision/planned_ranks.hpp"
#include "common/decision/process_map.hpp"
#include "common/decision/step_records.hpp"
#include "common/policy/config.hpp"
#include "common/state/controller_state.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"
#include "policies/table.hpp"
#include "spank/profile/profiling.hpp"
#include "spank/request/client_options.hpp"
#include "spank/request/job_decision.hpp"
#include "spank/request/options.hpp"
#include "spank/request/sent_plan.hpp"
#include "spank/request/spank_api.hpp"
#include "spank/step/allocation.hpp"
#include "spank/step/gpu_order.hpp"
#include "spank/step/launch_layout.hpp"
#include "spank/step/slurm_view.hpp"
#include "spank/step/step_ranks.hpp"

namespace placement::spank {

namespace {

constexpr std::chrono::seconds time_for_gpu_order{1};
constexpr const char* gpu_order_variable = "PLACEMENT_GPU_ORDER";  // "no": ranks use the GPUs of their numbers

// Returns the component of the outer job whose job ID is `job`; 0 if the outer job has no components. Returns nothing
// if `job` is another job (srun --jobid).
std::optional<std::uint32_t> component_of(std::uint32_t job) {
  const std::string id = std::to_string(job);
  const std::int64_t components = parse_integer(environment_value("SLURM_HET_SIZE")).value_or(0);
  for (std::uint32_t component = 0; component < std::min<std::int64_t>(components, INT16_MAX); ++component)
    if (environment_value(component_variable("SLURM_JOB_ID", component)) == id) return component;
  if (components == 0 && client().outer_job == id) return 0;
  return std::nullopt;
}

// Returns the request that the job was submitted with. Returns nothing if it is for another component than that of
// this step, or if an option of this srun overrides it. For a step over several components, Slurm gives the job ID of
// the component whose thread comes first, so the component is not compared.
std::optional<PlacementRequest> request_of_job(std::uint32_t job) {
  const Client& self = client();
  if (self.outer_job.empty()) return std::nullopt;
  std::optional<PlacementRequest> request;
  if (const auto component = component_of(job)) request = request_of_allocation(component);
  if (!request && self.components != 1) request = request_of_allocation();
  if (!request) return std::nullopt;
  const PlacementOptions& options = self.last_options;
  if (options.distribution_given() && (options.distribution_on_command_line() || !request->overrides_distribution)) {
    tell_user("this step uses " + options.stock_distribution() + " instead of the job's policy " +
              request->spec.policy);
    return std::nullopt;
  }
  if (!self.hooked && client_option("distribution")) return std::nullopt;  // a stock -m that was not intercepted
  return request;
}

// Returns the name of the policy that the job was submitted with; empty if there is none or its request is damaged.
std::string policy_of_job(std::uint32_t job) {
  try {
    const auto of_job = request_of_job(job);
    return of_job ? of_job->spec.policy : "";
  } catch (const Error&) {
    return {};
  }
}

// Sends the plan of slots to the tasks of the step, unless the user binds them with --cpu-bind.
void tell_tasks(const StepShape& step, const StepPlacement& placement) {
  if (placement.slot_of_rank.empty() || !client_options_known() || client_option("cpu-bind")) return;
  const auto plan = encode_plan({step.job, step.step, placement.slot_of_rank});
  if (!plan) {
    slurm_info(
        "placement: %zu tasks are too many for a plan of cores: the policy chooses the node of each rank, and Slurm its cores",
        placement.slot_of_rank.size());
    return;
  }
  setenv(plan_variable, plan->c_str(), 1);
}

// Puts the order in force in the step: by --gpu-bind for one list, else by a plan for the tasks. Returns why that
// failed; empty if it did not.
std::string put_in_force(const GpuOrder& order, GpuLists lists, const StepShape& step, const StepPlacement& placement) {
  if (lists == GpuLists::per_node) {
    const auto plan = encode_plan({step.job, step.step, order.gpu_of_rank});
    if (!plan) return "the step has too many tasks for a plan of GPUs";
    setenv(gpu_plan_variable, plan->c_str(), 1);
    return {};
  }
  const auto gpu_of = [&](std::uint32_t rank) { return std::to_string(order.gpu_of_rank[rank]); };
  const std::string map = "map_gpu:" + joined(placement.ranks_of_node.front(), ",", gpu_of);
  return set_client_option("gpu-bind", map) ? "" : "srun does not accept --gpu-bind=" + map;
}

// Assigns linked GPUs to ranks of the step with much traffic between them, if gres.conf has links. Returns the text for
// the message of srun -v.
std::string give_gpus(const PlacementRequest& placement_request, const StepShape& step, const StepPlacement& placement,
                      const ClusterView& view) {
  unsetenv(gpu_plan_variable);  // it belongs to another step
  const bool has_gpus = std::ranges::any_of(view.nodes, [](const NodeView& node) { return !node.gpus.empty(); });
  if (!placement_request.matrix || !has_gpus) return {};
  const auto in_slurms_order = [](const std::string& why, const char* where = "") {
    return why.empty() ? "" : std::string("; GPUs in Slurm's order") + where + ": " + why;
  };
  if (environment_value(gpu_order_variable) == "no") return in_slurms_order(std::string(gpu_order_variable) + "=no");
  const GpuChoice choice = gpu_choice(client_option);
  if (!choice.lists) return in_slurms_order(choice.kept);
  const GpuOrder order = order_by_links(*placement_request.matrix, placement, step, view, gres_conf_path(),
                                        *choice.lists, Deadline::after(time_for_gpu_order));
  if (!order.changed) return in_slurms_order(order.kept);
  if (const std::string failed = put_in_force(order, *choice.lists, step, placement); !failed.empty())
    return in_slurms_order(failed);
  char text[200];
  std::snprintf(
      text, sizeof text,
      "; %.1f %% of the traffic within nodes uses links between GPUs, %.1f %% with GPUs in natural order (cost ratio %.3f)",
      100 * order.linked, 100 * order.natural_linked, order.cost_ratio);
  const char* const where = *choice.lists == GpuLists::per_node ? ", where each task sees all GPUs of the job" : "";
  return text + std::string(where) + in_slurms_order(order.kept, " elsewhere");
}

// Returns why srun may not place ranks; empty if it may. srun follows the administrator's Mode, which slurmctld
// reports. Where slurmctld has no mode, as without the select plugin, srun places ranks by itself.
std::string why_not_enforced(const ControllerState& controller) {
  if (controller.mode.empty() || controller.mode == mode_names[PLACEMENT_ENFORCE]) return {};
  return controller.failure.empty() ? "Mode=" + controller.mode + " in slurmctld" : controller.failure;
}

// Returns whether the step has the request of its job, so that the job's record may describe the step.
bool has_request_of_job(const PlacementRequest& placement_request, const StepShape& step) {
  if (!client().placement_request || !starts_step_of_old_job()) return true;
  const auto component = component_of(step.job);
  auto of_job = component ? request_of_allocation(component) : std::nullopt;
  if (!of_job || to_string(of_job->spec) != to_string(placement_request.spec)) return false;
  take_pattern(*of_job, static_cast<std::int32_t>(step.all_tasks()));
  const auto &own = placement_request.matrix, &jobs = of_job->matrix;
  return own && jobs ? *own == *jobs : own == jobs;
}

// Records the ranks of the step of `job` for its user's placectl explain. `note` is a remark on the placement. Without
// `placement`, it is the reason why the step runs in Slurm's order. If it cannot be written, for example on a full
// disk, the step still runs.
void record_step(const PlacementRequest& placement_request, const StepShape& step, const StepPlacement* placement,
                 const ShownJob& job, const std::string& note) try {
  Decision record;
  record.at_s = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  record.job_id = job.array_job;
  record.array_task = job.array_task;
  record.step = std::to_string(step.step);
  record.restarts = job.restarts;
  record.uid = geteuid();
  record.outcome = placement ? DECISION_NODES : DECISION_STOCK;
  if (!placement) record.reason = note;
  record.tasks = static_cast<std::uint32_t>(step.all_tasks());
  record.policy = placement_request.spec.policy;
  record.given = compress_hostlist(step.nodes);
  if (!has_request_of_job(placement_request, step)) {
    if (!placement) return;  // the failure does not concern the job's request
    record.reason = "srun's placement request differs from the job's";
  }
  if (placement && placement_request.matrix) {
    record.cost = to_string(placement->cost);
    record.natural_cost = to_string(placement->natural_cost);
  }
  RanksOfNodes ranks;
  for (std::size_t n = 0; placement && n < step.nodes.size(); ++n)
    ranks.emplace_back(placement->ranks_of_node[n].begin(), placement->ranks_of_node[n].end());
  StepRecords::add_terms(record, placement ? note : "", ranks);
  StepRecords::of_user(environment_value("SLURM_CLUSTER_NAME"), std::getenv).put(record);
} catch (const std::exception& error) {
  slurm_verbose("placement: placectl explain will not show the ranks of this step: %s", error.what());
}

// Records that the step runs in Slurm's order of ranks, for `reason`. Daemons of mpirun have no ranks.
void record_stock_step(spank_t spank, const std::optional<PlacementRequest>& placement_request, ShownJob job,
                       const std::string& reason) {
  const auto number = step_number(spank);
  const slurm_step_layout_t* const layout = layout_of(spank);
  if (!placement_request || !number || !layout || !launcher_daemon(spank).empty()) return;
  if (job.id == 0) job.array_job = number->first;  // slurmctld has not answered
  record_step(*placement_request, shape_of(*layout, number->first, number->second), nullptr, job, reason);
}

// Reports that the step is not placed, because of `why_not`. Records it if slurmctld has promised a placement.
void tell_not_enforced(spank_t spank, const std::optional<PlacementRequest>& placement_request, JobQuery& query,
                       const std::string& why_not) {
  const std::uint32_t job = query.job();
  // The user got this message when the job got its nodes. A step with its own request has the message now, and so has a
  // step of a job that started while policies were in force.
  const auto array = parse_integer(environment_value("SLURM_ARRAY_JOB_ID")).value_or(0);
  const bool began_in_force = ranks_are_promised(job, static_cast<std::uint32_t>(array),
                                                 variable_of_job(job_decision_variable, component_of(job)).c_str());
  if (began_in_force) record_stock_step(spank, placement_request, query.shown_job(), why_not);
  if (!client().outer_job.empty() && (client().placement_request || began_in_force))
    slurm_info("placement: %s: stock placement", why_not.c_str());
  else
    slurm_verbose("placement: %s: stock placement", why_not.c_str());
}

std::string told_costs(const PlacementRequest& placement_request, const StepPlacement& placement) {
  if (placement_request.matrix)
    return to_string(placement.cost) + " hop-bytes, in natural order " + to_string(placement.natural_cost);
  return (placement.reasons.empty() ? "" : placement.reasons.front()) + ", without a matrix";
}

// Asks placement-monitor for live data that the step's policy needs. A step may name a policy in a job without one,
// or in a job whose policy uses the switches only. slurmctld sends no state with these jobs.
void ask_for_what_lacks(const PlacementRequest& placement_request, ClusterView& view, const StepShape& step,
                        const ControllerState& controller) {
  if (!client().placement_request || !starts_step_of_old_job()) return;
  const std::string why = add_missing_state(placement_request.spec, view, step.job, step.nodes, controller);
  if (why.empty()) return;
  const bool same_policy = policy_of_job(step.job) == placement_request.spec.policy;
  slurm_info(
      "placement: step %u.%u by %s: the job has no torus, outage probabilities or measured network from slurmctld%s, "
      "and %s: the step uses Slurm's topology alone",
      step.job, step.step, placement_request.spec.policy.c_str(),
      same_policy ? "" : " (the job was not submitted with this policy)", why.c_str());
}

// Reports which data a policy that this srun names did not have for the step. If there were no data at all, the user
// has a message already. For a job's own policy, the user got it when the job got its nodes.
void tell_lack(const PlacementRequest& placement_request, const StepPlacement& placement, const ClusterView& view,
               const StepShape& step) {
  const PolicySpec& spec = placement_request.spec;
  if (!client().placement_request || !starts_step_of_old_job()) return;
  std::string lack;
  if (!placement.lack.empty() && view.live)
    lack = placement.lack + ": the step uses Slurm's topology alone";
  else if (policies::check_policy_spec(spec).avoids_faults && (view.torus || view.live) && !view.outages &&
           policy_of_job(step.job) != spec.policy)
    lack = std::string("no outages are known: the step uses ") + (view.torus ? "the torus" : "Slurm's topology") +
           " as if no node failed";
  if (!lack.empty())
    slurm_info("placement: step %u.%u by %s: %s", step.job, step.step, spec.policy.c_str(), lack.c_str());
}

// Reports the map from ranks to nodes that MPI gets. Returns, and reports, how its length has changed the placement.
std::string tell_map(const StepShape& step, const StepPlacement& placement, const ProcessMap& map,
                     const std::string& mpi, const std::string& policy) {
  const std::string type = mpi.empty() ? "an unknown --mpi" : "--mpi=" + mpi;
  const std::size_t most = longest_map(mpi);
  if (most == std::numeric_limits<std::size_t>::max()) {
    slurm_verbose("placement: step %u.%u: %s sends MPI no map of the ranks", step.job, step.step, type.c_str());
    return {};
  }
  slurm_verbose("placement: step %u.%u: MPI gets a map of %zu bytes, at most %zu with %s", step.job, step.step,
                map.text.size(), most, type.c_str());
  if (!placement.cost_of_best_order ||
      (placement.cost == *placement.cost_of_best_order && placement.worse_by.value_or(0) == 0))
    return {};
  const std::string costs =
      std::ranges::is_sorted(placement.ranks, {}, &RankPlace::node) ? "the ranks are in natural order"
      : *placement.cost_of_best_order == 0
          ? "the ranks are in another order"
          : to_string(placement.cost) + " hop-bytes in place of " + to_string(*placement.cost_of_best_order);
  const std::string text = "the map of the best order of the ranks is longer than the " + std::to_string(most) +
                           " bytes that MPI reads with " + type + ": " + costs + worse_text(placement, policy);
  slurm_info("placement: step %u.%u: %s", step.job, step.step, text.c_str());
  return text;
}

// Does the work of place_own_step() but records no failure. Sets `shown_job` when slurmctld has answered.
void place_or_throw(spank_t spank, std::optional<PlacementRequest>& placement_request, ShownJob& shown_job) {
  Client& self = client();
  std::unique_ptr<JobQuery> query = std::move(self.job_query);
  const auto number = step_number(spank);
  if (!number) return;
  const auto [job, step] = *number;
  // With -Z there is no job, and no decision about it.
  const bool own_job =
      self.outer_job.empty() && self.components == 1 && !client_option("jobid") && !client_option("no-allocate");
  if (own_job) tell_decision(job, 0, std::getenv(job_decision_variable));
  if (!placement_request) placement_request = request_of_job(job);
  if (!(placement_request || self.any_request)) return;
  const std::string daemon = launcher_daemon(spank);
  if (!query || query->job() != job) query = std::make_unique<JobQuery>(job);
  const ControllerState controller = query->controller();
  const std::string why_not = why_not_enforced(controller);
  if (!daemon.empty()) {
    if (placement_request && !client_option("quiet") && !request_variable(job_quiet_variable))
      tell_launcher(daemon, placement_request->spec.policy, self.mpirun_plan, why_not,
                    placement_request->automatic && !placement_request->matrix);
    return;
  }
  if (!why_not.empty()) return tell_not_enforced(spank, placement_request, *query, why_not);
  if (self.components != 1) throw Error("Slurm itself places a step over several components of a heterogeneous job");
  if (placement_request->automatic && !placement_request->matrix && self.looked_for_profile) return;

  slurm_step_layout_t* const layout = layout_of(spank);
  if (!layout) throw Error("srun's structure of the step differs from the one for which this plugin was compiled");
  if ((layout->task_dist & SLURM_DIST_STATE_BASE) == SLURM_DIST_ARBITRARY)  // from SLURM_HOSTFILE, with any -m
    throw Error("an arbitrary distribution already sets the node of each rank");
  if (placement_request->automatic && !placement_request->matrix)
    take_stored_profile(*placement_request, command_of_step(spank), static_cast<std::int32_t>(layout->task_cnt));
  if (placement_request->automatic && !placement_request->matrix) return;
  const std::string layout_note = take_pattern(*placement_request, static_cast<std::int32_t>(layout->task_cnt));
  if (!layout_note.empty() && !self.outer_job.empty()) slurm_verbose("placement: %s", layout_note.c_str());
  StepShape shape = shape_of(*layout, job, step);
  shape.cores_per_task = std::clamp(std::atoi(client_option("cpus-per-task").value_or("1").c_str()), 1, 1 << 16);
  ClusterView view = query->view(shape.nodes, controller);
  shown_job = query->shown_job();
  shape.array_job = shown_job.array_job;
  if (!view.warning.empty()) slurm_info("placement: step %u.%u: %s", job, step, view.warning.c_str());
  if (const std::string unread = take_plan_of_job(shape, view, component_of(job)); !unread.empty())
    slurm_info("placement: %s", unread.c_str());
  ask_for_what_lacks(*placement_request, view, shape, controller);
  const std::string mpi = mpi_type_in_force();
  const StepPlacement placement = place_step(*placement_request, shape, view, [&](const auto& ranks_of_node) {
    return static_cast<double>(shortest_map(ranks_of_node, mpi).text.size()) / static_cast<double>(longest_map(mpi));
  });
  const ProcessMap map = shortest_map(placement.ranks_of_node, mpi);
  tell_lack(*placement_request, placement, view, shape);
  apply(placement, map.plane ? SLURM_DIST_PLANE : SLURM_DIST_CYCLIC, *layout);
  tell_tasks(shape, placement);
  const std::string by_links = give_gpus(*placement_request, shape, placement, view);
  slurm_verbose("placement: step %u.%u by %s: %s%s", job, step, placement_request->spec.policy.c_str(),
                told_costs(*placement_request, placement).c_str(), by_links.c_str());
  const std::string map_note = tell_map(shape, placement, map, mpi, placement_request->spec.policy);
  for (std::size_t node = 0; node < shape.nodes.size(); ++node)
    if (placement.ranks_of_node[node].front() == 0) setenv(first_node_variable, shape.nodes[node].c_str(), 1);
  record_step(*placement_request, shape, &placement, shown_job, map_note);
}

}  // namespace

void place_own_step(spank_t spank, std::optional<PlacementRequest> placement_request) {
  ShownJob job;
  try {
    place_or_throw(spank, placement_request, job);
  } catch (const std::exception& error) {
    record_stock_step(spank, placement_request, job, error.what());
    throw;
  }
}

}  // namespace placement::spank
