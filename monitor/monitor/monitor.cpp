// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/monitor.hpp"

#include <poll.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "common/state/node_fields.hpp"
#include "common/util/bytes.hpp"
#include "common/util/error.hpp"
#include "common/util/prometheus_text.hpp"
#include "monitor/monitor/history_keeper.hpp"
#include "monitor/monitor/mpi_pairs.hpp"
#include "monitor/monitor/node_switches.hpp"
#include "monitor/monitor/node_watch.hpp"
#include "monitor/monitor/probing.hpp"
#include "monitor/monitor/slurm_nodes.hpp"

namespace placement::monitor {

namespace {

constexpr int datagrams_at_once = 2048;
constexpr double recent_beat_s = 15;  // an agent that was not heard for this time is not counted as following anybody

Moment now() { return {protocol::steady_s(), static_cast<double>(protocol::wall_clock_ns()) / 1e9}; }

// Writes the number of refused datagrams for each class of reasons; the log has the reason itself.
void write_refused(PrometheusText& out, std::span<const std::uint64_t> refused) {
  double count[3] = {};
  for (std::size_t i = 1; i < refused.size(); ++i)
    count[static_cast<std::size_t>(protocol::class_of(static_cast<protocol::Refusal>(i)))] += refused[i];
  out.family("refused_total", "counter", "Refused datagrams, by reason.");
  for (const auto& [of, name] : {std::pair{protocol::RefusalClass::identity, "identity"},
                                 {protocol::RefusalClass::clock, "clock"},
                                 {protocol::RefusalClass::other, "other"}})
    out.value(count[static_cast<std::size_t>(of)], {{"reason", name}});
}

void write_probe_outcomes(PrometheusText& out, std::span<const std::int64_t> outcomes) {
  double other = 0;
  out.family("probe_outcomes_total", "counter", "Probes by outcome, as reported by the node that started the probe.");
  for (std::size_t i = 1; i < outcomes.size(); ++i) {
    const std::string_view name = protocol::probe_outcome_names[i];
    if (name == "measured" || name == "no_answer")
      out.value(outcomes[i], {{"outcome", name}});
    else
      other += outcomes[i];
  }
  out.value(other, {{"outcome", "other"}});
}

// The loop of run_monitor(). It passes the messages of agents and the answers of slurmctld to NodeWatch (which nodes
// are up, and their outages), Probing, HistoryKeeper and SnapshotPublisher.
class Monitor {
 public:
  Monitor(const MonitorSettings& settings, RunningConfiguration configuration, protocol::Credentials& credentials,
          const Log& log)
      : settings_(settings),
        configuration_(std::move(configuration)),
        log_(log),
        agent_settings_(protocol::agent_settings_text(settings_.config)),
        keeper_(settings_.config, settings_.decision_owners, log_),
        watch_(node_names(settings_.hosts), keeper_.history(), settings_.config.outage_estimator, log_, now()),
        port_{protocol::UdpSocket({{}, static_cast<std::uint16_t>(settings_.config.monitor_port)}),
              {credentials,
               static_cast<std::int32_t>(settings_.hosts.nodes.size()),
               {[this](const std::string& name) { return watch_.index(name); },
                [this](std::int32_t node, const protocol::NetAddress& from) { return has_address(node, from); }}}},
        probing_(settings_.config, configuration_.switches(), watch_, port_),
        publisher_(settings_.config.snapshot_file, static_cast<double>(settings_.config.outage_horizon_h) * 3600, log_),
        slurm_(settings_.slurm_conf, settings_.order),
        schedule_(watch_.nodes()),
        metrics_trouble_(log_),
        pairs_trouble_(log_),
        slurm_trouble_(log_),
        controller_trouble_(log_) {
    if (agent_settings_.size() > protocol::max_settings_text)
      throw Error("the settings for agents, such as ProbeInterface, are longer than " +
                  std::to_string(protocol::max_settings_text) + " bytes");
  }

