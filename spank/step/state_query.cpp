// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/state_query.hpp"

#include "config.h"
#include "common/decision/job_state.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "monitor/protocol/query_client.hpp"
#include "policies/table.hpp"

namespace placement::spank {

std::string add_missing_state(const PolicySpec& spec, ClusterView& view, [[maybe_unused]] std::uint32_t job,
                              [[maybe_unused]] std::span<const std::string> nodes,
                              [[maybe_unused]] const ControllerState& controller) {
  if (view.torus || view.live || view.outages || !policies::check_policy_spec(spec).uses_live) return {};
#ifdef BUILD_MONITOR
  try {
    protocol::Query query;
    query.kind = protocol::Query::Kind::job_state;
    query.job = job;
    query.text = compress_hostlist(nodes);
    constexpr double seconds = 2;
    const auto address = protocol::monitor_address(slurm_conf_path(), controller, Config{});
    attach_job_state(view, unpack_job_state(protocol::ask_monitors(address, query, seconds).text));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
#else
  return "this plugin was built without munge, which queries of placement-monitor require";
#endif
}

}  // namespace placement::spank
