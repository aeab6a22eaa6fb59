// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

enum class TrafficKind : std::uint32_t { point_to_point, collective, one_sided, topology };
inline constexpr std::uint32_t traffic_kinds = 4;

std::string_view to_string(TrafficKind kind);

// What one rank sent to one other; all in bytes and messages.
struct PeerTraffic {
  std::int32_t peer = 0;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
};

// How the rank that a table belongs to came to its end.
enum class RankState : std::uint32_t { running, aborted, no_finalize, finalized };

// The counters of one process: bytes and messages to each rank of MPI_COMM_WORLD, by kind, and what
// the summary needs [TOFA §1]. Memory is 64 bytes per rank; in memory alone, only pages that were counted in take room.
//
// The counters can live in a file that is mapped into memory: then they outlast the process, however
// it dies, at no cost per message.
class Traffic {
 public:
  static constexpr std::uint32_t size_classes = 65;  // 0 bytes, then 2^(k-1) .. 2^k - 1

  // `path` empty: in memory alone. Throws Error when the file cannot be made.
  Traffic(std::int32_t rank, std::int32_t ranks, std::uint64_t run, const std::string& path);
  // A table that another process left; read only. Throws Error when it is none or is cut short.
  static Traffic left_behind(const std::string& path);
  ~Traffic();
  Traffic(Traffic&& other) noexcept;
  Traffic& operator=(Traffic&& other) noexcept;

  std::int32_t rank() const;
  std::int32_t ranks() const;
  std::uint64_t run() const;  // the same number in all tables of one run
  RankState state() const;
  void set_state(RankState state);

  // From now on several threads may add at once.
  void set_threaded(bool threaded) { threaded_ = threaded; }

  // `messages` messages of `bytes` bytes in all to a world rank.
  void add(TrafficKind kind, std::int32_t peer, std::uint64_t bytes, std::uint64_t messages = 1);
  // The same to a process that is not in MPI_COMM_WORLD.
  void add_outside(std::uint64_t bytes, std::uint64_t messages = 1);
  void add_time(std::uint64_t ticks);

  // All peers with traffic of the given kinds (bit k: kind k), ascending; the rank itself included.
  std::vector<PeerTraffic> peers(std::uint32_t kinds) const;
  PeerTraffic total(TrafficKind kind) const;  // over all peers, outside ones not counted
  PeerTraffic outside() const;
  std::array<std::uint64_t, size_classes> sizes() const;  // messages per size class
  std::uint64_t ticks() const;  // in calls that can wait
  std::uint64_t calls() const;

  static std::uint32_t size_class(std::uint64_t bytes);

 private:
  struct Header;
  struct Counter {
    std::atomic<std::uint64_t> bytes;
    std::atomic<std::uint64_t> messages;
  };

  Traffic() = default;
  void bump(std::atomic<std::uint64_t>& counter, std::uint64_t amount);
  Counter& counter(TrafficKind kind, std::int32_t peer) const;

  Header* header_ = nullptr;  // followed by the counters, one row of `ranks` per kind
  Counter* counters_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  bool threaded_ = true;
};

}  // namespace placement