  std::vector<SlurmHost> run(int stop_descriptor, const std::function<void()>& tend) {
    log_("monitor " + std::to_string(settings_.order + 1) + " of " +
         std::to_string(settings_.hosts.controllers.size()) + " for " + std::to_string(watch_.nodes()) +
         " nodes, on port " + std::to_string(settings_.config.monitor_port));
    if (const std::string warning = probe_budget_warning(settings_.config); !warning.empty()) log_(warning);
    for (const std::string& note : configuration_.notes()) log_(note);
    for (;;) {
      pollfd watched[] = {
          {stop_descriptor, POLLIN, 0}, {port_.socket.descriptor(), POLLIN, 0}, {slurm_.descriptor(), POLLIN, 0}};
      const double wait_s = schedule_.next_s() - protocol::steady_s();
      if (poll(watched, std::size(watched), std::clamp(static_cast<int>(wait_s * 1000) + 1, 0, 1000)) < 0 &&
          errno != EINTR)
        throw Error(std::string("poll: ") + std::strerror(errno));
      if ((watched[0].revents & POLLIN) != 0) break;
      const double now_s = protocol::steady_s();
      receive(now_s);
      hear_slurm(now_s);
      if (!joined_.empty()) break;
      if (schedule_.leases.due(now_s) && leads_) probing_.give_leases(now_s);
      if (schedule_.tick.due(now_s)) {
        tick();
        tend();
      }
    }
    log_(joined_.empty() ? "ends" : "starts again with " + std::to_string(joined_.size()) + " more nodes of slurmctld");
    keeper_.save(watch_, now());
    return std::move(joined_);
  }

 private:
  bool has_address(std::int32_t node, const protocol::NetAddress& from) {
    for (const protocol::NetAddress& known : addresses_.find(settings_.hosts.nodes[node].address, protocol::steady_s()))
      if (known.ip == from.ip) return true;
    return false;
  }

  void receive(double now_s) {
    for (int i = 0; i < datagrams_at_once; ++i) {
      const auto arrival = port_.socket.receive();
      if (!arrival) return;
      const protocol::ServerSessions::Received received =
          port_.sessions.receive(arrival->datagram, arrival->from, now_s);
      if (!received.reply.empty()) port_.socket.send(received.reply, arrival->from);
      if (protocol::class_of(received.refused) != protocol::RefusalClass::other && refused_lines_.take(now_s))
        log_("a datagram from " + protocol::to_string(arrival->from) + " is refused: " + to_string(received.refused));
      if (!received.message.empty()) take_message(received.peer, received.message, now_s);
    }
  }

  void take_message(std::int32_t node, protocol::ByteView message, double now_s) {
    if (const auto beat = protocol::decode<protocol::Heartbeat>(message))
      take_heartbeat(node, *beat);
    else if (const auto result = protocol::decode<protocol::ProbeResult>(message))
      probing_.take_result(node, *result, leads_, now_s);
  }

  void take_heartbeat(std::int32_t node, const protocol::Heartbeat& beat) {
    ++heartbeats_;
    const Moment moment = now();
    watch_.heartbeat(node, beat, moment);
    port_.send(node, protocol::encode(protocol::HeartbeatAck{beat.number, slurm_.next_to_active(moment.steady_s),
                                                             watch_.jobs(node)}));
    if (beat.settings != checksum(std::as_bytes(std::span(agent_settings_))) && (beat.flags & protocol::leaving) == 0)
      port_.send(node, protocol::encode(protocol::SettingsMessage{agent_settings_}));
  }

  void hear_slurm(double now_s) {
    const std::optional<SlurmAnswer> answer = slurm_.collect(now_s);
    if (!answer) return;
    controller_ = answer->controller;
    if (answer->whole) {
      for (const SlurmNode& node : answer->nodes)
        if (!watch_.index(node.name)) joined_.push_back(node.host());
      if (watch_.take_slurm_answer(answer->nodes, now())) schedule_.slurm.hurry(now_s + MonitorSchedule::slurm_again_s);
      slurm_trouble_.say("");
      if (controller_) controller_trouble_.say(trouble_of(*controller_));
    } else {
      slurm_trouble_.say(
          answer->denied
              ? "slurmctld shows this user no nodes (PrivateData=nodes): outages are classified without "
                "it; make the user an operator (sacctmgr, AdminLevel=Operator), or set MonitorUser to SlurmUser"
              : "slurmctld does not answer: outages are classified without it");
    }
  }

