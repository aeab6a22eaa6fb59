// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"
#include "plugins/planning/decision_types.h"
#include "plugins/planning/job_request.hpp"
#include "plugins/planning/live_feed.hpp"
#include "plugins/planning/machine.hpp"

// The input of a policy: the job's request, and the view of the nodes that the job may have.

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

// Returns the smaller of `value` and the largest int32_t.
std::int32_t clamped(std::uint64_t value);

// Returns the job's request as its policy takes it. The job's own parameters come first. Parameters that it does not
// give are taken from the policy of its partition, then from the site's configuration.
Request policy_request(const CandidateNodes& candidates, const placement_request& request,
                       const JobRequest& job_request, const Config& config);

// Returns the view of `nodes`, indices into the offer, with `leaves_per_core` leaves per core, all free.
ClusterView view_of(const Machine& machine, const LiveNow& live, const placement_offer& offer,
                    std::span<const std::uint32_t> nodes, std::uint32_t leaves_per_core);

// Keeps the view of one decision for the next one. The next view mostly differs by the nodes that a job got in between,
// so only nodes whose free cores changed are filled in again.
class PolicyViews {
 public:
  // Returns the view of the nodes of `candidates`; a leaf is free if tasks may be planned on it. The reference is valid
  // until the next call. After an exception nothing is kept.
  const ClusterView& of(const Machine& machine, const LiveNow& live, const placement_offer& offer,
                        const CandidateNodes& candidates);

 private:
  void change_nodes(const Machine& machine, const placement_offer& offer, const CandidateNodes& candidates);
  void change_cores(const CandidateNodes& candidates);

  const Machine* machine_ = nullptr;
  std::uint32_t leaves_per_core_ = 0;
  std::vector<std::int32_t> node_;                // for each node of the view, its index in the machine
  std::vector<std::vector<std::uint8_t>> cores_;  // for each node of the view, the free cores from which it was filled
  ClusterView view_;
};

}  // namespace placement::planning
