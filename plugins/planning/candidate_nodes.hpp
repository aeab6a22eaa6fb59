// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "plugins/planning/job_request.hpp"
#include "plugins/planning/decision_types.h"
#include "plugins/planning/machine.hpp"

namespace placement::planning {

// Determines the number of tasks of one job, the leaves that each task takes, and the offered nodes that the job's
// policy may choose from. A leaf is a core, or a hardware thread if tasks share cores.
struct CandidateNodes {
  // `machine`, `offer` and `request` must outlive the object. Throws Error with the reason if no policy can serve the
  // job, which then runs as stock Slurm would run it. An offer with `given` set leaves no choice of nodes.
  CandidateNodes(const Machine& machine, const placement_offer& offer, const placement_request& request,
                 const JobRequest& job_request, const Config& config);

  std::uint64_t tasks = 0;
  std::shared_ptr<const CommMatrix> matrix;  // null if the job has none
  bool node_level = false;                   // the job has more tasks than NodeLevelTasks
  std::string note;                          // a remark for people, mostly empty
  std::uint32_t cpus_per_task = 1;
  std::uint32_t usable_threads = 1;  // threads of each core that the job may use
  std::uint32_t leaves_per_core = 1;
  std::uint32_t leaves_per_task = 1;
  std::vector<std::uint32_t> nodes;     // the policy may choose from them: indices into the offer, ascending
  std::vector<std::int32_t> required;   // the required nodes, as indices into `nodes`
  std::vector<std::uint64_t> capacity;  // for each node of the offer, the tasks that its usable leaves can take

  // Returns one byte per core of `node`, an index into the offer: 1 if the job may have the core, else 0.
  std::span<const std::uint8_t> cores(std::uint32_t node) const {
    return {offer_.core_free + offer_.first_core[node], offer_.core_free + offer_.first_core[node + 1]};
  }

  // Returns true if tasks may be planned on all free leaves of each node: no node or socket has a limit of tasks.
  bool all_leaves_usable() const { return !offer_.max_tasks && request_.tasks_per_socket == 0; }

  // Returns, for each leaf of `node`, an index into the offer, whether tasks may be planned on it. Only free leaves are
  // usable. Their number is limited by the largest numbers of tasks per socket and per node.
  std::vector<bool> usable_leaves(std::uint32_t node) const;

 private:
  void choose_tasks(const JobRequest& job_request, const Config& config);
  void choose_leaves();
  void choose_nodes(const Machine& machine, const Config& config);
  void keep_light_nodes();
  std::uint64_t capacity_of(std::uint32_t node) const;
  std::uint64_t room(std::span<const std::uint32_t> some_nodes) const;
  bool suffice(std::uint64_t room, std::size_t count) const { return room >= tasks && count >= request_.min_nodes; }

  const Machine& machine_;
  const placement_offer& offer_;
  const placement_request& request_;
};

}  // namespace placement::planning
