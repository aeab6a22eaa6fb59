// SPDX-License-Identifier: GPL-2.0-or-later
// The metrics of the monitor, in Prometheus' text format.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "common/state/node_fields.hpp"
#include "common/util/error.hpp"
#include "common/util/prometheus_text.hpp"
#include "monitor/monitor/monitor.hpp"

namespace placement::monitor {

namespace {

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::string Monitor::metrics(double wall_s) {
  PrometheusText out;
  out.family("nodes", "gauge", "Nodes by liveness.");
  for (std::size_t i = 0; i < liveness_names.size(); ++i)
    out.value(static_cast<double>(watch_.by_liveness()[i]), {{"liveness", liveness_names[i]}});
  out.one("observer_in_doubt", "gauge", "1 while most nodes are silent at once.", watch_.table().in_doubt());
  out.one("publishing", "gauge", "1 while this monitor hands out leave to probe.", publisher_.publishing());
  out.one("term", "gauge", "Number of the term of the monitor that publishes.",
          static_cast<double>(publisher_.term(protocol::steady_s()).term));
  out.one("monitors_heard", "gauge", "Other monitors heard of late.",
          static_cast<double>(std::count_if(peers_.begin(), peers_.end(), [](const Peer& peer) {
            return protocol::steady_s() - peer.heard_s < 10;
          })));
  out.one("heartbeats_total", "counter", "Heartbeats taken.", static_cast<double>(heartbeats_));
  out.one("outages_total", "counter", "Unplanned outages noticed since the start.", static_cast<double>(watch_.outages()));
  out.family("refused_total", "counter", "Datagrams that were not taken, by reason.");
  for (std::size_t i = 1; i < sessions_.refused().size(); ++i)
    out.value(static_cast<double>(sessions_.refused()[i]), {{"reason", protocol::to_string(static_cast<protocol::Refusal>(i))}});
  out.one("leases_total", "counter", "Probes for which leave was given.", static_cast<double>(leases_given_));
  out.one("probe_results_total", "counter", "Probes that measured something.", static_cast<double>(results_));
  out.family("probe_outcomes_total", "counter", "What the nodes that began probes told of them.");
  for (std::size_t i = 1; i < outcomes_.size(); ++i)
    out.value(static_cast<double>(outcomes_[i]), {{"outcome", protocol::probe_outcome_names[i]}});
  out.one("bulk_leases_total", "counter", "Leave given for bulk streams between idle nodes.", static_cast<double>(bulk_leases_));
  out.one("bulk_results_total", "counter", "Bulk streams that measured something.", static_cast<double>(bulk_results_));
  out.one("pairs", "gauge", "Pairs of nodes of which a measurement is remembered.", static_cast<double>(pairs_.size()));
  out.one("snapshots_total", "counter", "Snapshots written.", static_cast<double>(snapshots_));
  decision_counts_.write(out);
  out.one("decisions_lost_total", "counter", "Decisions overwritten before they were read.",
          static_cast<double>(decisions_.overrun()));
  out.one("slurmctld_answer_age_seconds", "gauge", "Since slurmctld told the states of its nodes.",
          protocol::steady_s() - slurm_answered_s_);
  const auto& controller = slurm_.controller();
  out.one("slurmctld_refuses_snapshot", "gauge", "1 while slurmctld does not take the snapshot that is there; NaN: it does not say.",
          controller ? static_cast<double>(controller->live == LiveUse::refused) : unknown_value);
  out.one("slurmctld_runs_plugin", "gauge", "1 while slurmctld runs the select plugin of slurm-placement; NaN: it does not say.",
          controller ? static_cast<double>(!controller->mode.empty()) : unknown_value);
  out.family("slurmctld_mode", "gauge", "1 for the mode in force in slurmctld; none: it does not run the plugin, or does not say.");
  if (controller && !controller->mode.empty()) out.value(1, {{"mode", controller->mode}});
  double bytes = unknown_value;
  try {
    bytes = static_cast<double>(history_.bytes());
  } catch (const Error&) {  // the code that writes the history reports the error
  }
  out.one("history_bytes", "gauge", "Size of the history.", bytes);
  out.one("history_trouble", "gauge", "1 while the history cannot be written.", !trouble_history_.empty());
  out.one("history_pending", "gauge", "Outages and times of observation that are not written yet.",
          static_cast<double>(watch_.pending().size()));
  const OutageBook& book = watch_.book();
  out.one("outage_rate_per_node_hour", "gauge", "The constant rate of all nodes.", book.fleet_rate());
  out.family("estimator_log_loss", "gauge", "Mean log-loss of each estimator of outages.");
  out.value(book.score("constant").log_loss(), {{"estimator", "constant"}});
  for (const std::string_view name : outage_estimators) out.value(book.score(name).log_loss(), {{"estimator", name}});
  out.family("estimator_foretold_outages", "gauge", "Outages that each estimator foretold.");
  out.value(book.score("constant").foretold(), {{"estimator", "constant"}});
  for (const std::string_view name : outage_estimators) out.value(book.score(name).foretold(), {{"estimator", name}});
  out.one("estimator_seen_outages", "gauge", "Outages that happened in the time for which they were foretold.",
          book.score("constant").seen());
  out.family("estimator_in_use", "gauge", "1 for the estimator whose probabilities are published.");
  out.value(1, {{"estimator", watch_.estimator_in_use(now())}});
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  out.one("cpu_seconds_total", "counter", "Processor time of the monitor.",
          static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
              static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
  out.one("resident_bytes", "gauge", "Memory of the monitor.", resident_bytes());
  out.one("time_seconds", "gauge", "When this was written.", wall_s);
  return out.take();
}

void Monitor::write_metrics(double wall_s) {
  const std::string& path = settings_.config.metrics_file;
  if (path.empty()) return;
  say_once(trouble_metrics_, replace_metrics_file(path, metrics(wall_s)) ? "" : path + ": cannot be written");
}

}  // namespace placement::monitor
