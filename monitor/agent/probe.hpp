// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "monitor/protocol/seal.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement::agent {

// Suitable sizes of probes. A train exceeds the burst of a usual traffic shaper, and fits into default socket buffers.
inline constexpr std::uint16_t usual_train_packets = 160;
inline constexpr std::uint16_t usual_latency_packets = 9;
inline constexpr std::uint16_t usual_latency_bytes = 128;

// The headers of a frame in addition to its datagram: Ethernet, IPv4 and UDP.
inline constexpr double frame_overhead_bytes = 14 + 20 + 8;

// The arrival of one packet of a train. `at_ns` is the kernel's time stamp.
struct TrainArrival {
  std::uint32_t index = 0;
  std::int64_t at_ns = 0;
};

// Returns the rate of the narrowest link on the route of a train, in bytes per second with all headers. The train had
// `packets` packets of `packet_bytes` each. The rate is the median over pieces of the train. The first quarter is left
// out, because a token bucket may have let it pass without delay. Returns NaN when too few packets arrived.
double train_rate_Bps(std::vector<TrainArrival> arrivals, std::uint32_t packets, std::uint32_t packet_bytes);

// The sending half of a socket, and the clock of the kernel's time stamps on arriving datagrams.
class ProbeIo {
 public:
  virtual ~ProbeIo() = default;
  // Returns false if the socket cannot take the datagram now.
  virtual bool send(protocol::ByteView datagram, const protocol::NetAddress& to) = 0;
  virtual std::int64_t now_ns() = 0;  // nanoseconds of the wall clock, as in the time stamps
};

// One end of probes. It makes only probes that a lease allows, one at a time, within a budget of bytes. It has no
// socket and no clock of its own, so that tests need neither.
class Prober {
 public:
  // The state of the node when a lease arrives.
  struct Conditions {
    bool lease_is_new = false;  // it comes from the leader and its term is still valid
    bool busy = false;          // a job runs that must not be disturbed
  };

  // `bytes_per_minute` is the number of bytes that may be sent. Half of it may be sent at once. 0 means no probes.
  explicit Prober(double bytes_per_minute);

  // Begins the probe of a lease and returns none. If the probe is not possible, returns a result with the reason.
  std::optional<protocol::ProbeResult> begin(const protocol::ProbeLease& lease, const Conditions& conditions,
                                             double now_s);
  // Sends what is due. It has to be called at next_s(), and when the socket can send again.
  void run(double now_s, ProbeIo& io);
  // Handles a datagram from the probe socket. A datagram that does not belong to the probe is dropped.
  void receive(protocol::ByteView datagram, const protocol::NetAddress& from, std::int64_t arrived_ns, double now_s,
               ProbeIo& io);
  // Returns the result of a finished probe, once.
  std::optional<protocol::ProbeResult> take_result() { return std::exchange(result_, std::nullopt); }

  double next_s() const;            // when run() is due; infinite: never
  bool wants_to_send() const;       // the socket did not take all that has to be sent
  bool active(double now_s) const;  // a probe runs

 private:
  enum class Stage : std::uint8_t { waiting, exchanging, sending, asking, serving };
  struct Probe {
    protocol::ProbeLease lease;
    protocol::SealedChannel channel;
    Stage stage = Stage::waiting;
    double end_s = 0;
    double next_s = 0;
    std::uint32_t index = 0;    // index of the ping without an answer, or of the next packet of the train
    std::uint32_t answers = 0;  // number of answers that the responder has sent
    std::int64_t ping_ns = 0;
    bool pinged = false;
    std::vector<double> latencies_us;
    std::vector<protocol::Bytes> sealed;  // packets of the train, by their number
    std::vector<TrainArrival> arrivals;
    bool done = false;  // the result is known, or nothing more is expected

    protocol::Bytes seal(const protocol::ProbePacket& packet);  // returns the packet's datagram
  };

  protocol::ProbeResult result_of(const protocol::ProbeLease& lease, protocol::ProbeOutcome outcome) const;
  void ping(double now_s, ProbeIo& io);
  void send_train(double now_s, ProbeIo& io);
  void take_pong(const protocol::ProbePacket& packet, std::int64_t arrived_ns, double now_s, ProbeIo& io);
  void take_report(const protocol::ProbePacket& packet);
  void serve(const protocol::ProbePacket& packet, std::int64_t arrived_ns, ProbeIo& io);
  void finish(protocol::ProbeOutcome outcome);
  void finish_exchanges();

  double bytes_per_minute_;
  protocol::TokenBucket budget_;
  std::optional<Probe> probe_;
  std::optional<protocol::ProbeResult> result_;
};

}  // namespace placement::agent
