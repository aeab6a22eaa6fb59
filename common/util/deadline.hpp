// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <atomic>
#include <chrono>
#include <optional>

namespace placement {

// A point in monotonic time after which an answer is no longer awaited. It is a safety net: what
// is computed is decided by amounts of work, so that a loaded machine gives the same answer.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static Deadline never() { return Deadline{}; }
  static Deadline after(std::chrono::microseconds time) { return Deadline{Clock::now() + time}; }

  // When the flag is set, which must outlive it.
  static Deadline when(const std::atomic<bool>& told) {
    Deadline deadline;
    deadline.told_ = &told;
    return deadline;
  }

  // The same, but so much before it.
  Deadline earlier(Clock::duration time) const { return at_ ? Deadline{*at_ - time} : *this; }

  // Returns a deadline in the middle between now and this one; without a point in time, this one.
  Deadline halfway() const { return at_ ? Deadline{Clock::now() + (*at_ - Clock::now()) / 2} : *this; }

  bool expired() const { return (at_ && Clock::now() >= *at_) || (told_ != nullptr && told_->load(std::memory_order_relaxed)); }

 private:
  Deadline() = default;
  explicit Deadline(Clock::time_point at) : at_(at) {}

  std::optional<Clock::time_point> at_;
  const std::atomic<bool>* told_ = nullptr;
};

}  // namespace placement
