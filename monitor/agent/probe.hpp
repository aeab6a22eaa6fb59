// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "monitor/protocol/seal.hpp"
#include "monitor/protocol/session.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement {

// What suits a packet train: long enough that the bucket of a traffic shaper does not matter, short
// enough for the socket buffers that every system gives.
inline constexpr std::uint16_t usual_train_packets = 160;
inline constexpr std::uint16_t usual_latency_packets = 9;
inline constexpr std::uint16_t usual_latency_bytes = 128;

// What a frame has besides its datagram: Ethernet, IPv4 and UDP headers.
inline constexpr double frame_overhead_bytes = 14 + 20 + 8;

// When a packet of a train arrived.
struct TrainArrival {
  std::uint32_t index = 0;
  std::int64_t at_ns = 0;
};

// Bytes per second, headers and all, at which the train came through its narrowest link: the median of
// its pieces. The first quarter, which a bucket may have let through at once, does not count. NaN: too
// few packets.
double train_rate_Bps(std::vector<TrainArrival> arrivals, std::uint32_t packets, std::uint32_t packet_bytes);

// The sending half of a socket, and the clock by which the kernel stamps what arrives.
class ProbeIo {
 public:
  virtual ~ProbeIo() = default;
  virtual bool send(ByteView datagram, const NetAddress& to) = 0;  // false: not now
  virtual std::int64_t now_ns() = 0;
};

// One end of probes: does what a lease allows and nothing else, one probe at a time, within a budget
// of bytes. Holds no socket and reads no clock of its own, so that tests need neither.
class Prober {
 public:
  // What is true of the node when a lease comes.
  struct Conditions {
    bool lease_is_new = false;  // of the monitor that publishes, and its term is not over
    bool busy = false;          // a job runs that must not be disturbed
    bool idle = false;          // hardly any load or traffic: a bulk stream harms nobody
    double other_flow_Bps = unknown_value;
  };

  // Bytes that may be sent in a minute; half a minute's worth at once. 0: no probes.
  explicit Prober(double bytes_per_minute);

  // Takes a lease; a result says at once why not.
  std::optional<ProbeResult> begin(const ProbeLease& lease, const Conditions& conditions, double now_s);
  // Sends what is due. To be called at next_s(), or when the socket can send again.
  void run(double now_s, ProbeIo& io);
  // A datagram of a peer's; what belongs to no probe is dropped.
  void receive(ByteView datagram, const NetAddress& from, std::int64_t arrived_ns, double now_s, ProbeIo& io);
  // The result of a probe that is over.
  std::optional<ProbeResult> take_result() { return std::exchange(result_, std::nullopt); }

  double next_s() const;                       // infinite: never
  bool wants_to_send() const;                  // more than the socket took
  bool active(double now_s) const;

 private:
  enum class Stage : std::uint8_t { waiting, exchanging, sending, asking, serving };
  struct Probe {
    ProbeLease lease;
    SealedChannel channel;
    Stage stage = Stage::waiting;
    double end_s = 0;
    double next_s = 0;
    double other_flow_Bps = unknown_value;
    std::uint32_t index = 0;           // of the ping that is on its way, or of the next packet
    std::uint32_t sent = 0;            // packets, for the result
    std::uint32_t answers = 0;
    std::uint64_t bytes = 0;
    std::int64_t ping_ns = 0;
    bool pinged = false;
    std::vector<double> latencies_us;
    std::vector<Bytes> sealed;         // of the train, the next one last
    std::vector<TrainArrival> arrivals;
    bool done = false;                 // nothing more is expected
  };

  ProbeResult result_of(const ProbeLease& lease, ProbeOutcome outcome) const;
  bool send(Probe& probe, const ProbePacket& packet, ProbeIo& io);
  void ping(double now_s, ProbeIo& io);
  void send_train(double now_s, ProbeIo& io);
  void take_pong(const ProbePacket& packet, std::int64_t arrived_ns, double now_s, ProbeIo& io);
  void take_report(const ProbePacket& packet);
  void serve(const ProbePacket& packet, std::int64_t arrived_ns, ProbeIo& io);
  void finish(ProbeOutcome outcome);

  double bytes_per_minute_;
  TokenBucket budget_;
  std::optional<Probe> probe_;
  std::optional<ProbeResult> result_;
};

}  // namespace placement
