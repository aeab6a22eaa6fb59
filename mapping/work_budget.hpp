// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/util/deadline.hpp"
#include "mapping/tuning.hpp"

namespace placement::mapping {

// Thrown when the time of a WorkBudget has ended. It stays inside the mapper: a search catches it and returns its best
// result so far.
struct OutOfTime {};

// A time budget that reads the clock about every 50 us. The stages of the mapper report their work to it, in arcs
// visited or units of similar size.
class WorkBudget {
 public:
  explicit WorkBudget(const Deadline& deadline = Deadline::never()) : deadline_(deadline) {}

  // Reports `work` units of work, at least 0. Throws OutOfTime when it reads the clock and the deadline has passed. The
  // first call reads the clock, unless `work` is 0.
  void spend(std::int64_t work) const {
    if ((left_ -= work) < 0) look();
  }

  // Reads the clock. Throws OutOfTime when the deadline has passed.
  void look() const {
    over_ = over_ || deadline_.expired();
    if (!over_) looked_ += tuning::work_between_looks - left_;
    left_ = over_ ? 0 : tuning::work_between_looks;
    if (over_) throw OutOfTime{};
  }

  // Returns the units of work reported so far; they do not depend on the machine. The number has no meaning once over()
  // is true.
  std::int64_t spent() const { return looked_ - left_; }

  bool over() const { return over_; }  // whether OutOfTime has been thrown

 private:
  const Deadline deadline_;
  mutable std::int64_t left_ = 0;    // work until the next look at the clock
  mutable std::int64_t looked_ = 0;  // work reported by then
  mutable bool over_ = false;
};

}  // namespace placement::mapping
