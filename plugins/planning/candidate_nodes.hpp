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
class CandidateNodes {
 public:
  // `machine`, `offer` and `request` must outlive the object. Throws Error with the reason if no policy can serve the
  // job, which then runs as stock Slurm would run it. An offer with `given` set leaves no choice of nodes.
  CandidateNodes(const Machine& machine, const placement_offer& offer, const placement_request& request,
                 const JobRequest& job_request, const Config& config);

  std::uint64_t tasks() const { return tasks_; }
  const std::shared_ptr<const CommMatrix>& matrix() const { return matrix_; }  // null if the job has none
  bool node_level() const { return node_level_; }    // the job has more tasks than NodeLevelTasks
  const std::string& note() const { return note_; }  // a remark for people, mostly empty

  std::uint32_t cpus_per_task() const { return cpus_per_task_; }
  std::uint32_t usable_threads() const { return usable_threads_; }  // threads of each core that the job may use
  std::uint32_t leaves_per_core() const { return leaves_per_core_; }
  std::uint32_t leaves_per_task() const { return leaves_per_task_; }

  // Returns the nodes that the policy may choose from, as indices into the offer, ascending.
  const std::vector<std::uint32_t>& nodes() const { return chosen_; }
  // Returns the nodes that must be used, as indices into nodes().
  const std::vector<std::int32_t>& required() const { return required_; }

  // Returns one byte per core of `node`, an index into the offer: 1 if the job may have the core, else 0.
  std::span<const std::uint8_t> cores(std::uint32_t node) const {
    return {offer_.core_free + offer_.first_core[node], offer_.core_free + offer_.first_core[node + 1]};
  }

  // Returns true if tasks may be planned on all free leaves of each node: no node or socket has a limit of tasks.
  bool all_leaves_usable() const { return !offer_.max_tasks && request_.tasks_per_socket == 0; }

  // Returns, for each leaf of `node`, an index into the offer, whether tasks may be planned on it. Only free leaves are
  // usable. Their number is limited by the largest numbers of tasks per socket and per node.
  std::vector<bool> usable_leaves(std::uint32_t node) const;

  // Returns the number of tasks that the usable leaves of `node`, an index into the offer, can take.
  std::uint64_t capacity(std::uint32_t node) const { return capacity_[node]; }

 private:
  void choose_tasks(const JobRequest& job_request, const Config& config);
  void choose_leaves();
  void choose_nodes(const Machine& machine, const Config& config);
  void keep_light_nodes();
  std::uint64_t capacity_of(std::uint32_t node) const;
  std::uint64_t room(std::span<const std::uint32_t> nodes) const;
  bool suffice(std::uint64_t room, std::size_t nodes) const { return room >= tasks_ && nodes >= request_.min_nodes; }

  const Machine& machine_;
  const placement_offer& offer_;
  const placement_request& request_;

  std::shared_ptr<const CommMatrix> matrix_;
  std::string note_;
  std::uint64_t tasks_ = 0;
  bool node_level_ = false;
  std::uint32_t cpus_per_task_ = 1;
  std::uint32_t usable_threads_ = 1;
  std::uint32_t leaves_per_core_ = 1;
  std::uint32_t leaves_per_task_ = 1;
  std::vector<std::uint64_t> capacity_;  // of each node of the offer
  std::vector<std::uint32_t> chosen_;
  std::vector<std::int32_t> required_;
};

}  // namespace placement::planning
