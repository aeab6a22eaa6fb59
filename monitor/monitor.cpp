// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor.hpp"

#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "core/error.hpp"
#include "core/snapshot.hpp"
#include "monitor/probe.hpp"
#include "monitor/probe_limits.hpp"

namespace placement {

namespace {

constexpr double tick_s = 1;
constexpr double round_s = 0.1;          // how often the schedule of probes is looked at
constexpr double slurm_every_s = 10;       // with many nodes less often: an answer is long
constexpr double slurm_every_large_s = 30;
constexpr std::int32_t large_nodes = 1000;
constexpr double slurm_again_s = 5;
constexpr double peers_every_s = 2;
constexpr double publish_every_s = 5;
constexpr double decisions_every_s = 2;
constexpr double pairs_every_s = 300;
constexpr double prune_every_s = 3600;
constexpr double resolve_pause_s = 60;
constexpr double peer_patience_s = 10;   // without an answer, until the session is doubted
constexpr double believed_beat_s = 30;   // what an agent said that long ago counts no more
constexpr double table_share = 0.02;     // of the time may go into the table of pairs
constexpr int datagrams_at_once = 2048;
constexpr std::int32_t start_in_ms = 30; // the responder's lease travels first
constexpr std::size_t most_decisions = 256;

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

// A pair has a bulk stream in one of six of its turns at most.
BulkSettings bulk_settings(const Config& config) {
  BulkSettings settings;
  settings.every_s = 6 * static_cast<double>(config.probe_bandwidth_s);
  settings.node_pause_s = std::min(settings.node_pause_s, static_cast<double>(config.probe_bandwidth_s));
  return settings;
}

PairModelSettings pair_settings(const Config& config) {
  PairModelSettings settings;
  settings.all_pairs_nodes = static_cast<std::int32_t>(config.probe_all_pairs_nodes);
  settings.keep_s = std::max(settings.keep_s, 4.0 * static_cast<double>(config.probe_bandwidth_s));
  return settings;
}

std::vector<std::string> names_of(const std::vector<SlurmHost>& hosts) {
  std::vector<std::string> names;
  for (const SlurmHost& host : hosts) names.push_back(host.name);
  return names;
}

NetAddress any_address(std::int64_t port) {
  NetAddress address;
  address.port = static_cast<std::uint16_t>(port);
  return address;
}

std::string history_path(const Config& config) { return config.state_directory + "/history.sqlite"; }

RingCursor ring_cursor(History& history) {
  RingCursor cursor;
  unsigned long long ring = 0, next = 0;
  if (std::sscanf(history.setting("ring").c_str(), "%llu %llu", &ring, &next) == 2) cursor = {ring, next};
  return cursor;
}

std::string instance_text(const std::array<std::uint8_t, 16>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::array<std::uint8_t, 16> instance_bytes(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size() && 2 * i + 1 < text.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return bytes;
}

}  // namespace

Monitor::Monitor(MonitorSettings settings, Credentials& credentials, Log log)
    : settings_(std::move(settings)),
      log_(std::move(log)),
      names_(names_of(settings_.hosts.nodes)),
      socket_(any_address(settings_.config.monitor_port)),
      peer_socket_(NetAddress{}),
      history_(history_path(settings_.config), history_limits(settings_.config)),
      watch_(names_, history_, watch_settings(settings_.config), log_, now()),
      sessions_(credentials, static_cast<std::int32_t>(names_.size() + settings_.hosts.controllers.size()),
                [this](const std::string& name, const NetAddress& from) { return admit(name, from); }),
      publisher_(settings_.order, settings_.hosts.controllers[static_cast<std::size_t>(settings_.order)].name, {},
                 steady_s()),
      pairs_(read_pair_places(settings_.slurm_conf, names_), pair_settings(settings_.config)),
      schedule_(read_pair_places(settings_.slurm_conf, names_).leaf_of_node, schedule_settings(settings_.config)),
      bulk_(bulk_settings(settings_.config)),
      slurm_(settings_.slurm_conf),
      decisions_(settings_.config.decision_file, ring_cursor(history_), settings_.decision_owners),
      next_pairs_s_(steady_s() + pairs_every_s),
      next_prune_s_(steady_s() + 60) {
  if (!history_.moved_aside().empty())
    log_(history_path(settings_.config) + " was damaged: it is now " + history_.moved_aside() + ", and a new one begins");
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

Moment Monitor::now() const { return {steady_s(), static_cast<double>(wall_clock_ns()) / 1e9}; }

void Monitor::say_once(std::string& kept, const std::string& text) {
  if (text == kept) return;
  kept = text;
  if (!text.empty()) log_(text);
}

// Nodes have the first numbers, the monitors the next.
std::optional<std::int32_t> Monitor::admit(const std::string& name, const NetAddress& from) {
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
  for (const NetAddress& known : addresses_.find(host->address, steady_s()))
    if (known.ip == from.ip) return number;
  return std::nullopt;
}

void Monitor::receive(double now_s) {
  for (int i = 0; i < datagrams_at_once; ++i) {
    const auto arrival = socket_.receive();
    if (!arrival) return;
    const ServerSessions::Received received = sessions_.receive(arrival->datagram, arrival->from, now_s);
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
      const ClientSession::Received received = peer.session->receive(arrival->datagram, now_s);
      if (!received.reply.empty()) peer_socket_.send(received.reply, *peer.address);
      if (!received.note.empty())
        say_once(peer.last_note, "monitor on " + settings_.hosts.controllers[static_cast<std::size_t>(peer.order)].name +
                                     ": " + received.note);
      if (!received.message.empty()) take_peer_message(peer, received.message, now_s);
    }
  }
}

void Monitor::take_message(std::int32_t number, ByteView message, double now_s) {
  if (number >= static_cast<std::int32_t>(names_.size())) {
    take_peer_message(peers_[static_cast<std::size_t>(number) - names_.size()], message, now_s);
    return;
  }
  switch (message_kind(message).value_or(MessageKind::accept)) {
    case MessageKind::heartbeat:
      if (const auto beat = decode_heartbeat(message)) take_heartbeat(number, *beat, now_s);
      break;
    case MessageKind::probe_result:
      if (const auto result = decode_probe_result(message)) take_result(number, *result, now_s);
      break;
    default: break;
  }
}

void Monitor::take_heartbeat(std::int32_t node, const Heartbeat& beat, double) {
  ++heartbeats_;
  const Moment moment = now();
  watch_.heartbeat(node, beat, moment);
  HeartbeatAck ack{beat.number, publisher_.term(moment.steady_s), watch_.jobs(node)};
  socket_.send(sessions_.seal(node, encode(ack)), sessions_.address(node));
}

void Monitor::take_result(std::int32_t node, const ProbeResult& result, double now_s) {
  const auto found = leases_.find(result.lease);
  if (found == leases_.end() || found->second.a != node) return;
  ++outcomes_[static_cast<std::size_t>(result.outcome)];
  if (result.outcome != ProbeOutcome::measured) return;
  const Lease lease = found->second;
  leases_.erase(found);
  if (now_s > lease.until_s + 2) return;
  ++results_;
  bulk_results_ += lease.bulk;
  const double value = lease.measurement == Measurement::latency ? result.median_latency_us : result.bandwidth_Bps;
  pairs_.add(lease.a, lease.b, lease.measurement, value, now_s);
  measured_.push_back({lease.a, lease.b, lease.measurement, value});
}

void Monitor::send(Peer& peer, const Bytes& message) {
  const auto number = static_cast<std::int32_t>(names_.size()) + peer.order;
  if (peer.session) {
    if (peer.session->established() && peer.address) peer_socket_.send(peer.session->seal(message), *peer.address);
  } else if (peer.order != settings_.order && sessions_.established(number)) {
    socket_.send(sessions_.seal(number, message), sessions_.address(number));
  }
}

void Monitor::take_peer_message(Peer& peer, ByteView message, double now_s) {
  const auto kind = peer_message_kind(message);
  if (!kind) return;
  peer.heard_s = now_s;
  switch (*kind) {
    case PeerMessageKind::state:
      if (const auto state = decode_peer_state(message)) {
        peer.state = *state;
        publisher_.hear_monitor(peer.order, state->publisher, now_s);
      }
      break;
    case PeerMessageKind::ask:
      if (const auto ask = decode_peer_ask(message))
        send(peer, encode(history_.changes_after(static_cast<std::int64_t>(ask->after), max_peer_rows)));
      break;
    case PeerMessageKind::changes:
      if (const auto changes = decode_peer_changes(message)) take_changes(peer, *changes, now_s);
      break;
    case PeerMessageKind::pairs:
      if (const auto pairs = decode_peer_pairs(message))
        for (const PeerMeasurement& one : *pairs)
          if (std::max(one.a, one.b) < watch_.nodes()) pairs_.add(one.a, one.b, one.measurement, one.value, now_s);
      break;
  }
}

void Monitor::take_changes(Peer& peer, const History::Changes& changes, double now_s) {
  if (!peer.state) return;
  const std::string name = "peer " + instance_text(peer.state->history);
  if (changes.cursor <= std::atoll(history_.setting(name).c_str())) return;
  try {
    history_.begin();
    for (const OutageRecord& outage : changes.outages) watch_.peer_says(outage);
    for (const SpanRecord& span : changes.spans) watch_.peer_says(span);
    history_.set_setting(name, std::to_string(changes.cursor));
    history_.commit();
  } catch (const Error& error) {
    history_.give_up();
    say_once(trouble_history_, error.what());
    return;
  }
  // The next page at once; the bucket of the other side holds it back when it is too much.
  if (static_cast<std::uint64_t>(changes.cursor) < peer.state->last_change) {
    send(peer, encode(PeerAsk{static_cast<std::uint64_t>(changes.cursor)}));
    peer.asked_s = now_s;
  }
}

void Monitor::keep_peers(double now_s) {
  const PeerState own{static_cast<std::uint8_t>(settings_.order), instance_bytes(history_.instance()),
                      static_cast<std::uint64_t>(history_.last_change()), publisher_.term(now_s)};
  for (Peer& peer : peers_) {
    if (peer.order == settings_.order) continue;
    if (peer.session) {
      if (!peer.address && now_s >= peer.next_resolve_s) {
        peer.next_resolve_s = now_s + resolve_pause_s;
        peer.address = resolve(settings_.hosts.controllers[static_cast<std::size_t>(peer.order)].address,
                               static_cast<std::uint16_t>(settings_.config.monitor_port));
      }
      if (peer.session->established() && now_s - peer.heard_s > peer_patience_s) peer.session->doubt(now_s);
      if (peer.address)
        if (const Bytes hello = peer.session->due(now_s); !hello.empty()) peer_socket_.send(hello, *peer.address);
    }
    send(peer, encode(own));
    if (!peer.state || now_s - peer.heard_s > peer_patience_s) continue;
    for (std::size_t from = 0; from < measured_.size(); from += max_peer_measurements)
      send(peer, encode(std::vector<PeerMeasurement>(
                     measured_.begin() + static_cast<std::ptrdiff_t>(from),
                     measured_.begin() + static_cast<std::ptrdiff_t>(std::min(measured_.size(), from + max_peer_measurements)))));
    const auto cursor =
        static_cast<std::uint64_t>(std::atoll(history_.setting("peer " + instance_text(peer.state->history)).c_str()));
    if (peer.state->last_change > cursor && now_s - peer.asked_s > 1) {
      peer.asked_s = now_s;
      send(peer, encode(PeerAsk{cursor}));
    }
  }
  measured_.clear();
}

// What agents have heard of terms. One that lies moves nothing: several have to say so.
void Monitor::hear_agents(double now_s) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> terms;
  for (std::int32_t i = 0; i < watch_.nodes(); ++i) {
    const Heartbeat& beat = watch_.last_beat(i);
    if (beat.heard.term != 0 && now_s - watch_.table().last_heard_s(i) <= believed_beat_s)
      terms.emplace_back(beat.heard.term, i);
  }
  const std::size_t needed = watch_.nodes() < 3 ? 1 : std::max<std::size_t>(2, terms.size() / 8);
  if (terms.size() < needed) return;
  std::sort(terms.begin(), terms.end(), std::greater<>());
  const std::uint64_t believed = terms[needed - 1].first;
  for (const auto& [term, node] : terms) {
    if (term != believed) continue;
    PublisherTerm says = watch_.last_beat(node).heard;
    const double since_s = now_s - watch_.table().last_heard_s(node);
    says.age_ms = static_cast<std::uint32_t>(std::min(4e9, says.age_ms + since_s * 1000));
    for (const SlurmHost& host : settings_.hosts.controllers)
      if (host.name == says.publisher) publisher_.hear_agent(says, now_s);
  }
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
    keep_peers(moment.steady_s);
  }
  if (settings_.ask_slurm && moment.steady_s >= next_slurm_s_) {
    next_slurm_s_ = moment.steady_s + (watch_.nodes() > large_nodes ? slurm_every_large_s : slurm_every_s);
    slurm_.ask(moment.steady_s);
  }
  if (moment.steady_s >= next_publish_s_) {
    next_publish_s_ = moment.steady_s + publish_every_s;
    publish();
    write_metrics(moment.wall_s);
  }
}