  // This monitor leads while more than half of the agents that it hears follow it. An agent follows one monitor at a
  // time and takes leases only from it. The only monitor of a cluster leads from its start.
  void count_followers(double now_s) {
    std::int32_t heard = 0, followers = 0;
    for (std::int32_t node = 0; node < watch_.nodes(); ++node) {
      if (!(now_s - watch_.table().last_heard_s(node) <= recent_beat_s)) continue;
      ++heard;
      followers += watch_.last_beat(node).follows == own_name();
    }
    const bool leads = settings_.hosts.controllers.size() == 1 || 2 * followers > heard;
    if (leads == std::exchange(leads_, leads)) return;
    log_(leads ? "is now the leader: grants leases for probes"
               : "is no longer the leader: most agents follow another monitor");
  }

  const std::string& own_name() const { return settings_.hosts.controllers[settings_.order].name; }

  void tick() {
    const Moment moment = now();
    count_followers(moment.steady_s);
    // Outages are judged even if the history cannot be written.
    if (watch_.tick(moment)) schedule_.snapshot.hurry(moment.steady_s);
    keeper_.keep(watch_, moment);
    probing_.drop_old_leases(moment.steady_s);
    if (const PairModel& pairs = probing_.pairs(); pairs.dropped() > 0)
      pairs_trouble_.say("the pair table is full (" + std::to_string(pairs.most()) +
                         " pairs): measurements of further pairs are dropped and replaced by the model");
    if (settings_.ask_slurm && schedule_.slurm.due(moment.steady_s))
      if (const std::string wrong = slurm_.ask(moment.steady_s); !wrong.empty())
        slurm_trouble_.say("cannot query slurmctld, and classifies outages without it: " + wrong);
    if (schedule_.snapshot.due(moment.steady_s)) {
      read_mpi_pairs();
      publish();
      for (const std::string& line : configuration_.refresh()) log_(line);
      probing_.take_switches(configuration_.switches());
    }
  }

  void read_mpi_pairs() {
    const std::string path = mpi_pairs_file(settings_.config);
    if (const FileIdentity found = identity_of(path); found == std::exchange(mpi_pairs_, found)) return;
    try {
      probing_.take_mpi_pairs(stored_mpi_pairs(path), now());
    } catch (const Error& error) {
      log_(std::string(error.what()) + ": the pairs in this file are not used");
    }
  }

  void publish() {
    if (watch_.nodes() == 0) return;  // slurmctld has no nodes yet
    std::optional<uid_t> only_for;
    if (configuration_.private_nodes())
      only_for = settings_.decision_owners.empty() ? 0 : settings_.decision_owners.back();
    publisher_.publish(watch_, probing_.pairs(), leads_, only_for, now());
    const std::string& path = settings_.config.metrics_file;
    if (path.empty()) return;
    try {
      replace_metrics_file(path, metrics(now().wall_s));
      metrics_trouble_.say("");
    } catch (const Error& error) {
      metrics_trouble_.say(std::string("the metrics cannot be written: ") + error.what());
    }
  }

