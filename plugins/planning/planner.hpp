// SPDX-License-Identifier: GPL-2.0-or-later
// The plan of a job, and the costs of its first step: on the planned cores before an allocation, and on the given ones
// after it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/decision/planned_ranks.hpp"
#include "common/policy/config.hpp"
#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/step_view.hpp"
#include "common/util/deadline.hpp"
#include "plugins/planning/policy_view.hpp"

namespace placement::planning {

// The input of one decision. All of it must outlive the object.
struct DecisionInput {
  const Machine& machine;
  const LiveNow& live;
  const placement_offer& offer;
  const placement_request& request;
  const JobRequest& job_request;
  const Config& config;
  bool without_matrix = false;  // the nodes are chosen for any traffic of the ranks, because the time is used up
};

// The costs of a job's first step on certain nodes and cores, as texts for its record. A text is empty if the cost is
// not known; without a matrix none is known.
struct StepCosts {
  std::string cost;                // hop-bytes with the ranks placed as srun will place them
  std::string natural_cost;        // hop-bytes on the same cores in natural order
  std::string stock_cost;          // natural order on Slurm's choice of nodes; if unknown, on the first nodes offered
  std::string busiest_link;        // busiest_link() of link_traffic.hpp for the placed ranks
  std::string stock_busiest_link;  // the busiest link for stock_cost, as in ", stock LINK"
  std::string ranks;               // ranks of each node that has any, as "0,5;1-3;4"; empty: too long for a record
};

// The hop-bytes of ranks on certain nodes, and the part of their traffic that does not leave nodes.
struct CostWithin {
  Cost cost = 0;
  Cost bytes_within = 0;      // of all pairs of ranks that are on one node; each pair counts once
  Cost hop_bytes_within = 0;  // each byte within nodes times the distance between its two ranks
};

// Returns counts in Slurm's form, for example "8(x2),3" for 8, 8, 3. A text of `most` characters or more ends in ",..".
template <typename Counts>
std::string run_lengths(const Counts& counts, std::size_t most) {
  std::string text;
  for (std::size_t at = 0, end = 0; at < counts.size(); at = end) {
    if (text.size() >= most) return text + ",..";
    while (end < counts.size() && counts[end] == counts[at]) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(counts[at]);
    if (end - at > 1) text += "(x" + std::to_string(end - at) + ")";
  }
  return text;
}

// Returns true if the job's policy uses the torus of the view, on which the tree's distances mean nothing.
bool on_torus(const ClusterView& view, const JobRequest& job_request);

// Returns the deadline of the search for ranks, with time until `deadline` for the work after it. `matrix` may be null.
Deadline end_of_search(const Deadline& deadline, const CommMatrix* matrix, const Config& config);

// Returns the text of busiest_link() for a placement of the job, which has a matrix; empty on a torus.
std::string busiest_of(const ClusterView& view, const JobRequest& job_request, const Placement& placement);

// Returns the ranks of each node that has any. Nodes are in their order, and the ranks of a node are in the order of
// its cores. The nodes of the placement have numbers below `nodes`.
RanksOfNodes ranks_of_used_nodes(const Placement& placement, std::size_t nodes);

// Sets the cost, the busiest link and the ranks of `costs` to those of a placement of the job's ranks in the view.
void set_placed(StepCosts& costs, const ClusterView& view, const JobRequest& job_request, const Placement& placement);

// The variables that slurmctld sends to the steps of a job that it has placed. An empty one is not sent.
struct StepVariables {
  std::string job_state;      // the value of PLACEMENT_STATE (common/decision/job_state.hpp)
  std::string planned_ranks;  // the value of PLACEMENT_RANKS (common/decision/planned_ranks.hpp)
};

// A job's first step on certain nodes and cores, as srun will see it. Throws Error if the policy cannot
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

  // Returns the hop-bytes of `placement`, which in_order() returned, and their part within nodes.
  CostWithin cost_within(const Placement& placement) const;

  // Places the ranks by the policy, as srun will with the variables `sent`, and sets the cost, the busiest link and the
  // ranks of `costs`. On a torus the effort is least, as in the choice of nodes: srun's would take too long.
  void place(StepCosts& costs, const StepVariables& sent, const Deadline& deadline) const;

 private:
  Request step_request() const;

  const DecisionInput& input_;
  const CandidateNodes& candidates_;
  const std::vector<std::int32_t> tasks_;
  const StepView step_;
};

// The nodes and cores that a policy chose, as indices into the offer.
struct Plan {
  std::vector<std::uint32_t> nodes;       // indices into the offer, ascending
  std::vector<std::uint32_t> tasks;       // the number of tasks on each of `nodes`
  std::vector<std::uint8_t> core_wanted;  // one byte per core, indexed as placement_offer::core_free
  std::uint32_t task_count = 0;
  bool cut_short = false;           // the search ended because its time had passed
  std::string note;                 // remarks for people, mostly empty
  std::string lacks;                // the policy and the data that were missing, for the job's user; mostly empty
  StepCosts costs;                  // on the planned cores
  std::optional<CostWithin> stock;  // of natural order on the nodes of stock_cost; not on a torus
  StepVariables for_steps;
  std::vector<std::string> terms;  // the policy's reasons for its choice
};

// Asks the job's policy for a placement, checks it, and converts it to a plan. `views` keeps the view for the next
// decision. Throws MustWait if the job has to wait because its user asked for that. Throws Error with the reason if the
// policy cannot serve the job, which then runs as stock Slurm would run it. A plan that is made without the job's
// matrix has the costs by the matrix in natural order, on the planned cores and on the first nodes of the offer.
Plan make_plan(const DecisionInput& input, PolicyViews& views, const Deadline& deadline);

// Sets the costs of stock in `plan` to those on the nodes that Slurm itself would choose, a host list. make_plan() made
// the plan for `input`. Returns false, with the plan unchanged, if the offer does not have these nodes. Throws Error if
// they cannot take the job.
bool use_stock_choice(const DecisionInput& input, const std::string& nodes, PolicyViews& views, Plan& plan,
                      const Deadline& deadline);

// Returns the costs of the job's first step on the nodes and cores `grant` that Slurm gave the job. `plan` was made for
// `input`, or is null if no policy chose the nodes. If the allocation is the plan, the plan's costs are returned.
// Otherwise the policy places the ranks anew, and `difference` gets a text for users about the difference. Returns
// nothing if `plan` is null and srun does not place the job's ranks by a matrix. Does not throw Error: costs that
// cannot be computed before `deadline` are empty.
std::optional<StepCosts> costs_on(const DecisionInput& input, const Plan* plan, const placement_grant& grant,
                                  const Deadline& deadline, std::string& difference);

}  // namespace placement::planning
