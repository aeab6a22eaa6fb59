// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/agent/agent.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <future>
#include <memory>
#include <utility>

#include "common/util/cpu_list.hpp"
#include "common/util/bytes.hpp"
#include "common/util/error.hpp"
#include "monitor/agent/node_sample.hpp"
#include "monitor/agent/probe.hpp"
#include "monitor/protocol/daemon.hpp"
#include "monitor/protocol/session.hpp"

namespace placement::agent {

namespace {

constexpr double lookup_pause_s = 60;
constexpr double lookup_look_s = 0.1;  // interval at which the agent checks whether a lookup is over
// The agent logs that a monitor did not answer silent_hellos hellos. After lost_hellos, it looks up the address again.
constexpr int silent_hellos = 3, lost_hellos = 6;
constexpr double longest_sleep_s = 5;
constexpr int datagrams_at_once = 64;

// Returns the number of bytes that probes may send per minute. A link whose rate is not known (NaN) counts as 1 Gbit/s.
double probe_budget_Bpm(const Config& config, double link_Bps) {
  const double share = (std::isnan(link_Bps) ? 125e6 : link_Bps) * 60 * static_cast<double>(probe_link_percent) / 100;
  return std::min(share, static_cast<double>(config.probe_bytes_per_minute));
}

SampleSettings sample_settings(const AgentSettings& settings) {
  SampleSettings sample{.root = settings.root, .node = settings.node, .interfaces = settings.config.probe_interfaces};
  if (settings.config.probe_link_Mbps > 0)
    sample.link_Bps = static_cast<double>(settings.config.probe_link_Mbps) * 125000;
  if (settings.config.allowed_cpus_only) sample.cpus = allowed_cpus();
  return sample;
}

class ProbeSocket : public ProbeIo {
 public:
  explicit ProbeSocket(protocol::UdpSocket& socket) : socket_(socket) {}
  bool send(protocol::ByteView datagram, const protocol::NetAddress& to) override { return socket_.send(datagram, to); }
  std::int64_t now_ns() override { return protocol::wall_clock_ns(); }

 private:
  protocol::UdpSocket& socket_;
};

class Agent {
 public:
  Agent(AgentSettings settings, protocol::Credentials& credentials, protocol::UdpSocket& control,
        const std::function<void(const std::string&)>& log)
      : settings_(std::move(settings)),
        log_(log),
        sampler_(sample_settings(settings_)),
        control_(control),
        leader_(settings_.controllers.size()),
        start_id_(protocol::random_u64()),
        heartbeats_(settings_.heartbeat_s) {
    for (const SlurmHost& host : settings_.controllers)
      monitors_.push_back({.host = host,
                           .address = {},
                           .lookup = {},
                           .session = protocol::ClientSession(credentials, settings_.node),
                           .acknowledgements = Acknowledgements(settings_.heartbeat_s),
                           .last_note = {},
                           .single_node_jobs = {}});
    open_probe_socket();
  }

  void run(int stop_descriptor) {
    bool can_send = false;
    for (;;) {
      double now_s = protocol::steady_s();
      if (heartbeats_.due(now_s)) sample_and_send(now_s);
      repeat_heartbeats(now_s);
      tell_new_leader(now_s);
      keep_sessions(now_s);
      run_probes(now_s, can_send);
      const double sleep_s = std::clamp(next_wake_s(now_s) - now_s, 0.0, longest_sleep_s);
      pollfd waits[3] = {{stop_descriptor, POLLIN, 0},
                         {control_.descriptor(), POLLIN, 0},
                         {probes_ ? probes_->descriptor() : -1, POLLIN, 0}};
      if (prober_ && prober_->wants_to_send()) waits[2].events |= POLLOUT;
      if (poll(waits, 3, static_cast<int>(std::ceil(sleep_s * 1000))) < 0 && errno != EINTR) throw Error("poll fails");
      now_s = protocol::steady_s();
      if (waits[0].revents != 0) break;
      can_send = (waits[2].revents & POLLOUT) != 0;
      if ((waits[2].revents & POLLIN) != 0) read_probes();
      if ((waits[1].revents & POLLIN) != 0) read_control(now_s);
    }
    const protocol::Bytes last = protocol::encode(heartbeat(protocol::steady_s(), true));
    for (Monitor& monitor : monitors_) send(monitor, last);
  }

