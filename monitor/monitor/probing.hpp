// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "common/policy/config.hpp"
#include "common/state/measured_pairs.hpp"
#include "monitor/monitor/node_watch.hpp"
#include "monitor/monitor/pair_model.hpp"
#include "monitor/monitor/schedule.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/sockets.hpp"

namespace placement::monitor {

// The monitor's UDP port with the sessions at it. The peers are the nodes, by their order in slurm.conf.
struct MonitorPort {
  protocol::UdpSocket socket;
  protocol::ServerSessions sessions;

  // Sends a message to a peer with a session. Throws Error without a session.
  void send(std::int32_t peer, protocol::ByteView message) {
    socket.send(sessions.seal(peer, message), sessions.address(peer));
  }
};

// Numbers of probes since the start.
struct ProbeCounts {
  std::int64_t leases = 0;                                                    // given
  std::array<std::int64_t, protocol::probe_outcome_names.size()> outcomes{};  // as the initiators reported them
};

// While this monitor is the leader, it grants leases for probes to pairs of nodes. The results go into the model of the
// pairs [NLA §8]. Times are seconds of a steady clock.
class Probing {
 public:
  // `switches` are the leaf switches of the nodes. The watch and the port must outlive this object.
  Probing(const Config& config, const NodeSwitches& switches, const NodeWatch& watch, MonitorPort& port);

  // Replaces the switches by which the network is modelled and measured. Measurements of pairs are kept.
  void take_switches(const NodeSwitches& switches);

  // Gives the leases of the round that is due, if one is.
  void give_leases(double now_s);
  // Forgets leases whose results can no longer arrive.
  void drop_old_leases(double now_s);
  // Takes the result of a probe that the node reports. While this monitor leads, a result without a lease of this node
  // is ignored. Otherwise another monitor, the leader, granted the lease, and the measurement is taken.
  void take_result(std::int32_t node, const protocol::ProbeResult& result, bool leads, double now_s);
  // Takes pairs that an MPI program has measured. Ignores pairs of unknown nodes and those that are not present.
  void take_mpi_pairs(std::span<const MeasuredPair> pairs, Moment now);

  PairModel& pairs() { return pairs_; }
  const PairModel& pairs() const { return pairs_; }
  const ProbeCounts& counts() const { return counts_; }

 private:
  struct Lease {
    std::int32_t a = 0, b = 0;  // a is the initiator
    Measurement measurement = Measurement::latency;
    double until_s = 0;
  };

  bool usable(std::int32_t node) const;
  void give_lease(const ProbeSchedule::Round& round, std::size_t which, double now_s);
  void take_measurement(std::int32_t node, const protocol::ProbeResult& result, double now_s);

  Config config_;
  const NodeWatch& watch_;
  MonitorPort& port_;
  PairModel pairs_;
  ProbeSchedule schedule_;
  std::unordered_map<std::uint64_t, Lease> leases_;
  ProbeCounts counts_;
};

}  // namespace placement::monitor
