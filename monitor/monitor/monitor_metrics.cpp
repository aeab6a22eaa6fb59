// SPDX-License-Identifier: GPL-2.0-or-later
// The metrics of the monitor, in Prometheus' text format.
#include <algorithm>
#include <span>

#include "common/state/node_fields.hpp"
#include "common/util/prometheus_text.hpp"
#include "monitor/monitor/monitor.hpp"

namespace placement::monitor {

namespace {

// Counts datagrams that were not taken by the class of the reason; the journal has the reason itself.
void write_refused(PrometheusText& out, std::span<const std::uint64_t> refused) {
  double identity = 0, clock = 0, other = 0;
  for (std::size_t i = 1; i < refused.size(); ++i) {
    double* of = &other;
    switch (static_cast<protocol::Refusal>(i)) {
      case protocol::Refusal::bad_credential:
      case protocol::Refusal::wrong_user:
      case protocol::Refusal::forged:
      case protocol::Refusal::wrong_address: of = &identity; break;
      case protocol::Refusal::clock_skew: of = &clock; break;
      default: break;
    }
    *of += static_cast<double>(refused[i]);
  }
  out.family("refused_total", "counter", "Datagrams that were not taken: of another user, key or host, of another time, and others.");
  out.value(identity, {{"reason", "identity"}});
  out.value(clock, {{"reason", "clock"}});
  out.value(other, {{"reason", "other"}});
}

void write_probe_outcomes(PrometheusText& out, std::span<const std::int64_t> outcomes) {
  double other = 0;
  out.family("probe_outcomes_total", "counter", "What the nodes that began probes told of them.");
  for (std::size_t i = 1; i < outcomes.size(); ++i) {
    const std::string_view name = protocol::probe_outcome_names[i];
    if (name == "measured" || name == "no_answer" || name == "not_idle")
      out.value(static_cast<double>(outcomes[i]), {{"outcome", name}});
    else
      other += static_cast<double>(outcomes[i]);
  }
  out.value(other, {{"outcome", "other"}});
}

}  // namespace

std::string Monitor::metrics(double wall_s) {
  PrometheusText out;
  out.family("nodes", "gauge", "Nodes by liveness.");
  for (std::size_t i = 0; i < liveness_names.size(); ++i)
    out.value(static_cast<double>(watch_.by_liveness()[i]), {{"liveness", liveness_names[i]}});
  out.one("observer_in_doubt", "gauge", "1 while most nodes are silent at once.", watch_.table().in_doubt());
  out.one("publishing", "gauge", "1 while this monitor hands out leave to probe.", publisher_.publishing());
  out.one("monitors_heard", "gauge", "Other monitors heard of late.",
          static_cast<double>(std::count_if(peers_.begin(), peers_.end(), [](const Peer& peer) {
            return protocol::steady_s() - peer.heard_s < 10;
          })));
  out.one("heartbeats_total", "counter", "Heartbeats taken.", static_cast<double>(heartbeats_));
  out.one("outages_total", "counter", "Unplanned outages noticed since the start.", static_cast<double>(watch_.outages()));
  write_refused(out, sessions_.refused());
  out.one("leases_total", "counter", "Probes for which leave was given.", static_cast<double>(leases_given_));
  write_probe_outcomes(out, outcomes_);
  out.one("bulk_leases_total", "counter", "Leave given for bulk streams between idle nodes.", static_cast<double>(bulk_leases_));
  out.one("bulk_results_total", "counter", "Bulk streams that measured something.", static_cast<double>(bulk_results_));
  out.one("snapshots_total", "counter", "Snapshots written.", static_cast<double>(snapshots_));
  decision_counts_.write(out);
  out.one("decisions_lost_total", "counter", "Decisions overwritten before they were read.",
          static_cast<double>(decisions_.overrun()));
  const auto& controller = slurm_.controller();
  out.one("slurmctld_refuses_snapshot", "gauge", "1 while slurmctld does not take the snapshot that is there; NaN: it does not say.",
          controller ? static_cast<double>(controller->live == LiveUse::refused) : unknown_value);
  out.one("slurmctld_runs_plugin", "gauge", "1 while slurmctld runs the select plugin of slurm-placement; NaN: it does not say.",
          controller ? static_cast<double>(!controller->mode.empty()) : unknown_value);
  out.family("slurmctld_mode", "gauge", "1 for the mode in force in slurmctld; none: it does not run the plugin, or does not say.");
  if (controller && !controller->mode.empty()) out.value(1, {{"mode", controller->mode}});
  out.one("history_trouble", "gauge", "1 while the history cannot be written.", !trouble_history_.empty());
  out.one("time_seconds", "gauge", "When this was written.", wall_s);
  return out.take();
}

void Monitor::write_metrics(double wall_s) {
  const std::string& path = settings_.config.metrics_file;
  if (path.empty()) return;
  say_once(trouble_metrics_, replace_metrics_file(path, metrics(wall_s)) ? "" : path + ": cannot be written");
}

}  // namespace placement::monitor
