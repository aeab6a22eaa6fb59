// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "common/util/deadline.hpp"

namespace placement::planning {

// Limits the processor time that decisions take, and divides it among users. Unused time is kept for later, up to a
// limit, because many jobs often start in one scheduling cycle. A user may spend three quarters of the time that other
// users have not spent. The decision that crosses this limit is still made. So a user who floods slurmctld with
// requests leaves time for the next user. Only processor time counts, because each decision has its own deadline.
class DecisionTimeBudget {
 public:
  using Clock = std::chrono::steady_clock;

  // All users together may spend `of_second` in each second in the long run, and `at_once` after a pause.
  DecisionTimeBudget(Clock::duration of_second, Clock::duration at_once) : of_second_(of_second), at_once_(at_once) {}

  // Returns true if `user` has used up their part.
  bool used_up(uid_t user, Clock::time_point now = clock()) {
    give_back(now);
    const auto found = spent_by_.find(user);
    const Clock::duration own = found == spent_by_.end() ? Clock::duration{} : found->second;
    return own >= (at_once_ - (spent_ - own)) * 3 / 4;
  }

  // Counts `time` as spent by `user`, but at most the time that is left, so that others do not pay for one long
  // decision. Throws bad_alloc if memory is short.
  void spend(uid_t user, Clock::duration time, Clock::time_point now = clock()) {
    give_back(now);
    if (spent_by_.size() >= most_users && !spent_by_.contains(user)) forget_least();
    const Clock::duration counted = std::min(time, at_once_ - spent_);
    spent_by_[user] += counted;
    spent_ += counted;
  }

  // The clocks of decisions and of the time that becomes available. Tests replace them, for machines of any speed.
  inline static Clock::duration (*thread_time)() = processor_time;
  inline static Clock::time_point (*clock)() = Clock::now;

  // Counts the processor time of the calling thread until the end of the scope, also by an exception.
  class Use {
   public:
    Use(DecisionTimeBudget& budget, uid_t user) : budget_(budget), user_(user) {}
    ~Use() try { budget_.spend(user_, thread_time() - start_); } catch (...) {  // out of memory: not counted
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    DecisionTimeBudget& budget_;
    const uid_t user_;
    const Clock::duration start_ = thread_time();
  };

 private:
  static constexpr std::size_t most_users = 256;

  // Bounds the memory: forgets the user with the least spent time. So users who flood are never forgotten.
  void forget_least() {
    const auto least =
        std::ranges::min_element(spent_by_, {}, [](const auto& one) { return std::pair(one.second, one.first); });
    spent_ -= least->second;
    spent_by_.erase(least);
  }

  // Reduces the spent time by what has become available since the last call, for each user in proportion to their part.
  void give_back(Clock::time_point now) {
    const std::chrono::duration<double> passed = now - counted_to_;
    if (passed < std::chrono::milliseconds(1)) return;
    counted_to_ = now;
    const double share = spent_ > Clock::duration{} ? passed.count() * of_second_ / spent_ : 1;
    if (share >= 1) {
      spent_ = {};
      spent_by_.clear();
      return;
    }
    spent_ = {};
    for (auto& [user, time] : spent_by_) {
      time -= std::chrono::duration_cast<Clock::duration>(time * share);
      spent_ += time;
    }
  }

  Clock::duration of_second_;
  Clock::duration at_once_;
  Clock::time_point counted_to_{};
  Clock::duration spent_{};
  std::unordered_map<uid_t, Clock::duration> spent_by_;
};

}  // namespace placement::planning
