// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/monitor_input.hpp"

#include <utility>

#include "config.h"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "tools/input/controller_input.hpp"

namespace placement::tools {

#ifdef BUILD_MONITOR
namespace {

protocol::MonitorAddress address_of_monitors(const Config& config) {
  read_slurm_hosts(slurm_conf_path());  // without a slurm.conf there is nobody to ask, and slurmctld is not waited for
  return protocol::monitor_address(slurm_conf_path(), read_controller().state.value_or(ControllerState{}), config);
}

}  // namespace

protocol::MonitorAnswer ask_monitors(const protocol::Query& query, const Config& config) {
  return protocol::ask_monitors(address_of_monitors(config), query);
}

protocol::DecisionAnswer ask_for_decisions(const Config& config, std::uint32_t job, double since_s) {
  protocol::Query query;
  query.kind = protocol::Query::Kind::decisions;
  query.job = job;
  query.since_s = since_s;
  const protocol::MonitorAnswer answer = ask_monitors(query, config);
  protocol::DecisionAnswer decisions = protocol::parse_answer_text(answer.text);
  decisions.told_by = described(answer);
  return decisions;
}

std::vector<MonitorReport> ask_each_monitor(std::span<const protocol::Query> queries, const Config& config) {
  protocol::MonitorAddress address = address_of_monitors(config);
  std::vector<MonitorReport> reports;
  for (const SlurmHost& host : std::exchange(address.controllers, {})) {
    address.controllers = {host};
    MonitorReport& report = reports.emplace_back();
    report.from = host.name;
    try {
      for (const protocol::Query& query : queries) {
        const std::string text = protocol::ask_monitors(address, query).text;
        for (const std::string_view note : split_at(text, '\n'))
          if (!note.empty()) report.notes.push_back(printable(note));
      }
    } catch (const Error& error) {
      report.trouble = error.what();
    }
  }
  return reports;
}
#else
namespace {

[[noreturn]] void fail_without_munge() {
  throw Error(
      "this placectl was built without munge, or with --disable-slurm-plugins: it cannot ask placement-monitor");
}

}  // namespace

protocol::MonitorAnswer ask_monitors(const protocol::Query&, const Config&) { fail_without_munge(); }

protocol::DecisionAnswer ask_for_decisions(const Config&, std::uint32_t, double) { fail_without_munge(); }

std::vector<MonitorReport> ask_each_monitor(std::span<const protocol::Query>, const Config&) { fail_without_munge(); }
#endif

std::string described(const protocol::MonitorAnswer& answer) { return "placement-monitor on " + answer.from; }

}  // namespace placement::tools