void Monitor::keep_history() {
  const Moment moment = now();
  try {
    history_.begin();
    if (watch_.tick(moment)) next_publish_s_ = moment.steady_s;
    if (moment.steady_s >= next_decisions_s_) {
      next_decisions_s_ = moment.steady_s + decisions_every_s;
      drain_decisions();
    }
    if (moment.steady_s >= next_pairs_s_) {
      next_pairs_s_ = moment.steady_s + pairs_every_s;
      save_pairs();
    }
    history_.commit();
    if (moment.steady_s >= next_prune_s_) {
      next_prune_s_ = moment.steady_s + prune_every_s;
      history_.prune(moment.wall_s);
      pairs_.forget_old(moment.steady_s);
    }
    say_once(trouble_history_, "");
  } catch (const Error& error) {
    history_.give_up();
    say_once(trouble_history_, std::string("the history cannot be written: ") + error.what());
  }
}

void Monitor::drain_decisions() {
  std::vector<Decision> decisions;
  try {
    decisions = decisions_.read(most_decisions);
    say_once(trouble_decisions_, "");
  } catch (const Error& error) {
    say_once(trouble_decisions_, error.what());
    return;
  }
  if (decisions.empty()) return;
  for (const Decision& decision : decisions)
    history_.put_decision({0, decision.at_s, decision.job_id, decision.restarts, decision.uid, decision.policy,
                           std::string(decision_outcome_names[static_cast<std::size_t>(decision.outcome)]),
                           decision.time_us, decision_text(decision)});
  const RingCursor cursor = decisions_.cursor();
  history_.set_setting("ring", std::to_string(cursor.ring) + " " + std::to_string(cursor.next));
  decisions_kept_ += static_cast<std::int64_t>(decisions.size());
}

