// SPDX-License-Identifier: GPL-2.0-or-later
// A monitor that stores nothing. It accepts the sessions of the agents of a slurm.conf, prints their messages, and
// leases probes to one pair after another. It is for tests of agents and for contrib/evaluation/bench-agent.
#include <getopt.h>
#include <poll.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/util/error.hpp"
#include "monitor/agent/probe.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/sockets.hpp"

using namespace placement;

namespace {

constexpr char usage_text[] =
    "usage: agent_listener [OPTION]...\n"
    "  -f FILE      slurm.conf [as placement-agent]\n"
    "  -s SECONDS   how long [60]\n"
    "  -p KINDS     probes between all pairs of agents, once: latency,train\n"
    "  -a NAMES     single-node jobs to report to the agents: job numbers, separated by commas\n"
    "lines: join NODE | left NODE | heartbeat NODE key=value.. | probe KIND FROM TO outcome key=value.. | totals ..\n";

struct Options {
  std::string conf = slurm_conf_path();
  double seconds = 60;
  std::vector<protocol::ProbeKind> kinds;
  std::vector<std::uint32_t> jobs;
};

const char* name_of(protocol::ProbeKind kind) { return kind == protocol::ProbeKind::latency ? "latency" : "train"; }

const char* name_of(protocol::ProbeOutcome outcome) {
  constexpr const char* names[] = {"measured", "no_answer", "over_budget", "busy", "refused"};
  return names[static_cast<std::size_t>(outcome) - 1];
}

struct Pair {
  protocol::ProbeKind kind;
  std::int32_t from, to;
};

class Listener {
 public:
  Listener(const Options& options, const SlurmHosts& hosts, const Config& config)
      : options_(options),
        hosts_(hosts),
        credentials_(protocol::munge_credentials(geteuid(), hosts.munge_socket)),
        sessions_(*credentials_, static_cast<std::int32_t>(hosts.nodes.size()),
                  {[this](const std::string& name) { return index_of(name); },
                   [this](std::int32_t node, const protocol::NetAddress& from) {
                     return !addresses_[node].empty() && addresses_[node].front().ip == from.ip;
                   }}),
        socket_(any(static_cast<std::uint16_t>(config.monitor_port))),
        beats_(hosts.nodes.size()) {
    for (const SlurmHost& node : hosts.nodes) addresses_.push_back(protocol::resolve(node.address, 0));
  }

  void run() {
    const double begin_s = protocol::steady_s(), end_s = begin_s + options_.seconds;
    for (double now_s = begin_s; now_s < end_s; now_s = protocol::steady_s()) {
      lease(now_s);
      pollfd wait{socket_.descriptor(), POLLIN, 0};
      poll(&wait, 1, 20);
      while (const auto arrival = socket_.receive()) take(*arrival, protocol::steady_s());
      if (finished_ && !options_.kinds.empty() && now_s > finished_s_ + 1) break;
    }
    std::printf("totals seconds=%.1f received_datagrams=%llu received_bytes=%llu sent_bytes=%llu heartbeats=%llu\n",
                protocol::steady_s() - begin_s, datagrams_, received_, sent_, heartbeats_);
  }

 private:
  static protocol::NetAddress any(std::uint16_t port) {
    protocol::NetAddress address;
    address.port = port;
    return address;
  }

  std::optional<std::int32_t> index_of(const std::string& name) const {
    for (std::size_t i = 0; i < hosts_.nodes.size(); ++i)
      if (hosts_.nodes[i].name == name) return static_cast<std::int32_t>(i);
    return std::nullopt;
  }

  const char* node(std::int32_t index) const { return hosts_.nodes[static_cast<std::size_t>(index)].name.c_str(); }

  void send(protocol::ByteView datagram, const protocol::NetAddress& to) {
    sent_ += datagram.size();
    socket_.send(datagram, to);
  }

  void take(const protocol::UdpSocket::Arrival& arrival, double now_s) {
    ++datagrams_;
    received_ += arrival.datagram.size();
    const auto received = sessions_.receive(arrival.datagram, arrival.from, now_s);
    if (!received.reply.empty()) send(received.reply, arrival.from);
    if (received.joined) std::printf("join %s\n", node(received.peer));
    if (received.refused != protocol::Refusal::none) std::printf("refused %s\n", protocol::to_string(received.refused));
    if (received.message.empty()) return;
    if (const auto beat = protocol::decode<protocol::Heartbeat>(received.message)) {
      take_beat(received.peer, *beat);
    } else if (const auto result = protocol::decode<protocol::ProbeResult>(received.message)) {
      std::printf("probe %s %s %s %s median_us=%.1f Bps=%.0f\n", name_of(result->kind), node(received.peer),
                  result->peer.c_str(), name_of(result->outcome), result->median_latency_us, result->bandwidth_Bps);
      waiting_ = false;
    }
    std::fflush(stdout);
  }

