// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/planned_ranks.hpp"

#include <algorithm>

#include "common/matrix/comm_matrix.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement {

std::string ranks_text(const RanksOfNodes& ranks, std::size_t max_bytes) {
  std::string text;
  for (std::size_t n = 0; n < ranks.size(); ++n) {
    text += (n == 0 ? "" : ";") + format_cores(ranks[n]);
    if (text.size() > max_bytes) return {};
  }
  return text;
}

std::string pack_planned_ranks(const PlannedRanks& planned, std::size_t max_bytes) {
  const std::string job = std::to_string(planned.job) + ".";
  const std::string ranks = ranks_text(planned.ranks, max_bytes - std::min(max_bytes, job.size()));
  return ranks.empty() ? ranks : job + ranks;
}

PlannedRanks unpack_planned_ranks(std::string_view text) {
  const std::size_t point = text.find('.');
  const auto job = parse_number<std::uint32_t>(text.substr(0, point));
  if (point == text.npos || !job) throw Error("'" + shown(text) + "' does not start with the number of a job");
  PlannedRanks planned{*job, {}};
  std::int64_t count = 0;
  for (const std::string_view node : split_at(text.substr(point + 1), ';')) {
    std::vector<std::int32_t>& ranks = planned.ranks.emplace_back();
    for (const std::string_view part : split_at(node, ',')) {
      const auto range = parse_range(part, CommMatrix::max_ranks);
      if (!range) throw Error("'" + shown(part) + "' is not a rank or a range of ranks");
      const auto [first, last] = *range;
      count += last - first + 1;
      if (count > CommMatrix::max_ranks)
        throw Error("there are more than " + std::to_string(CommMatrix::max_ranks) + " ranks");
      for (std::int32_t rank = first; rank <= last; ++rank) ranks.push_back(rank);
    }
  }
  return planned;
}

}  // namespace placement
