// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the agents of all nodes of a slurm.conf in one process, for contrib/evaluation/bench-monitor. Each agent starts
// a session by munge, sends heartbeats, and answers leases with made-up results. It samples and probes nothing.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/util/bytes.hpp"
#include "common/util/error.hpp"
#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/seal.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/sockets.hpp"

using namespace placement;

namespace {

constexpr double heartbeat_s = 5;
constexpr std::uint64_t peer_mask = (std::uint64_t{1} << 24) - 1;  // part of a session's id: the node's number

struct Member {
  protocol::ClientSession session;
  double next_beat_s;
  std::uint64_t number = 0;
  std::uint64_t start_id = protocol::random_u64();
};

class Crowd {
 public:
  Crowd(const SlurmHosts& hosts, const protocol::NetAddress& monitor, protocol::Credentials& credentials)
      : socket_(protocol::NetAddress{}),
        monitor_(monitor),
        leader_(hosts.controllers.front().name) {
    members_.reserve(hosts.nodes.size());
    for (const SlurmHost& node : hosts.nodes)
      members_.push_back({protocol::ClientSession(credentials, node.name),
                          protocol::steady_s() + spread() * heartbeat_s, 0, protocol::random_u64()});
  }

  void run(double seconds) {
    const double end_s = protocol::steady_s() + seconds;
    for (double next_look_s = 0; protocol::steady_s() < end_s;) {
      pollfd ready{socket_.descriptor(), POLLIN, 0};
      poll(&ready, 1, 10);
      while (const auto arrival = socket_.receive()) take(arrival->datagram);
      if (protocol::steady_s() < next_look_s) continue;
      next_look_s = protocol::steady_s() + 0.01;
      for (std::size_t i = 0; i < members_.size(); ++i) look_after(i);
    }
  }
  void report() const {
    std::size_t established = 0;
    for (const Member& member : members_) established += member.session.established();
    std::printf(
        "agents %zu, with a session %zu; heartbeats %llu, acknowledged %llu, leases %llu; bytes sent %llu, received %llu\n",
        members_.size(), established, beats_, acks_, leases_, sent_, received_);
  }

 private:
  static double spread() { return static_cast<double>(protocol::random_u64() >> 11) / 9007199254740992.0; }

  void send(const protocol::Bytes& datagram) {
    sent_ += datagram.size();
    socket_.send(datagram, monitor_);
  }

  void look_after(std::size_t i) {
    Member& member = members_[i];
    const double now_s = protocol::steady_s();
    // The first hellos of the agents are spread over half a minute.
    if (now_s < member.next_beat_s && member.number == 0) return;
    if (const protocol::Bytes hello = member.session.due(now_s); !hello.empty()) {
      if (const auto frame = protocol::decode<protocol::HelloFrame>(hello)) by_nonce_[frame->nonce] = i;
      send(hello);
    }
    if (!member.session.established() || now_s < member.next_beat_s) return;
    member.next_beat_s = now_s + heartbeat_s;
    protocol::Heartbeat beat;
    beat.boot_id = i;
    beat.agent_start_id = member.start_id;
    beat.number = ++member.number;
    beat.uptime_s = 100000;
    beat.flags = protocol::slurmd_running;
    beat.probe_address.port = 6829;
    beat.state.cores = 16;
    beat.state.sockets = 2;
    beat.state.memory_MiB = 65536;
    beat.state.cpu_load = {spread(), spread(), spread()};
    beat.state.cpu_utilisation = {spread(), spread(), spread()};
    beat.state.memory_available_MiB = {50000 * spread(), 50000, 50000};
    beat.state.flow_rate_Bps = {1e6 * spread(), 1e6, 1e6};
    beat.follows = leader_;
    beat.settings = settings_;
    send(member.session.seal(protocol::encode(beat)));
    ++beats_;
  }

  void take(protocol::ByteView datagram) {
    received_ += datagram.size();
    const double now_s = protocol::steady_s();
    std::optional<std::size_t> index;
    if (const auto sealed = protocol::decode<protocol::SealedHeader>(datagram))
      index = sealed->session & peer_mask;
    else if (const auto challenge = protocol::decode<protocol::ChallengeFrame>(datagram))
      if (const auto found = by_nonce_.find(challenge->nonce); found != by_nonce_.end()) index = found->second;
    if (!index || *index >= members_.size()) return;
    Member& member = members_[*index];
    const protocol::ClientSession::Received received = member.session.receive(datagram, now_s);
    if (!received.reply.empty()) send(received.reply);
    if (received.message.empty()) return;
    if (const auto ack = protocol::decode<protocol::HeartbeatAck>(received.message)) {
      ++acks_;
    } else if (const auto settings = protocol::decode<protocol::SettingsMessage>(received.message)) {
      settings_ = checksum(std::as_bytes(std::span(settings->text)));
    } else if (const auto lease = protocol::decode<protocol::ProbeLease>(received.message)) {
      ++leases_;
      if (lease->role != protocol::ProbeRole::initiator) return;
      protocol::ProbeResult result;
      result.lease = lease->id;
      result.kind = lease->kind;
      result.peer = lease->peer;
      result.outcome = protocol::ProbeOutcome::measured;
      if (lease->kind == protocol::ProbeKind::latency)
        result.median_latency_us = 10 + 5 * spread();
      else
        result.bandwidth_Bps = 1e9 * (0.8 + 0.2 * spread());
      send(member.session.seal(protocol::encode(result)));
    }
  }

  protocol::UdpSocket socket_;
  protocol::NetAddress monitor_;
  std::string leader_;
  std::uint64_t settings_ = 0;
  std::vector<Member> members_;
  std::map<protocol::Nonce, std::size_t> by_nonce_;
  unsigned long long beats_ = 0, acks_ = 0, leases_ = 0, sent_ = 0, received_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: agent_crowd SLURM_CONF SECONDS\n", stderr);
    return 2;
  }
  try {
    const Config config = read_config(placement_conf_path(argv[1]), MissingFile::defaults);
    const SlurmHosts hosts = read_slurm_hosts(argv[1]);
    const auto monitor =
        protocol::resolve(hosts.controllers.front().address, static_cast<std::uint16_t>(config.monitor_port));
    if (monitor.empty()) throw Error("no address of " + hosts.controllers.front().address);
    const auto credentials = protocol::munge_credentials(getuid(), hosts.munge_socket);
    Crowd crowd(hosts, monitor.front(), *credentials);
    crowd.run(std::atof(argv[2]));
    crowd.report();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "agent_crowd: %s\n", error.what());
    return 1;
  }
  return 0;
}
