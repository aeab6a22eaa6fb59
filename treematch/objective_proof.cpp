// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/objective_proof.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "mapping/slots.hpp"
#include "treematch/treematch.hpp"

namespace placement::treematch {

namespace {

constexpr std::int64_t work_per_effort = 100'000;  // steps of the search through all placements

// Makes the reasons say what is proved: that no placement is better by the objective, or only that none has fewer
// hop-bytes. In the latter case placement.optimal says so, and is then set to false.
void claim_by_objective(Placement& placement, bool proved) {
  constexpr std::string_view claim = ", optimal";
  if (placement.reasons.empty()) return;
  std::string& reason = placement.reasons.front();
  if (reason.ends_with(claim)) reason.erase(reason.size() - claim.size());
  if (proved) reason += claim;
  if (placement.optimal && !proved) reason += ", optimal in hop-bytes";
  placement.optimal = placement.optimal && proved;
}

// Returns whether it is proved that no placement is better by the objective than `best`, which it replaces by a better
// one.
bool search_all(const ClusterView& view, const Request& request, const Placement& least, ObjectiveGoal goal,
                std::int32_t lowest, const Deadline& deadline, Placement& best) {
  if (!least.optimal && request.node_tasks.empty()) return false;
  if (least.optimal && goal.value == lowest && goal.cost == least.cost) return true;
  const ObjectiveSearchResult found =
      search_by_objective(view, request, std::move(goal), work_per_effort * effort_parameter(request), deadline);
  if (found.leaf_of_rank.empty()) return found.complete;
  best = mapping::Slots(view, request)
             .placement(found.leaf_of_rank, view.tree->hop_bytes(*request.matrix, found.leaf_of_rank),
                        least.natural_cost, "search by the objective");
  best.optimal = least.optimal && best.cost == least.cost;
  return found.complete;
}

}  // namespace

void search_for_proof(const ClusterView& view, const Request& request, const Placement& least, ObjectiveGoal goal,
                      std::int32_t lowest, const Deadline& deadline, Placement& best) {
  claim_by_objective(best, search_all(view, request, least, std::move(goal), lowest, deadline, best));
}

}  // namespace placement::treematch
