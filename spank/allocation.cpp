// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/allocation.hpp"

#include <slurm/slurm.h>

#include <cstdlib>
#include <numeric>

#include "common/decision/job_state.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"
#include "spank/ship.hpp"
#include "spank/slurm_view.hpp"

namespace placement {

namespace {

std::string environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? value : "";
}

// A variable that every job has.
std::string required(const std::string& name) {
  const std::string value = environment(name);
  if (value.empty()) throw Error(name + " is not set in the environment of the allocation");
  return value;
}

std::int32_t positive(const std::string& name, const std::string& text) {
  const auto number = parse_integer(text);
  if (!number || *number < 1 || *number > INT32_MAX)
    throw Error(name + "=" + shown(text) + ": it should be a number above 0");
  return static_cast<std::int32_t>(*number);
}

}  // namespace

std::vector<std::int32_t> parse_tasks_per_node(const std::string& text) {
  const std::string name = "SLURM_TASKS_PER_NODE";
  std::vector<std::int32_t> tasks;
  for (const std::string_view part : split_at(text, ',')) {
    const std::size_t open = part.find("(x");
    std::int32_t times = 1;
    if (open != std::string_view::npos) {
      if (!part.ends_with(')')) throw Error(name + "=" + shown(text) + ": '" + shown(part) + "' has no closing bracket");
      times = positive(name, std::string(part.substr(open + 2, part.size() - open - 3)));
    }
    const std::int32_t count = positive(name, std::string(part.substr(0, open)));
    if (static_cast<std::size_t>(times) > max_hosts - tasks.size())
      throw Error(name + "=" + shown(text) + ": more than " + std::to_string(max_hosts) + " nodes");
    tasks.insert(tasks.end(), static_cast<std::size_t>(times), count);
  }
  return tasks;
}

Allocation current_allocation() {
  if (environment("SLURM_JOB_ID").empty()) throw Error("no Slurm allocation here: SLURM_JOB_ID is not set");
  if (!environment("SLURM_HET_SIZE").empty())
    throw Error("this is a heterogeneous job, whose components are placed one by one");
  Allocation allocation;
  StepShape& step = allocation.step;
  step.job = static_cast<std::uint32_t>(positive("SLURM_JOB_ID", required("SLURM_JOB_ID")));
  step.nodes = expand_hostlist(std::string_view(required("SLURM_JOB_NODELIST")));
  step.tasks = parse_tasks_per_node(required("SLURM_TASKS_PER_NODE"));
  if (step.tasks.size() != step.nodes.size())
    throw Error("SLURM_TASKS_PER_NODE is about " + std::to_string(step.tasks.size()) + " nodes, and SLURM_JOB_NODELIST has " +
                std::to_string(step.nodes.size()));
  if (const std::string cpus = environment("SLURM_CPUS_PER_TASK"); !cpus.empty())
    step.cores_per_task = positive("SLURM_CPUS_PER_TASK", cpus);
  slurm_init(nullptr);
  allocation.view = load_cluster_view(step.nodes, step.job);
  return allocation;
}

void take_state_of_allocation(Allocation& allocation) {
  const std::string text = environment(job_state_variable);
  if (text.empty()) return;
  const std::string job = std::to_string(job_of_state(text));
  if (job == environment("SLURM_JOB_ID") || job == environment("SLURM_ARRAY_JOB_ID"))
    attach_job_state(allocation.view, unpack_job_state(text));
}

std::optional<Wish> wish_of_allocation() {
  auto delivery = unpack_parcel(
      [](const std::string& name) { return std::getenv((job_environment_prefix + name).c_str()); });
  if (!delivery) return std::nullopt;
  return std::move(delivery->wish);
}

StepPlacement place_in(const Allocation& allocation, const Wish& wish) {
  const std::int64_t tasks = std::accumulate(allocation.step.tasks.begin(), allocation.step.tasks.end(), std::int64_t{0});
  if (wish.matrix && wish.matrix->ranks() != tasks)
    throw Error("the matrix has " + std::to_string(wish.matrix->ranks()) + " ranks, and the allocation " +
                std::to_string(tasks) + " tasks: allocate with -n " + std::to_string(wish.matrix->ranks()));
  return place_step(wish, allocation.step, allocation.view);
}

}  // namespace placement
