// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <unordered_map>

namespace placement {

// The processor time that decisions may take of each second, shared by users. Time in which other processes have the
// processor is not counted: each single decision has its deadline for that. Of what the others have left of it in this
// second a user may spend three quarters, and then one decision more. So whoever floods slurmctld with requests uses up
// his own part, and a user who comes after him finds time; a user who is alone has 150 of 200 ms.
class DecisionTimeBudget {
 public:
  using Clock = std::chrono::steady_clock;

  // Whether the user has used up his part of `limit` in this second.
  bool used_up(uid_t user, Clock::duration limit, Clock::time_point now = Clock::now()) {
    begin_second(now);
    const auto found = spent_by_.find(user);
    const Clock::duration own = found == spent_by_.end() ? Clock::duration{} : found->second;
    const Clock::duration left = std::max(limit - (spent_ - own), Clock::duration{});
    return own >= left * 3 / 4;
  }

  void spend(uid_t user, Clock::duration time, Clock::time_point now = Clock::now()) {
    begin_second(now);
    spent_ += time;
    // More users than that in one second are one user.
    spent_by_[spent_by_.size() < most_users || spent_by_.contains(user) ? user : static_cast<uid_t>(-1)] += time;
  }

  // The processor time that this thread has used.
  static Clock::duration thread_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  }

  // Counts the processor time of this thread from here to the end of the scope, however that ends.
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