void Monitor::save_pairs() {
  const Moment moment = now();
  for (const PairModel::Pair& pair : pairs_.pairs()) {
    const double newest_s = std::max(std::isnan(pair.latency_at_s) ? -1e18 : pair.latency_at_s,
                                     std::isnan(pair.bandwidth_at_s) ? -1e18 : pair.bandwidth_at_s);
    if (moment.steady_s - newest_s > pairs_every_s) continue;  // nothing new
    history_.put_pair({names_[static_cast<std::size_t>(pair.a)], names_[static_cast<std::size_t>(pair.b)],
                       moment.wall_of(newest_s), pair.latency_us.value(), pair.latency_us.error(),
                       pair.bandwidth_Bps.value(), pair.bandwidth_Bps.error(), pair.peak_bandwidth_Bps,
                       pair.latency_us.count() + pair.bandwidth_Bps.count()});
  }
}

void Monitor::probe(double now_s) {
  if (!publisher_.publishing()) return;
  std::vector<bool> usable(names_.size());
  for (std::int32_t i = 0; i < watch_.nodes(); ++i) {
    const Heartbeat& beat = watch_.last_beat(i);
    usable[static_cast<std::size_t>(i)] = watch_.usable(i) && (beat.flags & (probes_refused | leaving)) == 0 &&
                                          beat.probe_address.port != 0 && sessions_.established(i);
  }
  bulk_.begin_round();
  const ProbeSchedule::Round round =
      schedule_.next(now_s, usable, [this, now_s](const ProbePair& pair) { return bulk_stream(pair, now_s); });
  for (std::size_t k = 0; k < round.pairs.size(); ++k) lease(round, k, now_s);
}

