// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <atomic>
#include <chrono>
#include <optional>

namespace placement {

// The moment after which nobody waits for an answer any more: a point in monotonic time, or the setting of a flag.
// It is a safety net only. Amounts of work decide what is computed, so that a loaded machine gives the answer of an
// idle one.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static Deadline never() { return Deadline{}; }
  static Deadline after(std::chrono::microseconds time) { return Deadline{Clock::now() + time}; }

  // Returns a deadline that expires when `told` becomes true. `told` must outlive the deadline and its copies.
  static Deadline when(const std::atomic<bool>& told) {
    Deadline deadline;
    deadline.told_ = &told;
    return deadline;
  }

  // Returns a deadline that ends `time` earlier than this one. A deadline without a point in time is returned
  // unchanged.
  Deadline earlier(Clock::duration time) const { return at_ ? Deadline{*at_ - time} : *this; }

  // Returns a deadline after a share, from 0 to 1, of the time that is left until this one. A deadline without a point
  // in time is returned unchanged.
  Deadline after_share(double share) const {
    if (!at_) return *this;
    const Clock::time_point now = Clock::now();
    return Deadline{now + std::chrono::duration_cast<Clock::duration>((*at_ - now) * share)};
  }

  // Returns whether the point in time has passed or the flag is set.
  bool expired() const {
    return (at_ && Clock::now() >= *at_) || (told_ != nullptr && told_->load(std::memory_order_relaxed));
  }

 private:
  Deadline() = default;
  explicit Deadline(Clock::time_point at) : at_(at) {}

  std::optional<Clock::time_point> at_;
  const std::atomic<bool>* told_ = nullptr;
};

}  // namespace placement
