// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/profile.hpp"

#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "common/util/error.hpp"
#include "mpi/slice_sampling.hpp"

namespace placement::mpi::profile {

constinit std::atomic<Traffic*> counting{nullptr};
constinit std::atomic<bool> running{false};
constinit std::atomic<Sampling> sampling{Sampling::off};

// A thread that makes this number of calls in a 64th of a slice checks the time only once in this number of calls. A
// slower thread checks it at each call.
constexpr unsigned calls_per_look = 64;
constexpr std::uint64_t shortest_look_ns = SliceSampling::usual_slice_ns / 64;
thread_local constinit unsigned calls_to_look = calls_per_look;

namespace {

using Clock = std::chrono::steady_clock;

// Up to this number of ranks, a table for each rank is kept in a file by default. The tables take 64 bytes of disk
// space for each ordered pair of ranks while the program runs.
constexpr std::int32_t salvage_ranks = 1024;

// Measures how long the process has run. The time in which it sleeps or waits for a processor does not count, because a
// slice without a processor has no messages. Of several threads that run at once, one counts.
class RunningTime {
 public:
  // Returns the nanoseconds since the first call.
  std::uint64_t elapsed_ns() {
    const std::int64_t wall = now_ns(CLOCK_MONOTONIC), processor = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (wall_ != 0) elapsed_ += std::max<std::int64_t>(std::min(wall - wall_, processor - processor_), 0);
    wall_ = wall;
    processor_ = processor;
    return static_cast<std::uint64_t>(elapsed_);
  }

 private:
  static std::int64_t now_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
  }

