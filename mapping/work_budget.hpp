// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/util/deadline.hpp"

namespace placement {

// Thrown where the time is over. Only between stages of the mapper: who looks for a better answer
// catches it, and gives back the best one so far.
struct OutOfTime {};

// Looks at the clock once in a while. The stages tell it what they do, in arcs visited or the like,
// so that some ten microseconds of work lie between two looks.
class WorkBudget {
 public:
  explicit WorkBudget(const Deadline& deadline = Deadline::never()) : deadline_(deadline) {}

  // Throws OutOfTime when the deadline has passed, at the first call if it had before.
  void spend(std::int64_t work) const {
    if ((left_ -= work) < 0) look();
  }

  bool over() const { return over_; }  // OutOfTime has been thrown

 private:
  static constexpr std::int64_t between_looks = 8192;

  void look() const {
    over_ = over_ || deadline_.expired();
    left_ = over_ ? 0 : between_looks;
    if (over_) throw OutOfTime{};
  }

  const Deadline deadline_;
  mutable std::int64_t left_ = 0;
  mutable bool over_ = false;
};

}  // namespace placement