  std::string metrics(double wall_s) const {
    const ProbeCounts& probes = probing_.counts();
    PrometheusText out;
    out.family("nodes", "gauge", "Nodes by liveness.");
    for (std::size_t i = 0; i < liveness_names.size(); ++i)
      out.value(watch_.by_liveness()[i], {{"liveness", liveness_names[i]}});
    out.one("observer_in_doubt", "gauge",
            "1 while most nodes are silent at once. The monitor then suspects its own network.",
            watch_.table().in_doubt());
    out.one("publishing", "gauge", "1 while this monitor is the leader, which grants leases for probes.", leads_);
    out.one("heartbeats_total", "counter", "Accepted heartbeats.", heartbeats_);
    out.one("outages_total", "counter", "Unplanned outages noticed since the start.", watch_.outages());
    write_refused(out, port_.sessions.refused());
    out.one("leases_total", "counter", "Granted leases for probes.", probes.leases);
    write_probe_outcomes(out, probes.outcomes);
    out.one("pair_results_dropped_total", "counter",
            "Measurements of pairs that the monitor dropped because the pair table was full.",
            probing_.pairs().dropped());
    out.one("snapshots_total", "counter", "Snapshots written since the start.", publisher_.written());
    out.one("snapshot_trouble", "gauge", "1 while the snapshot cannot be written.", publisher_.in_trouble());
    keeper_.decisions().write(out);
    out.one("decisions_lost_total", "counter", "Decisions that slurmctld overwrote before the monitor read them.",
            keeper_.decisions_lost());
    out.one("slurmctld_refuses_snapshot", "gauge",
            "1 while slurmctld rejects the current snapshot; NaN if not reported.",
            controller_ ? controller_->live == LiveUse::refused : unknown_value);
    out.one("slurmctld_does_not_record", "gauge", "1 while slurmctld cannot record its decisions; NaN if not reported.",
            controller_ ? !controller_->not_recorded.empty() : unknown_value);
    out.one("slurmctld_runs_plugin", "gauge",
            "1 while slurmctld runs the select plugin of slurm-placement; NaN if not reported.",
            controller_ ? !controller_->mode.empty() : unknown_value);
    out.family("slurmctld_mode", "gauge",
               "1 for the mode in force in slurmctld. No sample if slurmctld does not report a mode.");
    if (controller_ && !controller_->mode.empty()) out.value(1, {{"mode", controller_->mode}});
    const bool has_times = controller_ && controller_->longest_hold_us >= 0;
    out.one(
        "slurmctld_longest_hold_seconds", "gauge",
        "Longest time for which slurmctld held its locks to place one job with a policy, since its start; NaN if not "
        "reported.",
        has_times ? controller_->longest_hold_us / 1e6 : unknown_value);
    out.one("slurmctld_decisions_over_limit", "gauge",
            "Decisions that took more processor time than DecisionTimeMs, since the start of slurmctld; NaN if not "
            "reported.",
            has_times ? controller_->decisions_over_limit : unknown_value);
    out.one("configuration_notes", "gauge",
            "Messages in the log about unreadable or unused parts of configuration files.",
            configuration_.notes().size());
    out.one("history_trouble", "gauge", "1 while the history cannot be written.", keeper_.in_trouble());
    out.one("time_seconds", "gauge", "Time when this file was written, in seconds since 1970.", wall_s);
    return out.take();
  }

  const MonitorSettings& settings_;
  RunningConfiguration configuration_;  // knows what has changed since the start
  const Log& log_;
  std::string agent_settings_;  // the settings that are sent to agents
  AddressCache addresses_;
  HistoryKeeper keeper_;
  NodeWatch watch_;
  MonitorPort port_;
  bool leads_ = false;  // most agents follow this monitor, which grants leases for probes then
  Probing probing_;
  FileIdentity mpi_pairs_;  // the last version of the file of pairs by MPI that was read
  SnapshotPublisher publisher_;
  SlurmNodes slurm_;
  std::optional<ControllerState> controller_;  // the settings in force in slurmctld, by its last answer
  MonitorSchedule schedule_;
  std::vector<SlurmHost> joined_;                     // nodes of slurmctld that this monitor does not know
  std::int64_t heartbeats_ = 0;                       // taken since the start
  protocol::TokenBucket refused_lines_{1.0 / 60, 1};  // lines of the log about datagrams that were refused
  TroubleLog metrics_trouble_, pairs_trouble_, slurm_trouble_, controller_trouble_;
};

}  // namespace

std::vector<SlurmHost> run_monitor(const MonitorSettings& settings, RunningConfiguration configuration,
                                   protocol::Credentials& credentials, const Log& log, int stop_descriptor,
                                   const std::function<void()>& tend) {
  return Monitor(settings, std::move(configuration), credentials, log).run(stop_descriptor, tend);
}

}  // namespace placement::monitor