// Without a job, and with little load and traffic: as the node last said, and slurmctld of its jobs. The agent
// looks again when the lease comes.
bool Monitor::idle(std::int32_t node) const {
  const Heartbeat& beat = watch_.last_beat(node);
  return (beat.flags & jobs_running) == 0 && watch_.jobs(node).empty() &&
         little_loaded(beat.state.cpu_utilisation.minutes_1, beat.state.flow_rate_Bps.minutes_1, beat.link_Bps);
}

BulkStream Monitor::bulk_stream(const ProbePair& pair, double now_s) {
  const PairModel::Pair* const known = pairs_.find(pair.a, pair.b);
  if (!known || !idle(pair.a) || !idle(pair.b)) return {};
  const double budget_Bpm = std::min(probe_budget_Bpm(settings_.config, watch_.last_beat(pair.a).link_Bps),
                                     probe_budget_Bpm(settings_.config, watch_.last_beat(pair.b).link_Bps));
  return bulk_.take(pair, known->bandwidth_Bps.value(), budget_Bpm, now_s);
}

void Monitor::lease(const ProbeSchedule::Round& round, std::size_t which, double now_s) {
  const ProbePair& pair = round.pairs[which];
  ProbeLease lease;
  lease.id = random_u64();
  lease.term = publisher_.term(now_s).term;
  fill_random(lease.key);
  const bool latency = round.measurement == Measurement::latency;
  const BulkStream bulk = round.bulk[which];
  lease.kind = latency ? ProbeKind::latency : bulk.packets > 0 ? ProbeKind::bulk : ProbeKind::train;
  lease.packets = latency ? usual_latency_packets : bulk.packets > 0 ? bulk.packets : usual_train_packets;
  lease.packet_bytes = latency ? usual_latency_bytes : static_cast<std::uint16_t>(max_datagram);
  // Answers and reports go the other way, and one lost packet may be sent again.
  lease.max_bytes = std::uint64_t{lease.packets} * lease.packet_bytes * 2 + 8192;
  lease.expires_in_ms = static_cast<std::uint32_t>(round.lasts_s * 1000) - 20;
  // Each direction in its turn.
  const bool turned = (lease.id & 1) != 0;
  const std::int32_t initiator = turned ? pair.b : pair.a, responder = turned ? pair.a : pair.b;
  leases_[lease.id] = {initiator, responder, round.measurement, bulk.packets > 0, now_s + round.lasts_s};
  for (const auto& [to, other, role] : {std::tuple(responder, initiator, ProbeRole::responder),
                                        std::tuple(initiator, responder, ProbeRole::initiator)}) {
    lease.role = role;
    lease.peer = names_[static_cast<std::size_t>(other)];
    lease.peer_address = watch_.last_beat(other).probe_address;
    if (lease.peer_address.ip == NetAddress{}.ip) lease.peer_address.ip = sessions_.address(other).ip;
    lease.start_in_ms =
        role == ProbeRole::initiator ? start_in_ms + static_cast<std::uint32_t>(round.start_s[which] * 1000) : 0;
    socket_.send(sessions_.seal(to, encode(lease)), sessions_.address(to));
  }
  ++leases_given_;
  bulk_leases_ += bulk.packets > 0;
}

