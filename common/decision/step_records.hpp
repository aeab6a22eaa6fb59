// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/decision/decision.hpp"
#include "common/decision/planned_ranks.hpp"

namespace placement {

// Records of steps in a file of the user who runs them. slurmctld never has the ranks of a step: its own record
// describes the plan, which srun may improve. If srun could not follow the policy, the outcome of the step is
// DECISION_STOCK, for a reason. The file has a fixed number of places of a fixed size, so it does not grow, and srun
// processes need no lock. A new step overwrites an older one.
class StepRecords {
 public:
  explicit StepRecords(std::string path) : path_(std::move(path)) {}

  // Returns the user's own file for a cluster: $XDG_STATE_HOME/slurm-placement/steps.CLUSTER, else
  // $HOME/.local/state/slurm-placement/steps.CLUSTER. `getenv` returns the value of a variable, or null. Throws Error
  // if no variable has an absolute path, or `cluster` is not a name.
  static StepRecords of_user(const std::string& cluster, const std::function<const char*(const char*)>& getenv);

  // Adds the terms of a step to its record: a remark if there is one, and the ranks of each node if their text has at
  // most 3,000 bytes. The remark is first, so that it fits into each record.
  static void add_terms(Decision& step, const std::string& remark, const RanksOfNodes& ranks);

  // Writes the record of a step; Decision::step must be a number. Decision::reason must not be empty if the step has
  // another policy, key or matrix than its job. Omits ranks that do not fit. Creates the file and its directories.
  // Throws Error if the file cannot be written.
  void put(const Decision& step) const;

  // Returns the records of the job's steps, the oldest first; none if the file does not exist. Skips damaged records.
  // Throws Error if the file cannot be read or belongs to another user.
  std::vector<Decision> of_job(std::uint32_t job) const;

 private:
  std::string path_;
};

// The start of a term that replaces the ranks of a plan: why a step ran in Slurm's order.
inline constexpr std::string_view slurms_order_term = "Slurm's order of ranks: ";

// Replaces the costs, the ranks and Decision::step in `decision`, slurmctld's record of a job, by those of the latest
// step. Only steps after the job start of this record count, and only steps that follow the job's request with all
// tasks on all nodes of the record. A step in Slurm's order has no cost and no ranks, and does not change a record of
// advice. `steps` are ordered by time.
void describe_step(Decision& decision, const std::vector<Decision>& steps);

}  // namespace placement
