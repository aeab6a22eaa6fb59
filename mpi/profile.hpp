// SPDX-License-Identifier: GPL-2.0-or-later
// The state of the profiler in this process, and the functions that the wrappers of MPI calls use [TOFA §1].
#pragma once
#include <atomic>
#include <cstdint>
#include <mpi.h>
#include <vector>

#include "mpi/settings.hpp"
#include "mpi/slice_sampling.hpp"
#include "mpi/traffic.hpp"
#include "mpi/world_ranks.hpp"

namespace placement::mpi::profile {

// The counters; null before MPI_Init, after MPI_Finalize, and between MPI_Pcontrol(0) and the next MPI_Pcontrol with
// another level.
extern constinit std::atomic<Traffic*> counting;

// True between MPI_Init and MPI_Finalize, independent of MPI_Pcontrol.
extern constinit std::atomic<bool> running;

// Returns the counters; null when nothing is to be counted.
inline Traffic* traffic() { return counting.load(std::memory_order_relaxed); }

// Returns the counters for events that happen once, such as the creation of a topology. Pauses of the sampling do not
// stop them.
Traffic* traffic_in_pauses_too();

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

// Checks whether a slice or a pause of the sampling ends at `now`. Any thread may call it.
void look_at_sampling(std::uint64_t now);
// The number of calls of this thread until the next check of the sampling. The library is loaded at the start of the
// program, so the faster model of thread-local variables works.
extern thread_local constinit unsigned calls_to_look __attribute__((tls_model("initial-exec")));
// Calls look_at_sampling() with the present time, and sets calls_to_look.
void look_at_sampling_now();
// Calls look_at_sampling_now() only in some of its calls, because reading the clock takes as long as counting a
// message.
inline void look_at_sampling_sometimes() {
  if (--calls_to_look == 0) look_at_sampling_now();
}

// Measures an MPI call that may wait, and adds its time to the time in MPI. The object exists during the call.
class Timed {
 public:
  Timed() : traffic_(traffic()), begin_(traffic_ ? ticks() : 0) {}
  ~Timed() {
    const Sampling now_sampling = sampling.load(std::memory_order_relaxed);
    if (traffic_ && traffic_ == traffic()) {
      const std::uint64_t end = ticks();
      traffic_->add_time(end - begin_);
      if (now_sampling == Sampling::in_slice) look_at_sampling(end);
    } else if (now_sampling == Sampling::in_pause) {
      look_at_sampling_sometimes();
    }
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Traffic* traffic_;
  std::uint64_t begin_;
};

// Replaces Timed around calls that return without waiting.
struct Untimed {
  Untimed() {}
  // Notices the end of a pause of the sampling.
  [[gnu::always_inline]] ~Untimed() {
    // A program that polls may have no other calls.
    if (sampling.load(std::memory_order_relaxed) != Sampling::off) look_at_sampling_sometimes();
  }
  Untimed(const Untimed&) = delete;
  Untimed& operator=(const Untimed&) = delete;
};

// Returns the bytes of data in `count` elements of the type, without gaps.
template <class Count>
std::uint64_t bytes_of(Count count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return 0;
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size > 0 ? size : 0);
}

// Counts `messages` messages of `bytes` bytes altogether to a rank of MPI_COMM_WORLD, or WorldRanks::outside.
inline void count_to_world(Traffic& into, TrafficKind kind, std::int32_t world, std::uint64_t bytes,
                           std::uint64_t messages) {
  if (world == WorldRanks::outside)
    into.add_outside(bytes, messages);
  else
    into.add(kind, world, bytes, messages);
}

// As count_to_world(), for the process `rank` of a group. Other values of `rank` are ignored.
inline void count_to(Traffic& into, TrafficKind kind, const WorldRanks& group, int rank, std::uint64_t bytes,
                     std::uint64_t messages = 1) {
  if (rank < 0 || rank >= group.size()) return;  // MPI_PROC_NULL, MPI_ROOT, or a wrong rank that MPI reports
  count_to_world(into, kind, group.world(rank), bytes, messages);
}

// Begins the profile after a successful MPI_Init. The call is collective over the world of the program.
void begin();
// Ends the profile before MPI_Finalize and writes it. The call is collective.
void end();
// Reports before MPI_Abort what remains of the profile.
void aborted();
// Returns the model by which this run decomposes collectives into messages. It is constant after begin().
CollectiveModel collective_model();
// Handles MPI_Pcontrol: level 0 stops counting, any other level continues it.
void set_level(int level);

// The messages to one process that each start of a persistent request sends.
struct PlannedSend {
  TrafficKind kind;
  std::int32_t world;      // rank in MPI_COMM_WORLD, or WorldRanks::outside for a process that is not in it
  std::uint64_t bytes;     // in all messages
  std::uint64_t messages;  // their number
};

// Stores the messages of a persistent request. They replace messages stored for this handle before. Any thread may
// call it.
void remember_request(MPI_Request request, std::vector<PlannedSend> sends);
// Removes the messages stored for a request. Any thread may call it.
void forget_request(MPI_Request request);
// Counts the messages stored for a request, at one start of it. Any thread may call it.
void count_request(MPI_Request request);

// The time of a run, and the rate of the clock that Traffic uses.
struct RunTime {
  double seconds = 0;           // from MPI_Init to MPI_Finalize
  double ticks_per_second = 1;  // rate of Traffic::ticks()
};

// Writes the matrix and, if settings.summary is set, the summary next to it. The call is collective over `comm`, a
// duplicate of MPI_COMM_WORLD. Both directions of a pair are added at the lower rank. Rank 0 writes the matrix row by
// row in the np format: "np RANKS", then lines "source target bytes messages" with source < target, ascending. No rank
// holds more than its own row and 2 MiB. Returns on each rank whether the matrix is written. If it is not, rank 0 has
// printed the reason.
bool write_profile(const Traffic& traffic, const ProfileSettings& settings, MPI_Comm comm, const RunTime& time);

}  // namespace placement::mpi::profile
