// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/tofa_paper.hpp"

#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"
#include "tofa/torus_job.hpp"

namespace placement::tofa {

namespace {

class PaperJob : public TorusJob {
 public:
  PaperJob(const ClusterView& view, const Request& request, const Deadline& deadline)
      : TorusJob(view, request), deadline_(deadline) {}

  Placement paper() {
    if (!request_.node_tasks.empty()) {
      begin(slots_.leaves(request_.node_tasks));
      if (deadline_.expired()) return answer(natural_, "natural order, the time ended");
      const std::optional<std::vector<std::int32_t>> leaves = with_scotch(natural_, false);
      if (!leaves) throw PlacementError(STOCK_OTHER, "TOFA-PAPER maps ranks with SCOTCH, which is not at hand here");
      return answer(*leaves, "SCOTCH on the nodes given");
    }
    if (const auto window = first_window()) {
      begin(slots_.leaves(*window));
      const std::optional<std::vector<std::int32_t>> leaves = in_time(natural_, false);
      return answer(leaves ? *leaves : natural_, leaves ? "SCOTCH on the first healthy window" : "the first healthy window");
    }
    const mapping::NodeLimits all = limits_of(capacity());
    begin(slots_.leaves(sequential()));
    const std::optional<std::vector<std::int32_t>> leaves = in_time(slots_.leaves(all.capacity()), true);
    if (leaves && all.allow(slots_.counts(*leaves))) return answer(*leaves, "SCOTCH with raised weights");
    return answer(natural_, "natural order, there being no healthy window");
  }

 private:
  // Returns what with_scotch() returns, or nothing if the deadline has passed.
  std::optional<std::vector<std::int32_t>> in_time(const std::vector<std::int32_t>& leaves, bool raised) const {
    return deadline_.expired() ? std::nullopt : with_scotch(leaves, raised);
  }

  const Deadline deadline_;
};

}  // namespace

Placement place_tofa_paper(const ClusterView& view, const Request& request, const Deadline& deadline) {
  check_torus_request(view, request);
  if (!has_coordinates(view, request)) throw Error("TOFA-PAPER needs a torus: TorusFile in placement.conf");
  return PaperJob(view, request, deadline).paper();
}

}  // namespace placement::tofa
