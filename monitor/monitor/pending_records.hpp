// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "monitor/monitor/history.hpp"

namespace placement::monitor {

// Outages, times of observation and settings that are not written into the history yet. A record that cannot be
// written, for instance because the disk is full, is written as soon as that is possible.
class PendingRecords {
 public:
  // Adds a record. It replaces a pending record with the same node and start time.
  void put(const OutageRecord& outage);
  void put(const SpanRecord& span);
  // Adds a value that the history remembers by this name; an empty one is forgotten.
  void put_setting(const std::string& name, const std::string& value) { settings_[name] = value; }

  // Writes all records, within a transaction. The records are kept until forget() is called, because the transaction
  // may fail. Throws Error when the history cannot be written.
  void write(History& history) const;
  void forget();

  std::size_t size() const { return outages_.size() + spans_.size() + settings_.size(); }
  static constexpr std::size_t most_spans = 200000;  // more are dropped

 private:
  using Key = std::pair<std::string, double>;  // node and start time
  std::map<Key, OutageRecord> outages_;
  std::map<Key, SpanRecord> spans_;
  std::map<std::string, std::string> settings_;
};

}  // namespace placement::monitor