  std::int64_t wall_ = 0, processor_ = 0, elapsed_ = 0;
};

struct State {
  std::unique_ptr<Traffic> traffic;
  ProfileSettings settings;
  MPI_Comm comm = MPI_COMM_NULL;  // the profiler's own, so that its messages do not mix with those of the program
  bool table_on_disk = false;
  pid_t process = 0;
  std::uint64_t begin_ticks = 0;
  std::optional<SliceSampling> slices;  // this and `running` are used by the thread that has `turn`
  RunningTime running;
  std::atomic<std::uint64_t> next_look = 0, shortest_look = 0;  // in ticks
  std::mutex turn;                                              // held by the thread that changes the sampling
  Clock::time_point begin_time;
};

// The state is never destroyed, because threads of the program may still be in MPI calls when the process ends.
State& state = *new State;

void say(const std::string& text) { std::fprintf(stderr, "placement: %s\n", text.c_str()); }

void make_table(int rank, int ranks, std::uint64_t run) {
  const auto salvage = state.settings.salvage;
  using Salvage = ProfileSettings::Salvage;
  if (salvage == Salvage::yes || (salvage == Salvage::automatic && ranks <= salvage_ranks)) {
    try {
      state.traffic = std::make_unique<Traffic>(rank, ranks, run, state.settings.table(rank));
      state.table_on_disk = true;
      return;
    } catch (const Error& error) {
      if (rank == 0) say(std::string(error.what()) + "; if the program dies, its profile is lost");
    }
  }
  state.traffic = std::make_unique<Traffic>(rank, ranks, run, "");
}

// Returns the communicator that the program sees as MPI_COMM_WORLD. The reorder library may have replaced it. If it is
// preloaded after this library, it has done so by now, and the matrix has the ranks that the program sees.
MPI_Comm world_of_program() {
  MPI_Comm world = MPI_COMM_WORLD;
  if (void* symbol = dlsym(RTLD_DEFAULT, "placement_world")) reinterpret_cast<int (*)(MPI_Comm*)>(symbol)(&world);
  return world;
}

// Removes the library and its settings from the environment. Programs that this one starts, perhaps with another MPI
// library, then do not inherit them.
void leave_environment() {
  for (const char* name : profile_variables) unsetenv(name);
  const char* const preload = std::getenv("LD_PRELOAD");
  if (!preload) return;
  std::string others;
  std::string_view left(preload);
  while (!left.empty()) {
    const std::size_t end = std::min(left.find_first_of(": "), left.size());
    const std::string_view one = left.substr(0, end);
    if (!one.empty() && one.find("libplacement-profile") == one.npos)
      others += (others.empty() ? "" : ":") + std::string(one);
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  if (others.empty())
    unsetenv("LD_PRELOAD");
  else
    setenv("LD_PRELOAD", others.c_str(), 1);
}

// Returns the rate of ticks(), measured from begin() to `now`.
double ticks_per_second(std::uint64_t now) {
  const double seconds = std::chrono::duration<double>(Clock::now() - state.begin_time).count();
  return seconds > 0 ? static_cast<double>(now - state.begin_ticks) / seconds : 1;
}

// Prepares this rank for counting. Returns why it cannot count; empty if it can. Either all ranks count or none.
std::string prepare(int rank, int ranks, std::uint64_t run) {
  try {
    state.settings = profile_settings();
    // The program may change its working directory. Programs that it spawns write a profile of their own.
    state.settings.file = std::filesystem::absolute(state.settings.file).string();
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) state.settings.file += spawned_suffix(std::getenv("PMIX_NAMESPACE"));
    if (!state.settings.children) leave_environment();
    make_table(rank, ranks, run);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

// Reports the counts that remain when a program ends without MPI_Finalize. A child process after fork() does nothing.
__attribute__((destructor)) void ended() {
  if (!state.traffic || getpid() != state.process || state.traffic->state() != RankState::running) return;
  state.traffic->set_state(RankState::no_finalize);
  if (state.table_on_disk)
    say("rank " + std::to_string(state.traffic->rank()) + " ended without MPI_Finalize; its counts are in " +
        state.settings.table(state.traffic->rank()) + ": placement-profile --merge " + state.settings.file);
}

}  // namespace

Traffic* traffic_in_pauses_too() { return sampling == Sampling::in_pause ? state.traffic.get() : traffic(); }

CollectiveModel collective_model() { return state.settings.collectives; }

void begin() {
  if (state.traffic) return;
  int thread_level = MPI_THREAD_MULTIPLE;  // MPI_Init, too, may give more than MPI_THREAD_SINGLE
  PMPI_Query_thread(&thread_level);
  int rank = 0;
  int ranks = 1;
  const MPI_Comm world = world_of_program();
  PMPI_Comm_rank(world, &rank);
  PMPI_Comm_size(world, &ranks);
  PMPI_Comm_dup(world, &state.comm);
  std::uint64_t run = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  PMPI_Bcast(&run, 1, MPI_UINT64_T, 0, state.comm);
  const std::string trouble = prepare(rank, ranks, run);
  int first_in_trouble = trouble.empty() ? ranks : rank;
  PMPI_Allreduce(MPI_IN_PLACE, &first_in_trouble, 1, MPI_INT, MPI_MIN, state.comm);
  if (first_in_trouble < ranks) {
    if (rank == first_in_trouble)
      say(trouble + (rank == 0 ? "" : " (rank " + std::to_string(rank) + ")") + "; nothing is profiled");
    if (state.table_on_disk) unlink(state.settings.table(rank).c_str());
    state.traffic.reset();
    PMPI_Comm_free(&state.comm);
    return;
  }
  state.traffic->set_threaded(thread_level == MPI_THREAD_MULTIPLE);
  start_world_ranks(world);
  state.process = getpid();
  state.begin_time = Clock::now();
  state.begin_ticks = ticks();
  running = true;
  counting = state.traffic.get();
  if (state.settings.sample) {
    state.slices.emplace(static_cast<std::uint64_t>(rank) ^ run, state.running.elapsed_ns(), 0);
    sampling = Sampling::in_slice;
  }
}

// The time is compared again while this thread has the turn, because another thread may have had it meanwhile.
void look_at_sampling(std::uint64_t now) {
  if (now < state.next_look.load(std::memory_order_relaxed)) return;
  const std::unique_lock turn(state.turn, std::try_to_lock);
  if (!turn || sampling == Sampling::off || now < state.next_look) return;
  const std::uint64_t running = state.running.elapsed_ns();
  state.slices->look(running, state.traffic->messages());
  state.traffic->set_weight(state.slices->weight());
  const std::uint64_t pause = std::max(state.slices->next_look() - running, shortest_look_ns);
  const double ticks_per_ns = ticks_per_second(now) / 1e9;
  state.next_look = now + static_cast<std::uint64_t>(static_cast<double>(pause) * ticks_per_ns);
  state.shortest_look = static_cast<std::uint64_t>(static_cast<double>(shortest_look_ns) * ticks_per_ns);
  const bool counts = state.slices->counts();
  sampling = counts ? Sampling::in_slice : Sampling::in_pause;
  counting = counts ? state.traffic.get() : nullptr;
}

void look_at_sampling_now() {
  [[gnu::tls_model("initial-exec")]] static thread_local std::uint64_t last_look = 0;
  const std::uint64_t now = ticks();
  calls_to_look = now - last_look < state.shortest_look.load(std::memory_order_relaxed) ? calls_per_look : 1;
  last_look = now;
  look_at_sampling(now);
}

void end() {
  sampling = Sampling::off;
  counting = nullptr;
  running = false;
  if (!state.traffic || state.traffic->state() != RankState::running) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - state.begin_time).count();
  bool written = false;
  try {
    written = write_profile(*state.traffic, state.settings, state.comm, {seconds, ticks_per_second(ticks())});
  } catch (const std::exception& error) {
    say(error.what());
  }
  state.traffic->set_state(RankState::finalized);
  if (state.table_on_disk && written) unlink(state.settings.table(state.traffic->rank()).c_str());
  stop_world_ranks();
  PMPI_Comm_free(&state.comm);
}

void aborted() {
  if (!state.traffic || state.traffic->state() != RankState::running) return;
  state.traffic->set_state(RankState::aborted);
  // srun sets these two for a learned profile. Its user did not ask for it, and gets no message.
  if (state.settings.sample && state.settings.salvage == ProfileSettings::Salvage::no) return;
  const std::string& file = state.settings.file;
  say("MPI_Abort on rank " + std::to_string(state.traffic->rank()) + "; the " +
      (state.table_on_disk ? "counts so far remain in " + file + ".rank*: placement-profile --merge " + file
                           : "profile is lost"));
}

void set_level(int level) {
  const std::lock_guard turn(state.turn);
  if (state.traffic && state.traffic->state() == RankState::running)
    counting = level == 0 ? nullptr : state.traffic.get();
  sampling = Sampling::off;  // MPI_Pcontrol of the program now decides when to count
  if (state.traffic) state.traffic->set_weight(1);
}

}  // namespace placement::mpi::profile