// The one that publishes always writes. Another does so too, for the slurmctld on its own host, unless
// somebody else writes the same file.
bool Monitor::may_write_snapshot() const {
  if (publisher_.publishing()) return true;
  struct stat status;
  if (stat(settings_.config.snapshot_file.c_str(), &status) != 0) return true;
  if (status.st_ino == written_.inode && status.st_dev == written_.device) return true;
  const double age_s = static_cast<double>(wall_clock_ns()) / 1e9 - static_cast<double>(status.st_mtime);
  return age_s > 2.5 * publish_every_s || age_s < -publish_every_s;
}

void Monitor::publish() {
  if (!may_write_snapshot()) return;
  const Moment moment = now();
  LiveState state;
  state.published_at_s = static_cast<std::int64_t>(moment.wall_s);
  state.outage_horizon_s = static_cast<double>(settings_.config.outage_horizon_h) * 3600;
  state.nodes = watch_.states(moment, state.outage_horizon_s);
  state.estimators = watch_.book().scores();
  if (moment.steady_s - table_s_ >= table_cost_s_ / table_share) {
    table_ = pairs_.table(moment.steady_s);
    table_s_ = moment.steady_s;
    table_cost_s_ = steady_s() - moment.steady_s;
  }
  state.pairs = table_;
  try {
    write_snapshot(settings_.config.snapshot_file, state);
    struct stat status;
    if (stat(settings_.config.snapshot_file.c_str(), &status) == 0) written_ = {status.st_dev, status.st_ino};
    ++snapshots_;
    say_once(trouble_snapshot_, "");
  } catch (const Error& error) {
    say_once(trouble_snapshot_, std::string("the snapshot cannot be written: ") + error.what());
  }
}

