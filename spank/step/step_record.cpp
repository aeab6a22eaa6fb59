// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/step_record.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "common/decision/planned_ranks.hpp"
#include "common/decision/step_records.hpp"
#include "common/util/environment.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"

namespace placement::spank {

namespace {

std::string ranks_of(const StepPlacement& placement) {
  constexpr std::size_t most_bytes = 3000;  // so that the record fits into its place
  RanksOfNodes ranks;
  for (const std::vector<std::uint32_t>& of_node : placement.ranks_of_node)
    ranks.emplace_back(of_node.begin(), of_node.end());
  return ranks_text(ranks, most_bytes);
}

}  // namespace

void record_step(const PlacementRequest& placement_request, const StepShape& step, const StepPlacement& placement) {
  Decision record;
  record.at_s = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  record.job_id = step.job;
  if (const auto array = parse_integer(environment_value("SLURM_ARRAY_JOB_ID")); array && *array > 0) {
    record.job_id = static_cast<std::uint32_t>(*array);
    record.array_task = std::to_string(*array) + "_" + environment_value("SLURM_ARRAY_TASK_ID");
  }
  record.step = std::to_string(step.step);
  record.restarts = static_cast<std::uint32_t>(parse_integer(environment_value("SLURM_RESTART_COUNT")).value_or(0));
  record.uid = geteuid();
  record.outcome = DECISION_NODES;
  record.tasks = static_cast<std::uint32_t>(step.all_tasks());
  record.policy = placement_request.spec.policy;
  record.given = compress_hostlist(step.nodes);
  if (placement_request.matrix) {
    record.cost = to_string(placement.cost);
    record.natural_cost = to_string(placement.natural_cost);
  }
  if (const std::string ranks = ranks_of(placement); !ranks.empty()) record.terms = {"ranks: " + ranks};
  StepRecords::of_user(environment_value("SLURM_CLUSTER_NAME"), std::getenv).put(record);
}

}  // namespace placement::spank
