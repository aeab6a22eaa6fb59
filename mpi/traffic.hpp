// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace placement::mpi {

// The kinds of traffic. `topology` is not traffic, but the edges of virtual topologies of the program.
enum class TrafficKind : std::uint32_t { point_to_point, collective, one_sided, topology };
inline constexpr std::uint32_t traffic_kinds = 4;

// The messages of one rank to one other.
struct PeerTraffic {
  std::int32_t peer = 0;       // the other rank in MPI_COMM_WORLD
  std::uint64_t bytes = 0;     // in all messages
  std::uint64_t messages = 0;  // their number
};

// How the process of a table ended.
enum class RankState : std::uint32_t { running, aborted, no_finalize, finalized };

// The counters of one process [TOFA §1]: bytes and messages to each rank of MPI_COMM_WORLD by kind, and the counters of
// the summary. The table takes 64 bytes for each rank. In memory, only pages with counts take space.
//
// The counters can be in a file that is mapped into memory. They then remain after any end of the process, and counting
// takes no more time.
class Traffic {
 public:
  static constexpr std::uint32_t size_classes = 65;  // class 0: 0 bytes; class k: 2^(k-1) to 2^k - 1 bytes

  // Makes an empty table for `rank` of `ranks` ranks.
  //   run   a number that is equal in all tables of one run, and larger in later runs
  //   path  the file of the table, which is replaced; empty: the table is in memory only
  // Throws Error when the table cannot be made.
  Traffic(std::int32_t rank, std::int32_t ranks, std::uint64_t run, const std::string& path);
  // Returns the table of another process, read-only. Throws Error if the file is not a table or is incomplete.
  static std::unique_ptr<const Traffic> left_behind(const std::string& path);
  ~Traffic();
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

  // Return the rank in MPI_COMM_WORLD of the process of this table, and the number of ranks there.
  std::int32_t rank() const { return static_cast<std::int32_t>(header_->rank); }
  std::int32_t ranks() const { return static_cast<std::int32_t>(header_->ranks); }
  // Returns the number of the run, which is equal in all its tables.
  std::uint64_t run() const { return header_->run; }
  // Return and set how the process ended.
  RankState state() const { return static_cast<RankState>(header_->state.load()); }
  void set_state(RankState state) { header_->state = static_cast<std::uint32_t>(state); }

  // Sets the factor by which messages and times that are added from now on are multiplied; 1 by default. An edge of a
  // topology counts once.
  void set_weight(std::uint64_t weight) { weight_.store(weight, std::memory_order_relaxed); }

  // Sets whether several threads may add at once; true by default.
  void set_threaded(bool threaded) { threaded_ = threaded; }

  // Counts `messages` messages of `bytes` bytes altogether to a world rank.
  void add(TrafficKind kind, std::int32_t peer, std::uint64_t bytes, std::uint64_t messages = 1);
  // Counts `messages` messages of `bytes` bytes altogether to a process that is not in MPI_COMM_WORLD.
  void add_outside(std::uint64_t bytes, std::uint64_t messages = 1);
  // Counts a call that can wait, and its time.
  void add_time(std::uint64_t ticks);

  // Returns all peers with traffic of the kinds `kinds` (bit k: kind k), ascending. The rank itself may be among them.
  std::vector<PeerTraffic> peers(std::uint32_t kinds) const;
  PeerTraffic total(TrafficKind kind) const;              // over all peers in MPI_COMM_WORLD
  PeerTraffic outside() const;                            // to processes that are not in MPI_COMM_WORLD
  std::array<std::uint64_t, size_classes> sizes() const;  // messages of each size class
  std::uint64_t messages() const;                         // of all size classes
  std::uint64_t ticks() const { return header_->ticks; }  // time in calls that can wait
  std::uint64_t calls() const { return header_->calls; }  // number of calls that can wait

  // Returns the size class of a message.
  static std::uint32_t size_class(std::uint64_t bytes) { return static_cast<std::uint32_t>(std::bit_width(bytes)); }

 private:
  struct Counter {
    std::atomic<std::uint64_t> bytes;
    std::atomic<std::uint64_t> messages;
  };
  struct Header {
    char magic[8];
    std::uint32_t ranks;
    std::uint32_t rank;
    std::uint64_t run;
    std::atomic<std::uint32_t> state;
    std::uint32_t reserved;
    std::atomic<std::uint64_t> ticks;
    std::atomic<std::uint64_t> calls;
    Counter outside;
    std::array<std::atomic<std::uint64_t>, size_classes> sizes;
  };

  Traffic() = default;
  std::uint64_t weight() const { return weight_.load(std::memory_order_relaxed); }
  void bump(std::atomic<std::uint64_t>& counter, std::uint64_t amount);
  Counter& counter(TrafficKind kind, std::int32_t peer) const;

  Header* header_ = nullptr;  // followed by the counters, `ranks` of them for each kind
  Counter* counters_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::atomic<std::uint64_t> weight_ = 1;
  bool threaded_ = true;
};

}  // namespace placement::mpi
