// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <limits>

namespace placement::agent {

// Tracks which heartbeats one monitor has acknowledged, and when the last one has to be repeated. Without repetitions,
// a node would seem dead on a bad network. A monitor that no longer answers gets only one heartbeat per interval.
class Acknowledgements {
 public:
  static constexpr int patience = 3;           // heartbeats without an answer before a new handshake begins
  static constexpr int most_repeats = 2;       // of one heartbeat
  static constexpr double repeat_share = 0.3;  // time between two repetitions, as a share of the interval

  // `interval_s` is the time between two heartbeats.
  explicit Acknowledgements(double interval_s) : repeat_every_s_(repeat_share * interval_s) {}

  // Returns whether the monitor has left `patience` heartbeats unanswered, so that a new handshake begins.
  bool silent() const { return unanswered_ >= patience; }
  // Records that a heartbeat is sent.
  void sent(double now_s) {
    repeats_ = silent() ? 0 : most_repeats;
    repeat_s_ = now_s + repeat_every_s_;
    ++unanswered_;
  }
  // Returns whether the last heartbeat has to be repeated now. If so, counts it as repeated.
  bool repeat_due(double now_s) {
    if (repeats_ == 0 || now_s < repeat_s_) return false;
    --repeats_;
    repeat_s_ = now_s + repeat_every_s_;
    return true;
  }
  // Records an answer. `to_last` says whether it acknowledges the heartbeat that was sent last.
  void answered(bool to_last) {
    unanswered_ = 0;
    if (to_last) repeats_ = 0;
  }
  // Returns when the next repetition is due; infinity: none is.
  double next_s() const { return repeats_ > 0 ? repeat_s_ : std::numeric_limits<double>::infinity(); }

 private:
  double repeat_every_s_;
  int unanswered_ = 0;
  int repeats_ = 0;
  double repeat_s_ = 0;
};

}  // namespace placement::agent
