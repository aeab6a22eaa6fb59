// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <time.h>

#include <atomic>
#include <chrono>
#include <optional>

namespace placement {

// Returns the processor time that the calling thread has used since it started.
inline std::chrono::nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// The moment at which a computation must end: its time limit is reached, or a flag is set. It is only a safety net.
// Limits of work decide what is computed, so a loaded machine gives the answer of an idle one. The time limit is
// processor time of the thread that made the deadline, and no other thread may check it. Wall time is also limited, to
// wall_factor times this limit.
class Deadline {
 public:
  using Time = std::chrono::nanoseconds;
  static constexpr int wall_factor = 4;

  // The two clocks. Tests replace them to be independent of the speed of the machine.
  inline static Time (*processor_clock)() = processor_time;
  inline static Time (*wall_clock)() = [] { return Time(std::chrono::steady_clock::now().time_since_epoch()); };

  static Deadline never() { return Deadline{}; }
  static Deadline after(Time time) {
    const Time now = wall_clock();
    Deadline deadline;
    deadline.end_ = End{processor_clock() + time, now + time, now + wall_factor * time};
    return deadline;
  }

  // Returns a deadline that expires when `flag` becomes true. `flag` must outlive the deadline and its copies.
  static Deadline when(const std::atomic<bool>& flag) {
    Deadline deadline;
    deadline.flag_ = &flag;
    return deadline;
  }

  // Returns a deadline that ends `time` earlier than this one. A deadline without a time limit stays unchanged.
  Deadline earlier(Time time) const {
    Deadline deadline = *this;
    if (end_) deadline.end_ = End{end_->processor - time, end_->first_look - time, end_->wall - time};
    return deadline;
  }

  // Returns whether the time has passed or the flag is set.
  bool expired() const {
    if (flag_ != nullptr && flag_->load(std::memory_order_relaxed)) return true;
    if (!end_) return false;
    const Time now = wall_clock();
    return now >= end_->wall || (now >= end_->first_look && processor_clock() >= end_->processor);
  }

 private:
  struct End {
    Time processor;   // end by the processor clock
    Time first_look;  // by the wall clock; before this moment, the processor time cannot be used up
    Time wall;        // end by the wall clock, even if the thread had less processor time
  };

  Deadline() = default;

  std::optional<End> end_;
  const std::atomic<bool>* flag_ = nullptr;
};

}  // namespace placement
