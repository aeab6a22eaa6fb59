// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>

namespace placement::protocol {

// A task of a daemon's loop that comes round at an interval. Times are in seconds of a steady clock.
class Periodic {
 public:
  // `interval_s` is above 0. The task is due at once.
  explicit Periodic(double interval_s) : interval_s_(interval_s) {}

  // Returns whether the task is due at `now_s`. If so, the task is next due one interval later. The interval counts
  // from the time when it was due, or from `now_s` if it is late by more than half an interval.
  bool due(double now_s) {
    if (now_s < next_s_) return false;
    next_s_ = (now_s - next_s_ > interval_s_ / 2 ? now_s : next_s_) + interval_s_;
    return true;
  }
  // Makes the task due at `at_s` at the latest.
  void hurry(double at_s) { next_s_ = std::min(next_s_, at_s); }
  double next_s() const { return next_s_; }

 private:
  double interval_s_;
  double next_s_ = 0;
};

}  // namespace placement::protocol