 private:
  struct Monitor {
    SlurmHost host;
    std::optional<protocol::NetAddress> address;
    std::future<std::vector<protocol::NetAddress>> lookup;  // valid while its address is looked up
    double next_lookup_s = 0;
    int hellos = 0;  // hellos sent since it last answered
    protocol::ClientSession session;
    Acknowledgements acknowledgements;
    protocol::TokenBucket datagrams{50, 200};  // limits the datagrams that are read
    std::string last_note;                     // the last message logged about it, so that each is logged once
    std::vector<std::uint32_t> single_node_jobs;
  };

  void sample_and_send(double now_s) {
    sampler_.sample(now_s);
    // The link's rate is known only after the first sample.
    if (!prober_ && probes_)
      prober_ = std::make_unique<Prober>(probe_budget_Bpm(settings_.config, sampler_.link_Bps()));
    last_beat_ = heartbeat(now_s, false);
    for (Monitor& monitor : monitors_) send_heartbeat(monitor, now_s);
  }

  void send_heartbeat(Monitor& monitor, double now_s) {
    if (!monitor.address || !monitor.session.established()) return;
    if (monitor.acknowledgements.silent()) {
      note(monitor, "does not answer");
      monitor.session.doubt(now_s);
    }
    send(monitor, protocol::encode(last_beat_));
    monitor.acknowledgements.sent(now_s);
  }

  void repeat_heartbeats(double now_s) {
    for (Monitor& monitor : monitors_)
      if (monitor.acknowledgements.repeat_due(now_s)) send(monitor, protocol::encode(last_beat_));
  }

  protocol::Heartbeat heartbeat(double now_s, bool leaving) {
    protocol::Heartbeat beat;
    beat.boot_id = sampler_.boot_id();
    beat.agent_start_id = start_id_;
    beat.number = ++number_;
    beat.uptime_s = sampler_.uptime_s();
    if (sampler_.processes().slurmd()) beat.flags |= protocol::slurmd_running;
    if (leaving) beat.flags |= protocol::HeartbeatFlag::leaving;
    if (probes_) beat.probe_address = probe_address_;
    beat.state = sampler_.state();
    beat.follows = follows(now_s);
    if (!settings_text_.empty()) beat.settings = checksum(std::as_bytes(std::span(settings_text_)));
    return beat;
  }

  void keep_sessions(double now_s) {
    for (Monitor& monitor : monitors_) {
      keep_address(monitor, now_s);
      if (!monitor.address) continue;
      const protocol::Bytes hello = monitor.session.due(now_s);
      if (hello.empty()) continue;
      if (monitor.hellos++ == silent_hellos && !monitor.session.established())
        note(monitor, "does not answer at " + protocol::to_string(*monitor.address));
      control_.send(hello, *monitor.address);
    }
  }

  // Looks up the address of a monitor without an address, or of one that no longer answers at its last address.
  void keep_address(Monitor& monitor, double now_s) {
    if (monitor.lookup.valid() && monitor.lookup.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
      monitor.next_lookup_s = now_s + lookup_pause_s;
      if (const auto found = monitor.lookup.get(); !found.empty()) monitor.address = found.front();
      if (!monitor.address) note(monitor, "its address " + monitor.host.address + " cannot be resolved on this node");
    }
    const bool wanted = !monitor.address || monitor.hellos > lost_hellos;
    if (wanted && !monitor.lookup.valid() && now_s >= monitor.next_lookup_s)
      monitor.lookup =
          protocol::resolve_in_thread(monitor.host.address, static_cast<std::uint16_t>(settings_.config.monitor_port));
  }