void Monitor::run(int stop_descriptor) {
  log_("monitor " + std::to_string(settings_.order + 1) + " of " + std::to_string(peers_.size()) + " for " +
       std::to_string(names_.size()) + " nodes, at port " + std::to_string(settings_.config.monitor_port));
  for (double next_round_s = 0;;) {
    pollfd watched[] = {{stop_descriptor, POLLIN, 0},
                        {socket_.descriptor(), POLLIN, 0},
                        {peer_socket_.descriptor(), POLLIN, 0},
                        {slurm_.descriptor(), POLLIN, 0}};
    const double wait_s = std::min(next_tick_s_, next_round_s) - steady_s();
    if (poll(watched, std::size(watched), std::clamp(static_cast<int>(wait_s * 1000) + 1, 0, 1000)) < 0 &&
        errno != EINTR)
      throw Error(std::string("poll: ") + std::strerror(errno));
    if ((watched[0].revents & POLLIN) != 0) break;
    const double now_s = steady_s();
    receive(now_s);
    receive_as_client(now_s);
    if (slurm_.asking()) {
      std::vector<SlurmNode> nodes;
      const bool answered = slurm_.collect(now_s, nodes);
      if (answered) {
        slurm_answered_s_ = now_s;
        if (watch_.slurm_says(nodes, now())) next_slurm_s_ = std::min(next_slurm_s_, now_s + slurm_again_s);
        say_once(trouble_slurm_, "");
      } else if (!slurm_.asking()) {
        say_once(trouble_slurm_, "slurmctld does not answer: outages are judged without it");
      }
    }
    if (now_s >= next_round_s) {
      next_round_s = now_s + round_s;
      probe(now_s);
    }
    if (now_s >= next_tick_s_) {
      next_tick_s_ = now_s + tick_s;
      tick();
    }
  }
  log_("ends");
  try {
    history_.begin();
    watch_.save(now());
    save_pairs();
    drain_decisions();
    history_.commit();
  } catch (const Error& error) {
    log_(std::string("the history cannot be written: ") + error.what());
  }
}

}  // namespace placement
