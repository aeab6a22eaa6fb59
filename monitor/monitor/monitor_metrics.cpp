// SPDX-License-Identifier: GPL-2.0-or-later
// The part of Monitor that writes the metrics. placement-monitor(8) has their list.

#include <span>
#include <string>
#include <utility>

#include "common/state/node_fields.hpp"
#include "common/util/prometheus_text.hpp"
#include "monitor/monitor/monitor.hpp"

namespace placement::monitor {

// Counts datagrams that were not taken by the class of the reason; the log has the reason itself.
static void write_refused(PrometheusText& out, std::span<const std::uint64_t> refused) {
  double count[3] = {};
  for (std::size_t i = 1; i < refused.size(); ++i)
    count[static_cast<std::size_t>(protocol::class_of(static_cast<protocol::Refusal>(i)))] +=
        static_cast<double>(refused[i]);
  out.family("refused_total", "counter", "Refused datagrams, by reason.");
  for (const auto& [of, name] : {std::pair{protocol::RefusalClass::identity, "identity"},
                                 {protocol::RefusalClass::clock, "clock"},
                                 {protocol::RefusalClass::other, "other"}})
    out.value(count[static_cast<std::size_t>(of)], {{"reason", name}});
}

static void write_probe_outcomes(PrometheusText& out, std::span<const std::int64_t> outcomes) {
  double other = 0;
  out.family("probe_outcomes_total", "counter", "Probes by outcome, as reported by the node that started the probe.");
  for (std::size_t i = 1; i < outcomes.size(); ++i) {
    const std::string_view name = protocol::probe_outcome_names[i];
    if (name == "measured" || name == "no_answer")
      out.value(static_cast<double>(outcomes[i]), {{"outcome", name}});
    else
      other += static_cast<double>(outcomes[i]);
  }
  out.value(other, {{"outcome", "other"}});
}

// Returns the metrics in the text format of Prometheus. `wall_s` is the present time.
std::string Monitor::metrics(double wall_s) const {
  const ProbeCounts& probes = probing_.counts();
  PrometheusText out;
  out.family("nodes", "gauge", "Nodes by liveness.");
  for (std::size_t i = 0; i < liveness_names.size(); ++i)
    out.value(static_cast<double>(watch_.by_liveness()[i]), {{"liveness", liveness_names[i]}});
  out.one("observer_in_doubt", "gauge",
          "1 while most nodes are silent at once. The monitor then suspects its own network.",
          watch_.table().in_doubt());
  out.one("publishing", "gauge", "1 while this monitor is the leader, which grants leases for probes.", leads_);
  out.one("heartbeats_total", "counter", "Accepted heartbeats.", static_cast<double>(heartbeats_));
  out.one("outages_total", "counter", "Unplanned outages noticed since the start.",
          static_cast<double>(watch_.outages()));
  write_refused(out, port_.sessions.refused());
  out.one("leases_total", "counter", "Granted leases for probes.", static_cast<double>(probes.leases));
  write_probe_outcomes(out, probes.outcomes);
  out.one("pair_results_dropped_total", "counter",
          "Measurements of pairs that the monitor dropped because the pair table was full.",
          static_cast<double>(probing_.pairs().dropped()));
  out.one("snapshots_total", "counter", "Snapshots written since the start.",
          static_cast<double>(publisher_.written()));
  out.one("snapshot_trouble", "gauge", "1 while the snapshot cannot be written.", publisher_.in_trouble());
  keeper_.decisions().write(out);
  out.one("decisions_lost_total", "counter", "Decisions that slurmctld overwrote before the monitor read them.",
          static_cast<double>(keeper_.decisions_lost()));
  out.one("slurmctld_refuses_snapshot", "gauge", "1 while slurmctld rejects the current snapshot; NaN if not reported.",
          controller_ ? static_cast<double>(controller_->live == LiveUse::refused) : unknown_value);
  out.one("slurmctld_does_not_record", "gauge", "1 while slurmctld cannot record its decisions; NaN if not reported.",
          controller_ ? static_cast<double>(!controller_->not_recorded.empty()) : unknown_value);
  out.one("slurmctld_runs_plugin", "gauge",
          "1 while slurmctld runs the select plugin of slurm-placement; NaN if not reported.",
          controller_ ? static_cast<double>(!controller_->mode.empty()) : unknown_value);
  out.family("slurmctld_mode", "gauge",
             "1 for the mode in force in slurmctld. No sample if slurmctld does not report a mode.");
  if (controller_ && !controller_->mode.empty()) out.value(1, {{"mode", controller_->mode}});
  const bool has_times = controller_ && controller_->longest_hold_us >= 0;
  out.one("slurmctld_longest_hold_seconds", "gauge",
          "Longest time for which slurmctld held its locks to place one job with a policy, since its start; NaN if not "
          "reported.",
          has_times ? static_cast<double>(controller_->longest_hold_us) / 1e6 : unknown_value);
  out.one("slurmctld_decisions_over_limit", "gauge",
          "Decisions that took more processor time than DecisionTimeMs, since the start of slurmctld; NaN if not "
          "reported.",
          has_times ? static_cast<double>(controller_->decisions_over_limit) : unknown_value);
  out.one("configuration_notes", "gauge",
          "Messages in the log about unreadable or unused parts of configuration files.",
          static_cast<double>(configuration_.notes().size()));
  out.one("history_trouble", "gauge", "1 while the history cannot be written.", keeper_.in_trouble());
  out.one("time_seconds", "gauge", "Time when this file was written, in seconds since 1970.", wall_s);
  return out.take();
}

}  // namespace placement::monitor