  void read_control(double now_s) {
    for (int i = 0; i < datagrams_at_once; ++i) {
      const auto arrival = control_.receive();
      if (!arrival) return;
      for (std::size_t k = 0; k < monitors_.size(); ++k)
        if (monitors_[k].address == arrival->from && monitors_[k].datagrams.take(now_s))
          take_datagram(k, arrival->datagram, now_s);
    }
  }

  void take_datagram(std::size_t index, protocol::ByteView datagram, double now_s) {
    Monitor& monitor = monitors_[index];
    const protocol::ClientSession::Received received = monitor.session.receive(datagram, now_s);
    if (received.refused == protocol::Refusal::none || received.refused == protocol::Refusal::no_service)
      monitor.hellos = 0;
    note(monitor, received.note);
    if (!received.reply.empty()) control_.send(received.reply, *monitor.address);
    if (received.established) {
      note(monitor, "session established");
      monitor.acknowledgements.answered(false);
      if (number_ > 0) {
        last_beat_ = heartbeat(now_s, false);
        send_heartbeat(monitor, now_s);
      }
    }
    if (!received.message.empty()) take_message(index, received.message, now_s);
  }

  void take_message(std::size_t index, protocol::ByteView message, double now_s) {
    Monitor& monitor = monitors_[index];
    if (const auto ack = protocol::decode<protocol::HeartbeatAck>(message)) {
      if (ack->number > number_) return;
      monitor.acknowledgements.answered(ack->number == number_);
      monitor.single_node_jobs = ack->single_node_jobs;
      leader_.note(index, ack->next_to_slurmctld, now_s);
      note(monitor, "session established");  // is logged only if the monitor did not answer before
    } else if (const auto lease = protocol::decode<protocol::ProbeLease>(message)) {
      take_lease(index, *lease, now_s);
    } else if (const auto settings = protocol::decode<protocol::SettingsMessage>(message)) {
      take_settings(index, settings->text, now_s);
    }
  }

  void take_settings(std::size_t index, const std::string& text, double now_s) {
    if (leader_.leader(now_s) != index || text == settings_text_) return;
    settings_text_ = text;
    const std::string from = "monitor on " + monitors_[index].host.name;
    try {
      Config config = settings_.config;
      protocol::take_agent_settings(config, text);
      if (protocol::agent_settings_text(config) == protocol::agent_settings_text(settings_.config)) return;
      settings_.config = config;
    } catch (const Error& error) {
      log_(from + ": " + error.what());
      return;
    }
    log_("uses the settings of the " + from);
    sampler_ = NodeSampler(sample_settings(settings_));
    prober_.reset();
    probes_.reset();
    open_probe_socket();
    sample_and_send(now_s);
  }

  void take_lease(std::size_t index, const protocol::ProbeLease& lease, double now_s) {
    if (!prober_) return;
    // A job may have started since the last sample.
    sampler_.refresh_jobs();
    const Prober::Conditions conditions{.lease_is_new = leader_.leader(now_s) == index, .busy = busy(monitors_[index])};
    if (const auto refused = prober_->begin(lease, conditions, now_s))
      send(monitors_[index], protocol::encode(*refused));
  }

  void read_probes() {
    ProbeSocket io(*probes_);
    // This limit covers all that a train can leave in the buffer, and more than one batch of a sender.
    for (int i = 0; i < 16 * datagrams_at_once; ++i) {
      const auto arrival = probes_->receive();
      if (!arrival) return;
      if (prober_) prober_->receive(arrival->datagram, arrival->from, arrival->at_ns, protocol::steady_s(), io);
    }
  }

  void run_probes(double now_s, bool can_send) {
    if (!prober_ || !probes_) return;
    ProbeSocket io(*probes_);
    if (can_send || now_s >= prober_->next_s()) prober_->run(now_s, io);
    // All monitors get the result, so that each knows the network when it has to lead.
    if (const auto result = prober_->take_result())
      for (Monitor& monitor : monitors_) send(monitor, protocol::encode(*result));
  }

