// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <unordered_map>

namespace placement {

// Limits the processor time that decisions take in each second, and divides it among users. A user may spend three
// quarters of what the other users have left in this second; the decision that crosses this limit is still made. So a
// user who floods slurmctld with requests uses up their own part, and the next user still finds time. A user who is
// alone has 150 of 200 ms. Time in which other processes have the processor is not counted, because each decision has
// its own deadline.
class DecisionTimeBudget {
 public:
  using Clock = std::chrono::steady_clock;

  // Returns true if `user` has used up their part in this second, where all users together have `limit`.
  bool used_up(uid_t user, Clock::duration limit, Clock::time_point now = Clock::now()) {
    begin_second(now);
    const auto found = spent_by_.find(user);
    const Clock::duration own = found == spent_by_.end() ? Clock::duration{} : found->second;
    const Clock::duration left = std::max(limit - (spent_ - own), Clock::duration{});
    return own >= left * 3 / 4;
  }

  // Counts `time` as spent by `user` in this second. Throws bad_alloc if memory is short.
  void spend(uid_t user, Clock::duration time, Clock::time_point now = Clock::now()) {
    begin_second(now);
    spent_ += time;
    // If more than most_users users come in one second, the time of the later ones is counted together, which bounds
    // the memory. For a later user, used_up() returns true only if all users together have spent the limit.
    spent_by_[spent_by_.size() < most_users || spent_by_.contains(user) ? user : static_cast<uid_t>(-1)] += time;
  }

  // Returns the processor time that the calling thread has used so far.
  static Clock::duration processor_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  }

  // The clock by which decisions are timed. Tests replace it, so that they do not depend on the speed of the machine.
  inline static Clock::duration (*thread_time)() = processor_time;

  // Counts the processor time of the calling thread from the construction to the end of the scope, also when an
  // exception leaves the scope.
  class Use {
   public:
    Use(DecisionTimeBudget& share, uid_t user) : share_(share), user_(user) {}
    ~Use() try { share_.spend(user_, thread_time() - start_); } catch (...) {  // out of memory: not counted
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    DecisionTimeBudget& share_;
    const uid_t user_;
    const Clock::duration start_ = thread_time();
  };

 private:
  static constexpr std::size_t most_users = 256;

  void begin_second(Clock::time_point now) {
    if (now - second_ < std::chrono::seconds(1)) return;
    second_ = now;
    spent_ = {};
    spent_by_.clear();
  }

  Clock::time_point second_{};
  Clock::duration spent_{};
  std::unordered_map<uid_t, Clock::duration> spent_by_;
};

}  // namespace placement
