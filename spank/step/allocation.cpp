// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/allocation.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "common/decision/job_state.hpp"
#include "common/decision/job_variables.hpp"
#include "common/decision/planned_ranks.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"
#include "config.h"
#include "monitor/protocol/query_client.hpp"
#include "policies/table.hpp"
#include "spank/request/job_decision.hpp"
#include "spank/request/shipped_request.hpp"
#include "spank/step/slurm_view.hpp"

namespace placement::spank {

namespace {

// Returns the value of a variable that every job has. Throws Error if it is not set.
std::string required(const std::string& name) {
  std::string value = environment_value(name);
  if (value.empty()) throw Error(name + " is not set in the environment of the allocation");
  return value;
}

std::int32_t positive(const std::string& name, const std::string& text) {
  const auto number = parse_integer(text);
  if (!number || *number < 1 || *number > INT32_MAX)
    throw Error(name + "=" + shown(text) + ": expected a number above 0");
  return static_cast<std::int32_t>(*number);
}

// Checks `component` of --het-group. Throws Error unless a heterogeneous job names one of its components, and any other
// job names none.
void check_component(std::optional<std::uint32_t> component) {
  const std::string size = environment_value("SLURM_HET_SIZE");
  if (size.empty() && component)
    throw Error("--het-group " + std::to_string(*component) + ": this job has no components");
  if (size.empty()) return;
  const std::int32_t components = positive("SLURM_HET_SIZE", size);
  if (!component)
    throw Error("this is a heterogeneous job: name one of its components by --het-group=0 to --het-group=" +
                std::to_string(components - 1));
  if (*component >= static_cast<std::uint32_t>(components))
    throw Error("--het-group " + std::to_string(*component) + ": the job has " + std::to_string(components) +
                " components, from 0 on");
}

// Returns whether a variable of slurmctld for the job `named` belongs to the job of the step. It may belong to another
// job, because a job inherits the variables of the job that submitted it. For a task of an array, slurmctld may use the
// job ID of the array.
bool is_of_job(std::uint32_t named, const StepShape& step) { return named == step.job || named == step.array_job; }

// Returns the number of tasks on each node from `text` in the form of SLURM_TASKS_PER_NODE, as "2(x3),1". Throws Error.
std::vector<std::int32_t> parse_tasks_per_node(const std::string& text) {
  const std::string name = "SLURM_TASKS_PER_NODE";
  std::vector<std::int32_t> tasks;
  for (const std::string_view part : split_at(text, ',')) {
    const std::size_t open = part.find("(x");
    std::int32_t times = 1;
    if (open != std::string_view::npos) {
      if (!part.ends_with(')'))
        throw Error(name + "=" + shown(text) + ": '" + shown(part) + "' has no closing bracket");
      times = positive(name, std::string(part.substr(open + 2, part.size() - open - 3)));
    }
    const std::int32_t count = positive(name, std::string(part.substr(0, open)));
    if (static_cast<std::size_t>(times) > max_hosts - tasks.size())
      throw Error(name + "=" + shown(text) + ": more than " + std::to_string(max_hosts) + " nodes");
    tasks.insert(tasks.end(), static_cast<std::size_t>(times), count);
  }
  return tasks;
}

}  // namespace

Allocation current_allocation(std::optional<std::uint32_t> component, const std::set<std::string>& kept) {
  if (environment_value("SLURM_JOB_ID").empty()) throw Error("no Slurm allocation here: SLURM_JOB_ID is not set");
  check_component(component);
  Allocation allocation;
  StepShape& step = allocation.step;
  const std::string id = component_variable("SLURM_JOB_ID", component),
                    tasks = component_variable("SLURM_TASKS_PER_NODE", component);
  step.job = static_cast<std::uint32_t>(positive(id, required(id)));
  step.nodes = expand_hostlist(std::string_view(required(component_variable("SLURM_JOB_NODELIST", component))));
  step.tasks = parse_tasks_per_node(required(tasks));
  if (step.tasks.size() != step.nodes.size())
    throw Error(tasks + " has " + std::to_string(step.tasks.size()) + " nodes, but SLURM_JOB_NODELIST has " +
                std::to_string(step.nodes.size()));
  const std::string cpus = component_variable("SLURM_CPUS_PER_TASK", component);
  if (const std::string text = environment_value(cpus); !text.empty()) step.cores_per_task = positive(cpus, text);
  step.rank0_host = environment_value("MASTER_ADDR");
  JobQuery query(step.job, true);
  allocation.controller = query.controller();
  allocation.configuration = query.configuration();
  step.array_job = query.shown_job().array_job;
  const std::set<std::string> held = kept.empty() ? query.nodes() : kept;
  for (std::size_t n = held.empty() ? 0 : step.nodes.size(); n-- > 0;) {
    if (held.contains(step.nodes[n])) continue;
    allocation.has_returned_nodes = true;
    step.nodes.erase(step.nodes.begin() + static_cast<std::ptrdiff_t>(n));
    step.tasks.erase(step.tasks.begin() + static_cast<std::ptrdiff_t>(n));
  }
  allocation.view = query.view(step.nodes, allocation.controller);
  return allocation;
}

std::string variable_of_job(const char* name, std::optional<std::uint32_t> component) {
  const std::string text = environment_value(component_variable(name, component));
  return text.empty() ? environment_value(name) : text;
}

std::string take_plan_of_job(StepShape& step, ClusterView& view, std::optional<std::uint32_t> component) {
  std::string unread;
  const auto take = [&](const char* name, const char* content, const auto& use) {
    const std::string text = variable_of_job(name, component);
    if (text.empty()) return;
    try {
      use(text);
    } catch (const Error& error) {
      if (!unread.empty()) unread += "; ";
      unread += std::string(name) + ": " + error.what() + ": ranks are placed without " + content;
    }
  };
  take(job_state_variable, "the state of the cluster", [&](const std::string& text) {
    if (is_of_job(job_of_state(text), step)) attach_job_state(view, unpack_job_state(text));
  });
  take(planned_ranks_variable, "the plan of the job", [&](const std::string& text) {
    PlannedRanks planned = unpack_planned_ranks(text);
    if (is_of_job(planned.job, step)) step.planned_ranks = std::move(planned.ranks);
  });
  return unread;
}

std::optional<PlacementRequest> request_of_allocation(std::optional<std::uint32_t> component) {
  const auto unpack = [](std::optional<std::uint32_t> of) {
    return unpack_request([of](const std::string& name) {
      return std::getenv(component_variable(job_environment_prefix + name, of).c_str());
    });
  };
  std::optional<PlacementRequest> received = unpack(component);
  if (!received && component) {
    received = unpack({});  // this request names the component to which it belongs
    if (received && received->component != static_cast<std::int32_t>(*component)) return std::nullopt;
  }
  return received;
}

StepShape with_cores(StepShape step, const ClusterView& view) {
  const bool one_thread =
      environment_value("SLURM_THREADS_PER_CORE") == "1" || environment_value("SLURM_HINT") == "nomultithread";
  const auto node = std::ranges::min_element(view.nodes, {}, &NodeView::threads_per_core);
  const std::int32_t threads = one_thread || node == view.nodes.end() ? 1 : std::max(node->threads_per_core, 1);
  step.cores_per_task = (step.cores_per_task + threads - 1) / threads;
  return step;
}

StepPlacement place_in(const Allocation& allocation, PlacementRequest placement_request, const MapLength& map_length) {
  const std::int64_t tasks = allocation.step.all_tasks();
  take_pattern(placement_request, static_cast<std::int32_t>(std::clamp<std::int64_t>(tasks, 1, CommMatrix::max_ranks)));
  if (placement_request.matrix && placement_request.matrix->ranks() != tasks)
    throw Error("the matrix has " + std::to_string(placement_request.matrix->ranks()) + " ranks, and the allocation " +
                std::to_string(tasks) + " tasks: allocate with -n " +
                std::to_string(placement_request.matrix->ranks()));
  return place_step(placement_request, with_cores(allocation.step, allocation.view), allocation.view, map_length);
}

std::string add_missing_state(const PolicySpec& spec, ClusterView& view, [[maybe_unused]] std::uint32_t job,
                              [[maybe_unused]] std::span<const std::string> nodes,
                              [[maybe_unused]] const ControllerState& controller) {
  if (view.torus || view.live || view.outages || !policies::check_policy_spec(spec).uses_live) return {};
#ifdef BUILD_MONITOR
  try {
    protocol::Query query;
    query.kind = protocol::Query::Kind::job_state;
    query.job = job;
    query.text = compress_hostlist(nodes);
    constexpr double seconds = 2;
    const auto address = protocol::monitor_address(slurm_conf_path(), controller, Config{});
    attach_job_state(view, unpack_job_state(protocol::ask_monitors(address, query, seconds).text));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
#else
  return "this plugin was built without munge, which queries of placement-monitor require";
#endif
}

}  // namespace placement::spank
