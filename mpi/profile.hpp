// SPDX-License-Identifier: GPL-2.0-or-later
// The profiler's state in this process, and what the wrappers of MPI calls tell it [TOFA §1].
#pragma once
#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "mpi/traffic.hpp"
#include "mpi/world_ranks.hpp"

namespace placement::profile {

// The counters; null before MPI_Init, after MPI_Finalize, and while MPI_Pcontrol(0) holds.
extern constinit std::atomic<Traffic*> counting;

// Between MPI_Init and MPI_Finalize, whatever MPI_Pcontrol says.
extern constinit std::atomic<bool> running;

inline Traffic* traffic() { return counting.load(std::memory_order_relaxed); }

// A cheap clock, the same in all threads; profile_end measures its rate.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

// Around calls that can wait: the time in MPI.
class Timed {
 public:
  Timed() : traffic_(traffic()), begin_(traffic_ ? ticks() : 0) {}
  ~Timed() {
    if (traffic_ && traffic_ == traffic()) traffic_->add_time(ticks() - begin_);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Traffic* traffic_;
  std::uint64_t begin_;
};

// Around calls that only begin something, or look.
struct Untimed {
  Untimed() {}
};

// Bytes in `count` elements of the type, as the type map has them.
template <class Count>
std::uint64_t bytes_of(Count count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return 0;
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size > 0 ? size : 0);
}

// `messages` messages of `bytes` bytes in all to a process of a group.
inline void count_to(Traffic& into, TrafficKind kind, const WorldRanks& group, int rank, std::uint64_t bytes,
                     std::uint64_t messages = 1) {
  if (rank < 0 || rank >= group.size()) return;  // MPI_PROC_NULL, MPI_ROOT, or an error that MPI reports
  const std::int32_t world = group.world(rank);
  if (world == WorldRanks::outside)
    into.add_outside(bytes, messages);
  else
    into.add(kind, world, bytes, messages);
}

// The life of a profile: after a successful MPI_Init, before MPI_Finalize and MPI_Abort; and
// MPI_Pcontrol, whose level 0 stops counting and any other level goes on with it.
void begin(int thread_level);
void end();
void aborted();
void set_level(int level);

}  // namespace placement::profile
