// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/topology/slurm_hosts.hpp"
#include "monitor/monitor/history_keeper.hpp"
#include "monitor/monitor/leader_election.hpp"
#include "monitor/monitor/monitor_port.hpp"
#include "monitor/monitor/node_watch.hpp"
#include "monitor/monitor/peer_messages.hpp"
#include "monitor/monitor/probing.hpp"
#include "monitor/monitor/trouble_log.hpp"
#include "monitor/protocol/address_lookup.hpp"
#include "monitor/protocol/credentials.hpp"

namespace placement::monitor {

// The objects that the exchange with the other monitors reads and changes. All of it must outlive the exchange.
struct PeerContext {
  MonitorPort& port;
  NodeWatch& watch;
  HistoryKeeper& keeper;
  LeaderElection& election;
  Probing& probing;
};

// The exchange between the monitors of a cluster: who is the leader, and what each has recorded and measured. A monitor
// is the client of those that come earlier in slurm.conf, from a socket of its own; the later ones have sessions at its
// port.
class PeerExchange {
 public:
  // `controllers` are the SlurmctldHost lines, of which this monitor's is number `order`, and `udp_port` is MonitorPort
  // of all. The credentials must outlive the exchange. Throws Error when no socket can be opened.
  PeerExchange(std::vector<SlurmHost> controllers, std::int32_t order, std::int64_t udp_port,
               protocol::Credentials& credentials, const PeerContext& context, Log log);

  // Returns the descriptor that is readable when an earlier monitor has sent something.
  int descriptor() const { return socket_.descriptor(); }
  // These two take messages of earlier monitors from the socket, and one message of the later monitor number `order`.
  // They throw DatabaseError when the history that is asked for cannot be read.
  void receive(double now_s);
  void take_message(std::int32_t order, protocol::ByteView message, double now_s);

  // Begins handshakes, and sends this monitor's state and new measurements to the others. Asks them for changes of
  // their history. It has to be called every few seconds. Throws DatabaseError.
  void exchange(double now_s);
  // Takes the terms that agents have heard into the election. Several agents have to report a term, so that a single
  // wrong report has no effect.
  void hear_agents(double now_s);

  std::size_t monitors() const { return peers_.size(); }  // with this one
  std::int64_t heard(double now_s) const;                 // number of others heard in the last 10 seconds

 private:
  struct Peer {  // another monitor
    Peer(std::int32_t order, const Log& log) : order(order), notes(log) {}

    std::int32_t order;
    std::optional<protocol::ClientSession> session;  // set for earlier monitors: this one is their client
    std::optional<protocol::NetAddress> address;
    protocol::AddressLookup lookup;
    double next_lookup_s = 0;
    std::optional<PeerState> state;
    double heard_s = -1e9;
    double asked_s = -1e9;
    std::array<std::uint8_t, 16> asked_history{};  // the instance that was asked, to which the answer's cursor belongs
    TroubleLog notes;
  };

  const SlurmHost& host(const Peer& peer) const { return controllers_[static_cast<std::size_t>(peer.order)]; }
  void take(Peer& peer, protocol::ByteView message, double now_s);
  void take_changes(Peer& peer, const History::Changes& changes, double now_s);
  void keep_session(Peer& peer, double now_s);
  void send(Peer& peer, const protocol::Bytes& message);
  void ask(Peer& peer, std::int64_t after, double now_s);
  std::int64_t cursor(const PeerState& state);

  std::vector<SlurmHost> controllers_;
  std::int32_t order_;
  std::uint16_t udp_port_;
  PeerContext with_;
  protocol::UdpSocket socket_;
  std::vector<Peer> peers_;  // by number; the entry of this monitor itself is not used
};

}  // namespace placement::monitor
