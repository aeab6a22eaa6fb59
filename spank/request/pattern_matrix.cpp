// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/request/pattern_matrix.hpp"

#include <memory>

#include "common/matrix/matrix_wire.hpp"
#include "pattern/pattern.hpp"

namespace placement::spank {

std::string take_pattern(PlacementRequest& placement_request, std::int32_t tasks) {
  const auto pattern = pattern::pattern_of(placement_request.spec.parameters);
  if (!pattern) return {};
  placement_request.matrix = nullptr;
  if (pattern->kind == pattern::Pattern::Kind::all_to_all &&
      pattern::pair_count(*pattern, tasks) > WireLimits{}.max_pairs)
    return "alltoall of " + std::to_string(tasks) + " ranks needs no matrix: the nearest nodes are best for it";
  placement_request.matrix = std::make_shared<const CommMatrix>(pattern::matrix_of(*pattern, tasks));
  return pattern::layout_note(*pattern, tasks);
}

std::optional<std::int32_t> tasks_of_pattern(const PlacementRequest& placement_request,
                                             std::optional<std::int32_t> tasks) {
  const auto pattern = pattern::pattern_of(placement_request.spec.parameters);
  if (!pattern) return std::nullopt;
  return tasks ? tasks : pattern::fixed_ranks(*pattern);
}

}  // namespace placement::spank
