// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/monitor.hpp"

#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "common/state/snapshot.hpp"
#include "common/util/checksum.hpp"
#include "common/util/error.hpp"
#include "monitor/protocol/agent_config.hpp"

namespace placement::monitor {

namespace {

constexpr double tick_s = 1;
constexpr double round_s = 0.1;          // time between two looks at the schedule of probes
constexpr double slurm_every_s = 10;
constexpr double slurm_every_large_s = 30;  // with many nodes, because the answer is long
constexpr std::int32_t large_nodes = 1000;
constexpr double slurm_again_s = 5;
constexpr double peers_every_s = 2;
constexpr double publish_every_s = 5;
constexpr double pairs_every_s = 300;
constexpr double table_share = 0.02;     // largest share of the time that is spent on the table of pairs
constexpr int datagrams_at_once = 2048;

WatchSettings watch_settings(const Config& config) {
  WatchSettings settings;
  settings.estimator = config.outage_estimator;
  return settings;
}

HistoryLimits history_limits(const Config& config) {
  return {static_cast<double>(config.history_days) * 86400, config.history_MiB << 20};
}

ScheduleSettings schedule_settings(const Config& config) {
  ScheduleSettings settings;
  settings.latency_period_s = static_cast<double>(config.probe_latency_s);
  settings.bandwidth_period_s = static_cast<double>(config.probe_bandwidth_s);
  settings.all_pairs_nodes = static_cast<std::int32_t>(config.probe_all_pairs_nodes);
  return settings;
}

// A pair has a bulk stream in at most one of six of its measurements.
BulkSettings bulk_settings(const Config& config) {
  BulkSettings settings;
  settings.every_s = 6 * static_cast<double>(config.probe_bandwidth_s);
  settings.node_pause_s = std::min(settings.node_pause_s, static_cast<double>(config.probe_bandwidth_s));
  return settings;
}

// A measurement is kept for several turns of its pair, even if these are far apart.
PairModelSettings pair_settings(const Config& config, const PairPlaces& places) {
  PairModelSettings settings;
  settings.all_pairs_nodes = static_cast<std::int32_t>(config.probe_all_pairs_nodes);
  const ProbeSchedule schedule(places.leaf_of_node, schedule_settings(config));
  settings.keep_s = std::max(settings.keep_s, 4 * schedule.period_s(Measurement::bandwidth));
  return settings;
}

protocol::NetAddress any_address(std::int64_t port) {
  protocol::NetAddress address;
  address.port = static_cast<std::uint16_t>(port);
  return address;
}

RingCursor ring_cursor(History& history) {
  RingCursor cursor;
  unsigned long long ring = 0, next = 0;
  if (std::sscanf(history.setting("ring").c_str(), "%llu %llu", &ring, &next) == 2) cursor = {ring, next};
  return cursor;
}

}  // namespace

std::string Monitor::history_path(const Config& config) { return config.state_directory + "/history.sqlite"; }

Monitor::Monitor(MonitorSettings settings, RunningConfiguration configuration, protocol::Credentials& credentials, Log log)
    : settings_(std::move(settings)),
      configuration_(std::move(configuration)),
      log_(std::move(log)),
      names_(node_names(settings_.hosts)),
      agent_settings_(protocol::agent_settings_text(settings_.config)),
      settings_taken_(names_.size()),
      socket_(any_address(settings_.config.monitor_port)),
      peer_socket_(protocol::NetAddress{}),
      history_(history_path(settings_.config), history_limits(settings_.config)),
      watch_(names_, history_, watch_settings(settings_.config), log_, now()),
      sessions_(credentials, static_cast<std::int32_t>(names_.size() + settings_.hosts.controllers.size()),
                [this](const std::string& name, const protocol::NetAddress& from) { return admit(name, from); }),
      publisher_(settings_.order, settings_.hosts.controllers[static_cast<std::size_t>(settings_.order)].name, {},
                 protocol::steady_s()),
      pairs_(read_pair_places(settings_.slurm_conf, names_),
             pair_settings(settings_.config, read_pair_places(settings_.slurm_conf, names_))),
      schedule_(read_pair_places(settings_.slurm_conf, names_).leaf_of_node, schedule_settings(settings_.config)),
      bulk_(bulk_settings(settings_.config)),
      slurm_(settings_.slurm_conf),
      decisions_(settings_.config.decision_file, ring_cursor(history_), settings_.decision_owners),
      next_pairs_s_(protocol::steady_s() + pairs_every_s),
      next_prune_s_(protocol::steady_s() + 60) {
  if (agent_settings_.size() > protocol::max_settings_text)
    throw Error("the settings for agents (ProbeInterface and others) are longer than " +
                std::to_string(protocol::max_settings_text) + " bytes");
  tell_moved_history();
  for (std::size_t i = 0; i < settings_.hosts.controllers.size(); ++i) {
    Peer peer;
    peer.order = static_cast<std::int32_t>(i);
    if (peer.order < settings_.order)
      peer.session.emplace(credentials,
                           peer_name(settings_.hosts.controllers[static_cast<std::size_t>(settings_.order)].name));
    peers_.push_back(std::move(peer));
  }
  for (const PairRecord& record : history_.pairs()) {
    const auto a = watch_.index(record.a), b = watch_.index(record.b);
    if (a && b) pairs_.remember_peak(*a, *b, record.peak_bandwidth_Bps);
  }
}

Moment Monitor::now() const { return {protocol::steady_s(), static_cast<double>(protocol::wall_clock_ns()) / 1e9}; }

void Monitor::say_once(std::string& kept, const std::string& text) {
  if (text == kept) return;
  kept = text;
  if (!text.empty()) log_(text);
}

// Returns the number of a sender: nodes come first, then the monitors.
std::optional<std::int32_t> Monitor::admit(const std::string& name, const protocol::NetAddress& from) {
  const SlurmHost* host = nullptr;
  std::int32_t number = -1;
  if (const auto node = watch_.index(name)) {
    number = *node;
    host = &settings_.hosts.nodes[static_cast<std::size_t>(*node)];
  }
  for (std::size_t i = 0; i < settings_.hosts.controllers.size() && !host; ++i)
    if (name == peer_name(settings_.hosts.controllers[i].name)) {
      number = static_cast<std::int32_t>(names_.size() + i);
      host = &settings_.hosts.controllers[i];
    }
  if (!host) return std::nullopt;
  for (const protocol::NetAddress& known : addresses_.find(host->address, protocol::steady_s()))
    if (known.ip == from.ip) return number;
  return std::nullopt;
}

void Monitor::receive(double now_s) {
  for (int i = 0; i < datagrams_at_once; ++i) {
    const auto arrival = socket_.receive();
    if (!arrival) return;
    const protocol::ServerSessions::Received received = sessions_.receive(arrival->datagram, arrival->from, now_s);
    if (!received.reply.empty()) socket_.send(received.reply, arrival->from);
    if (!received.message.empty()) take_message(received.peer, received.message, now_s);
  }
}

void Monitor::receive_as_client(double now_s) {
  for (int i = 0; i < datagrams_at_once; ++i) {
    const auto arrival = peer_socket_.receive();
    if (!arrival) return;
    for (Peer& peer : peers_) {
      if (!peer.session || !peer.address || *peer.address != arrival->from) continue;
      const protocol::ClientSession::Received received = peer.session->receive(arrival->datagram, now_s);
      if (!received.reply.empty()) peer_socket_.send(received.reply, *peer.address);
      if (!received.note.empty())
        say_once(peer.last_note, "monitor on " + settings_.hosts.controllers[static_cast<std::size_t>(peer.order)].name +
                                     ": " + received.note);
      if (!received.message.empty()) take_peer_message(peer, received.message, now_s);
    }
  }
}

void Monitor::take_message(std::int32_t number, protocol::ByteView message, double now_s) {
  if (number >= static_cast<std::int32_t>(names_.size())) {
    take_peer_message(peers_[static_cast<std::size_t>(number) - names_.size()], message, now_s);
    return;
  }
  switch (protocol::message_kind(message).value_or(protocol::MessageKind::accept)) {
    case protocol::MessageKind::heartbeat:
      if (const auto beat = protocol::decode_heartbeat(message)) take_heartbeat(number, *beat, now_s);
      break;
    case protocol::MessageKind::probe_result:
      if (const auto result = protocol::decode_probe_result(message)) take_result(number, *result, now_s);
      break;
    case protocol::MessageKind::settings_taken:
      if (const auto taken = protocol::decode_settings_taken(message)) take_settings_taken(number, *taken);
      break;
    default: break;
  }
}

void Monitor::take_settings_taken(std::int32_t node, const protocol::SettingsTaken& taken) {
  if (taken.checksum == checksum(std::as_bytes(std::span(agent_settings_)))) settings_taken_[static_cast<std::size_t>(node)] = taken.agent_start_id;
}

void Monitor::take_heartbeat(std::int32_t node, const protocol::Heartbeat& beat, double) {
  ++heartbeats_;
  const Moment moment = now();
  watch_.heartbeat(node, beat, moment);
  if (settings_taken_[static_cast<std::size_t>(node)] != beat.agent_start_id && (beat.flags & protocol::leaving) == 0)
    socket_.send(sessions_.seal(node, protocol::encode(protocol::SettingsMessage{agent_settings_})),
                 sessions_.address(node));
  protocol::HeartbeatAck ack{beat.number, publisher_.term(moment.steady_s), watch_.jobs(node)};
  socket_.send(sessions_.seal(node, protocol::encode(ack)), sessions_.address(node));
}

void Monitor::tick() {
  const Moment moment = now();
  hear_agents(moment.steady_s);
  if (publisher_.tick(moment.steady_s, static_cast<std::uint64_t>(moment.wall_s * 1000)))
    log_(publisher_.publishing() ? "publishes from now on, term " + std::to_string(publisher_.term(moment.steady_s).term)
                                 : "publishes no more: " + publisher_.term(moment.steady_s).publisher + " does, term " +
                                       std::to_string(publisher_.term(moment.steady_s).term));
  keep_history();
  std::erase_if(leases_, [&](const auto& entry) { return moment.steady_s > entry.second.until_s + 2; });
  if (moment.steady_s >= next_peers_s_) {
    next_peers_s_ = moment.steady_s + peers_every_s;
    try {
      keep_peers(moment.steady_s);
    } catch (const DatabaseError& error) {
      history_trouble(error);
    }
  }
  if (settings_.ask_slurm && moment.steady_s >= next_slurm_s_) {
    next_slurm_s_ = moment.steady_s + (watch_.nodes() > large_nodes ? slurm_every_large_s : slurm_every_s);
    slurm_.ask(moment.steady_s);
  }
  if (moment.steady_s >= next_publish_s_) {
    next_publish_s_ = moment.steady_s + publish_every_s;
    publish();
    write_metrics(moment.wall_s);
    for (const std::string& line : configuration_.refresh()) log_(line);
  }
}

// Returns whether this monitor writes the snapshot. The leader always does. Another monitor does so for the slurmctld
// on its own host, unless another process writes this file.
bool Monitor::may_write_snapshot() const {
  if (publisher_.publishing()) return true;
  struct stat status;
  if (stat(settings_.config.snapshot_file.c_str(), &status) != 0) return true;
  if (status.st_ino == written_.inode && status.st_dev == written_.device) return true;
  const double age_s = static_cast<double>(protocol::wall_clock_ns()) / 1e9 - static_cast<double>(status.st_mtime);
  return age_s > 2.5 * publish_every_s || age_s < -publish_every_s;
}

void Monitor::publish() {
  if (!may_write_snapshot()) return;
  const Moment moment = now();
  LiveState state;
  state.published_at_s = static_cast<std::int64_t>(moment.wall_s);
  state.outage_horizon_s = static_cast<double>(settings_.config.outage_horizon_h) * 3600;
  state.nodes = watch_.states(moment, state.outage_horizon_s);
  state.estimators = watch_.estimators(moment);
  if (moment.steady_s - table_s_ >= table_cost_s_ / table_share) {
    table_ = pairs_.table(moment.steady_s);
    table_s_ = moment.steady_s;
    table_cost_s_ = protocol::steady_s() - moment.steady_s;
  }
  state.pairs = table_;
  try {
    std::optional<uid_t> only_for;
    if (configuration_.private_nodes()) only_for = settings_.decision_owners.empty() ? 0 : settings_.decision_owners.back();
    write_snapshot(settings_.config.snapshot_file, state, only_for);
    struct stat status;
    if (stat(settings_.config.snapshot_file.c_str(), &status) == 0) written_ = {status.st_dev, status.st_ino};
    ++snapshots_;
    say_once(trouble_snapshot_, "");
  } catch (const Error& error) {
    say_once(trouble_snapshot_, std::string("the snapshot cannot be written: ") + error.what());
  }
}

void Monitor::run(int stop_descriptor, const std::function<void(double now_s)>& tend) {
  log_("monitor " + std::to_string(settings_.order + 1) + " of " + std::to_string(peers_.size()) + " for " +
       std::to_string(names_.size()) + " nodes, at port " + std::to_string(settings_.config.monitor_port));
  for (double next_round_s = 0;;) {
    pollfd watched[] = {{stop_descriptor, POLLIN, 0},
                        {socket_.descriptor(), POLLIN, 0},
                        {peer_socket_.descriptor(), POLLIN, 0},
                        {slurm_.descriptor(), POLLIN, 0}};
    const double wait_s = std::min(next_tick_s_, next_round_s) - protocol::steady_s();
    if (poll(watched, std::size(watched), std::clamp(static_cast<int>(wait_s * 1000) + 1, 0, 1000)) < 0 &&
        errno != EINTR)
      throw Error(std::string("poll: ") + std::strerror(errno));
    if ((watched[0].revents & POLLIN) != 0) break;
    const double now_s = protocol::steady_s();
    // Other monitors ask for the history here; an error in it must not end this process.
    try {
      receive(now_s);
      receive_as_client(now_s);
    } catch (const DatabaseError& error) {
      history_trouble(error);
    }
    if (slurm_.asking()) {
      std::vector<SlurmNode> nodes;
      const bool answered = slurm_.collect(now_s, nodes);
      if (answered) {
        if (watch_.slurm_says(nodes, now())) next_slurm_s_ = std::min(next_slurm_s_, now_s + slurm_again_s);
        say_once(trouble_slurm_, "");
        if (const auto& controller = slurm_.controller()) say_once(trouble_controller_, trouble_of(*controller));
      } else if (!slurm_.asking()) {
        say_once(trouble_slurm_, slurm_.denied() ? "slurmctld tells this user nothing of nodes (PrivateData=nodes): outages are judged without "
                                                   "it; sacctmgr makes the user an operator (AdminLevel=Operator), or MonitorUser names SlurmUser"
                                                 : "slurmctld does not answer: outages are judged without it");
      }
    }
    if (now_s >= next_round_s) {
      next_round_s = now_s + round_s;
      probe(now_s);
    }
    if (now_s >= next_tick_s_) {
      next_tick_s_ = now_s + tick_s;
      tick();
      tend(now_s);
    }
  }
  log_("ends");
  save_history();
}

}  // namespace placement::monitor
