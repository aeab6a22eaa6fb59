// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/state_query.hpp"

#include "config.h"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "monitor/protocol/query_client.hpp"
#include "policies/table.hpp"

namespace placement::spank {

#ifdef BUILD_MONITOR
JobState ask_for_job_state(const ControllerState& controller, std::uint32_t job, std::span<const std::string> nodes) {
  protocol::Query query;
  query.kind = protocol::Query::Kind::job_state;
  query.job = job;
  query.text = compress_hostlist(nodes);
  constexpr double seconds = 2;
  return unpack_job_state(
      protocol::ask_monitors(protocol::monitor_address(slurm_conf_path(), controller, Config{}), query, seconds).text);
}
#else
JobState ask_for_job_state(const ControllerState&, std::uint32_t, std::span<const std::string>) {
  throw Error("this plugin was built without munge, which queries of placement-monitor require");
}
#endif

std::string add_missing_state(const PolicySpec& spec, ClusterView& view, std::uint32_t job,
                              std::span<const std::string> nodes, const ControllerState& controller) {
  if (view.torus || view.live || view.outages || !policies::check_policy_spec(spec).uses_live) return {};
  try {
    attach_job_state(view, ask_for_job_state(controller, job, nodes));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace placement::spank
