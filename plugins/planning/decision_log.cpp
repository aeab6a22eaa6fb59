// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/decision_log.hpp"

#include <utility>

#include "common/util/error.hpp"

namespace placement::planning {

DecisionLog::DecisionLog(std::string path, RingReaders readers) : path_(std::move(path)), readers_(readers) { open(); }

bool DecisionLog::open() {
  if (!status().ring.empty()) return true;
  std::unique_ptr<DecisionWriter> ring;
  Status found;
  try {
    ring = std::make_unique<DecisionWriter>(path_, readers_);
    found.ring = ring->path();
  } catch (const Error& error) {
    found.trouble = error.what();
    found.in_use = dynamic_cast<const RingIsInUse*>(&error) != nullptr;
  }
  // The kept records are written without the mutex, because record() waits for it under slurmctld's locks.
  for (std::vector<Decision> kept;;) {
    for (const Decision& decision : std::exchange(kept, {})) ring->put(decision);
    const std::lock_guard lock(mutex_);
    if (ring) kept.swap(kept_);
    if (!kept.empty()) continue;
    ring_ = std::move(ring);
    status_ = std::move(found);
    return ring_ != nullptr;
  }
}

void DecisionLog::record(const Decision& decision) {
  const std::lock_guard lock(mutex_);
  if (ring_)
    ring_->put(decision);
  else if (kept_.size() < ring_places)
    kept_.push_back(decision);
}

}  // namespace placement::planning
