// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/decision/decision.hpp"
#include "common/decision/decision_ring.hpp"

namespace placement::planning {

// Writes decision records to the ring, which placement-monitor and placectl read. If the ring cannot be opened, for
// example because the previous slurmctld still writes it, records are kept until open() succeeds. At most ring_places
// records are kept. Only the functions that say so may be called from other threads.
class DecisionLog {
 public:
  // Opens the ring at `path`, or makes it; `readers` may read it. If that fails, status() says why.
  DecisionLog(std::string path, RingReaders readers);

  // Opens the ring unless it is open, and writes the records that were kept. Returns whether it is open now. One other
  // thread may call this; it must hold no lock of slurmctld, because this opens files.
  bool open();

  struct Status {
    std::string ring;     // where the ring is; empty while it is not open
    std::string trouble;  // why it is not open; empty if it is
    bool in_use = false;  // it is not open because another process writes it
  };
  // It may be called from every thread.
  Status status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

  // Returns whether the ring is open. It may be called from every thread.
  bool is_open() const {
    const std::lock_guard lock(mutex_);
    return ring_ != nullptr;
  }

  void record(const Decision& decision);

 private:
  const std::string path_;
  const RingReaders readers_;
  mutable std::mutex mutex_;              // guards ring_, status_ and kept_
  std::unique_ptr<DecisionWriter> ring_;  // null: it is not open
  Status status_;
  std::vector<Decision> kept_;  // the records made while the ring is not open
};

}  // namespace placement::planning