  double next_wake_s(double now_s) const {
    double wake_s = heartbeats_.next_s();
    for (const Monitor& monitor : monitors_) {
      const double lookup_s = monitor.lookup.valid() ? now_s + lookup_look_s : monitor.next_lookup_s;
      wake_s = std::min(wake_s, monitor.address ? monitor.session.next_s(now_s) : lookup_s);
      wake_s = std::min(wake_s, monitor.acknowledgements.next_s());
    }
    return prober_ ? std::min(wake_s, prober_->next_s()) : wake_s;
  }

  void send(Monitor& monitor, const protocol::Bytes& message) {
    if (monitor.address && monitor.session.established())
      control_.send(monitor.session.seal(message), *monitor.address);
  }

  std::string follows(double now_s) const {
    const std::optional<std::size_t> leader = leader_.leader(now_s);
    return leader ? monitors_[*leader].host.name : std::string();
  }

  // Repeats the last heartbeat to all monitors when this agent follows another monitor than before.
  void tell_new_leader(double now_s) {
    std::string name = follows(now_s);
    if (number_ == 0 || name == last_beat_.follows) return;
    last_beat_.follows = std::move(name);
    for (Monitor& monitor : monitors_) send(monitor, protocol::encode(last_beat_));
  }

  void open_probe_socket() {
    const auto port = static_cast<std::uint16_t>(settings_.config.agent_port);
    if (settings_.config.probe_bytes_per_minute == 0) return;
    protocol::NetAddress address{{}, port};
    if (!settings_.config.probe_interfaces.empty()) {
      std::optional<protocol::NetAddress> found;  // address of the first interface in the list that this node has
      for (const std::string& interface : settings_.config.probe_interfaces)
        if (!found) found = protocol::interface_address(interface, port);
      if (!found) {
        log_("no interface of ProbeInterface has an address on this node: sends no probes");
        return;
      }
      address = *found;
    }
    try {
      probes_ = std::make_unique<protocol::UdpSocket>(address);
    } catch (const Error&) {
      // The port is taken when several nodes share one host, as in tests of Slurm. The heartbeat has the port in use.
      address.port = 0;
      probes_ = std::make_unique<protocol::UdpSocket>(address);
    }
    probe_address_ = address;
    probe_address_.port = probes_->local().port;
  }

  bool busy(const Monitor& leader) const {
    if (!sampler_.sees_processes()) return true;
    const auto& alone = leader.single_node_jobs;
    const auto& jobs = sampler_.processes().jobs();
    return std::ranges::any_of(jobs, [&](std::uint32_t job) { return std::ranges::find(alone, job) == alone.end(); });
  }

  void note(Monitor& monitor, const std::string& text) {
    if (text.empty() || text == monitor.last_note) return;
    monitor.last_note = text;
    log_("monitor on " + monitor.host.name + ": " + text);
  }

  AgentSettings settings_;
  const std::function<void(const std::string&)>& log_;
  std::string settings_text_;  // the leader's settings that were applied or rejected last
  NodeSampler sampler_;
  protocol::UdpSocket& control_;
  std::unique_ptr<protocol::UdpSocket> probes_;
  protocol::NetAddress probe_address_;
  std::vector<Monitor> monitors_;
  LeaderChoice leader_;
  std::unique_ptr<Prober> prober_;
  std::uint64_t start_id_ = 0;
  std::uint64_t number_ = 0;
  protocol::Heartbeat last_beat_;
  protocol::Periodic heartbeats_;
};

}  // namespace

void run_agent(AgentSettings settings, protocol::Credentials& credentials, protocol::UdpSocket& control,
               const std::function<void(const std::string&)>& log, int stop_descriptor) {
  Agent(std::move(settings), credentials, control, log).run(stop_descriptor);
}

}  // namespace placement::agent
