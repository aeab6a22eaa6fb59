// SPDX-License-Identifier: GPL-2.0-or-later
// The state of the profiler in this process, and the functions that the wrappers of MPI calls use [TOFA §1].
#pragma once
#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "mpi/traffic.hpp"
#include "mpi/world_ranks.hpp"

namespace placement::mpi::profile {

// The counters; null before MPI_Init, after MPI_Finalize, and from MPI_Pcontrol(0) to the next other level.
extern constinit std::atomic<Traffic*> counting;

// True between MPI_Init and MPI_Finalize, independent of MPI_Pcontrol.
extern constinit std::atomic<bool> running;

// Returns the counters; null when nothing is to be counted.
inline Traffic* traffic() { return counting.load(std::memory_order_relaxed); }

// Returns the time of a cheap clock that is common to all threads. end() determines its rate.
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

// The state of the sampling of this rank: it is switched off, in a slice that is counted, or in a pause.
enum class Sampling { off, in_slice, in_pause };
extern constinit std::atomic<Sampling> sampling;

// Looks whether a slice of the sampling ends at `now`, and whether a pause ends. Only one thread at a time may call
// them.
void look_for_end_of_slice(std::uint64_t now);
void look_for_end_of_pause();

// Adds the time of a call that can wait to the time in MPI. It is made around the call.
class Timed {
 public:
  Timed() : traffic_(traffic()), begin_(traffic_ ? ticks() : 0) {}
  ~Timed() {
    const Sampling now_sampling = sampling.load(std::memory_order_relaxed);
    if (traffic_ && traffic_ == traffic()) {
      const std::uint64_t end = ticks();
      traffic_->add_time(end - begin_);
      if (now_sampling == Sampling::in_slice) look_for_end_of_slice(end);
    } else if (now_sampling == Sampling::in_pause) {
      look_for_end_of_pause();
    }
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Traffic* traffic_;
  std::uint64_t begin_;
};

// Takes the place of Timed around calls that return without waiting.
struct Untimed {
  Untimed() {}
};

// Returns the bytes of data in `count` elements of the type, without gaps.
template <class Count>
std::uint64_t bytes_of(Count count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return 0;
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size > 0 ? size : 0);
}

// Counts `messages` messages of `bytes` bytes altogether to the process `rank` of a group. Other values of `rank` are
// ignored.
inline void count_to(Traffic& into, TrafficKind kind, const WorldRanks& group, int rank, std::uint64_t bytes,
                     std::uint64_t messages = 1) {
  if (rank < 0 || rank >= group.size()) return;  // MPI_PROC_NULL, MPI_ROOT, or a wrong rank that MPI reports
  const std::int32_t world = group.world(rank);
  if (world == WorldRanks::outside)
    into.add_outside(bytes, messages);
  else
    into.add(kind, world, bytes, messages);
}

// Begins the profile after a successful MPI_Init. The call is collective over the world of the program. `thread_level`
// is the level of thread support that MPI provides.
void begin(int thread_level);
// Ends the profile before MPI_Finalize and writes it. The call is collective.
void end();
// Reports before MPI_Abort what remains of the profile.
void aborted();
// Handles MPI_Pcontrol: level 0 stops counting, any other level continues it.
void set_level(int level);

}  // namespace placement::mpi::profile
