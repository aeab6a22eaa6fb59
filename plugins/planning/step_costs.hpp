// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/decision/planned_ranks.hpp"
#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/step_view.hpp"
#include "common/util/deadline.hpp"
#include "plugins/planning/candidate_nodes.hpp"
#include "plugins/planning/decision_input.hpp"

namespace placement::planning {

// The costs of a job's first step on certain nodes and cores, as texts for its record. A text is empty if the cost is
// not known; without a matrix, and with a coarsened one, none is known.
struct StepCosts {
  std::string cost;          // hop-bytes with the ranks placed as srun will place them
  std::string natural_cost;  // hop-bytes on the same cores in natural order
  std::string stock_cost;    // hop-bytes on the first nodes of the offer in natural order
  std::string busiest_link;  // with the ranks placed, as busiest_link() of link_traffic.hpp tells it
  std::string ranks;         // those of each node, as ranks_by_node() tells them
};

// Returns true if the job's policy goes by the torus of the view, on which the tree's distances mean nothing.
bool on_torus(const ClusterView& view, const JobRequest& job_request);

// Returns the time by which the search for ranks has to end, so that what follows it ends by `deadline`. `matrix` is
// null if the job has none.
Deadline end_of_search(const Deadline& deadline, const CommMatrix* matrix, const Config& config);

// Returns what busiest_link() tells of a placement of the job's ranks; an empty string on a torus, whose links are
// others. The job has a matrix.
std::string busiest_of(const ClusterView& view, const JobRequest& job_request, const Placement& placement);

// Returns the ranks of each node that has any, in the order of the nodes, and those of a node in the order of its
// cores. The nodes of the placement have numbers below `nodes`.
RanksOfNodes ranks_of_used_nodes(const Placement& placement, std::size_t nodes);

// Returns the ranks of each node that has any, in the order of the nodes, as "0,5;1-3;4"; an empty string where that is
// longer than a record has room for. The nodes of the placement have numbers below `nodes`.
std::string ranks_by_node(const Placement& placement, std::size_t nodes);

// What slurmctld sends to the steps of a job that it has placed; empty: nothing.
struct StepVariables {
  std::string job_state;      // the value of PLACEMENT_STATE (common/decision/job_state.hpp)
  std::string planned_ranks;  // the value of PLACEMENT_RANKS (common/decision/planned_ranks.hpp)
};

// A job's first step on certain nodes and cores, as srun will see it. Its functions throw Error if the policy cannot
// place the ranks there.
class FirstStep {
 public:
  // The step has tasks[n] tasks on nodes[n], indices into the offer. `core` has one byte per core, indexed as the
  // offer's core_free: 1 if the step may use the core. `input` and `candidates` must outlive the object.
  FirstStep(const DecisionInput& input, const CandidateNodes& candidates, std::span<const std::uint32_t> nodes,
            std::vector<std::int32_t> tasks, const std::uint8_t* core);

  const ClusterView& view() const { return step_.view; }

  // Returns the hop-bytes of the ranks in natural order.
  std::string natural_cost() const;

  // Returns the places of the ranks in natural order.
  Placement in_order(const Deadline& deadline) const;

  // Sets the cost, the busiest link and the ranks of `costs` to those with ranks placed by the policy, as
  // srun will place them by what is sent. On a torus srun's effort would take all of the time, and the cost is that of
  // the least effort, with which a choice of nodes is made, too.
  void set_placed(StepCosts& costs, const StepVariables& sent, const Deadline& deadline) const;

 private:
  Request step_request() const;

  const DecisionInput& input_;
  const CandidateNodes& candidates_;
  const std::vector<std::int32_t> tasks_;
  const StepView step_;
};

}  // namespace placement::planning
