// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "monitor/monitor/history.hpp"

namespace placement {

// Outages and times of observation on their way into the history: what cannot be written now, as on a full disk,
// is written when it can be.
class PendingRecords {
 public:
  // Takes the place of one of the same node and beginning.
  void put(const OutageRecord& outage);
  void put(const SpanRecord& span);

  // Writes all, within a transaction. Throws Error when the history cannot be written. Records are kept, since the
  // transaction may come to nothing, until it is over and forget() is called.
  void write(History& history) const;
  void forget();

  // Nodes of the outages that are kept, each once.
  std::set<std::string> nodes_with_outages() const;
  std::size_t size() const { return outages_.size() + spans_.size(); }
  std::int64_t dropped() const { return dropped_; }  // spans that there was no room for
  static constexpr std::size_t most_spans = 200000;

 private:
  using Key = std::pair<std::string, double>;  // node, beginning
  std::map<Key, OutageRecord> outages_;
  std::map<Key, SpanRecord> spans_;
  std::int64_t dropped_ = 0;
};

}  // namespace placement