  void take_beat(std::int32_t peer, const protocol::Heartbeat& beat) {
    ++heartbeats_;
    beats_[static_cast<std::size_t>(peer)] = beat;
    const NodeState& s = beat.state;
    std::printf(
        "heartbeat %s at=%lld number=%llu agent=%016llx flags=%u load=%.2f slurm=%.2f cpu=%.3f free=%.0f flow=%.0f "
        "cores=%.0f memory=%.0f uptime=%u follows=%s\n",
        node(peer), static_cast<long long>(protocol::wall_clock_ns() / 1000000),
        static_cast<unsigned long long>(beat.number), static_cast<unsigned long long>(beat.agent_start_id), beat.flags,
        s.cpu_load.minutes_1, s.slurm_load.minutes_1, s.cpu_utilisation.minutes_1, s.memory_available_MiB.minutes_1,
        s.flow_rate_Bps.minutes_1, s.cores, s.memory_MiB, beat.uptime_s,
        beat.follows.empty() ? "-" : beat.follows.c_str());
    if ((beat.flags & protocol::leaving) != 0) std::printf("left %s\n", node(peer));
    const protocol::HeartbeatAck ack{
        .number = beat.number, .next_to_slurmctld = true, .single_node_jobs = options_.jobs};
    send(sessions_.seal(peer, protocol::encode(ack)), sessions_.address(peer));
  }

  void make_pairs() {
    for (const protocol::ProbeKind kind : options_.kinds)
      for (std::int32_t a = 0; a < count(); ++a)
        for (std::int32_t b = a + 1; b < count(); ++b)
          pairs_.push_back({kind, (a + b) % 2 ? a : b, (a + b) % 2 ? b : a});
    made_ = true;
  }

  void lease(double now_s) {
    if (options_.kinds.empty() || finished_) return;
    if (!made_) {
      for (const auto& beat : beats_)
        if (!beat) return;
      if (ready_s_ == 0) ready_s_ = now_s;
      if (now_s < ready_s_ + 0.5) return;  // until the acknowledgements have arrived
      make_pairs();
    }
    if (waiting_ && now_s < deadline_s_) return;
    if (pairs_.empty()) {
      finished_ = true;
      finished_s_ = now_s;
      return;
    }
    give(pairs_.front(), now_s);
    pairs_.pop_front();
  }

  void give(const Pair& pair, double now_s) {
    protocol::ProbeLease lease;
    lease.id = protocol::random_u64();
    lease.kind = pair.kind;
    protocol::fill_random(lease.key);
    lease.expires_in_ms = 8000;
    lease.packets = pair.kind == protocol::ProbeKind::latency ? agent::usual_latency_packets
                    : pair.kind == protocol::ProbeKind::train ? agent::usual_train_packets
                                                              : 3000;
    lease.packet_bytes =
        pair.kind == protocol::ProbeKind::latency ? agent::usual_latency_bytes : protocol::max_datagram;
    const auto half = [&](std::int32_t self, std::int32_t peer, protocol::ProbeRole role, std::uint32_t start_ms) {
      const protocol::Heartbeat& beat = *beats_[static_cast<std::size_t>(peer)];
      lease.role = role;
      lease.peer = node(peer);
      lease.peer_address = beat.probe_address;
      if (lease.peer_address.ip == protocol::NetAddress{}.ip) lease.peer_address.ip = sessions_.address(peer).ip;
      lease.start_in_ms = start_ms;
      if (lease.peer_address.port != 0) send(sessions_.seal(self, protocol::encode(lease)), sessions_.address(self));
    };
    half(pair.to, pair.from, protocol::ProbeRole::responder, 0);
    half(pair.from, pair.to, protocol::ProbeRole::initiator, 20);
    waiting_ = true;
    deadline_s_ = now_s + 9;
  }

  std::int32_t count() const { return static_cast<std::int32_t>(hosts_.nodes.size()); }

  Options options_;
  SlurmHosts hosts_;
  std::unique_ptr<protocol::Credentials> credentials_;
  protocol::ServerSessions sessions_;
  protocol::UdpSocket socket_;
  std::vector<std::vector<protocol::NetAddress>> addresses_;
  std::vector<std::optional<protocol::Heartbeat>> beats_;
  std::deque<Pair> pairs_;
  bool made_ = false, waiting_ = false, finished_ = false;
  double ready_s_ = 0, deadline_s_ = 0, finished_s_ = 0;
  unsigned long long datagrams_ = 0, received_ = 0, sent_ = 0, heartbeats_ = 0;
};

std::vector<std::string> at_commas(const char* text) {
  std::vector<std::string> parts(1);
  for (; *text; ++text) {
    if (*text == ',')
      parts.emplace_back();
    else
      parts.back() += *text;
  }
  return parts;
}

int listen(int argc, char** argv) {
  Options options;
  for (int code; (code = getopt(argc, argv, "f:s:p:a:h")) != -1;) switch (code) {
      case 'f': options.conf = optarg; break;
      case 's': options.seconds = std::atof(optarg); break;
      case 'p':
        for (const std::string& kind : at_commas(optarg))
          options.kinds.push_back(kind == "latency" ? protocol::ProbeKind::latency : protocol::ProbeKind::train);
        break;
      case 'a':
        for (const std::string& job : at_commas(optarg))
          options.jobs.push_back(static_cast<std::uint32_t>(std::atol(job.c_str())));
        break;
      default: std::fputs(usage_text, code == 'h' ? stdout : stderr); return code == 'h' ? 0 : 2;
    }
  Listener(options, read_slurm_hosts(options.conf),
           read_config(placement_conf_path(options.conf), MissingFile::defaults))
      .run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    return listen(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "agent_listener: %s\n", error.what());
    return 1;
  }
}
