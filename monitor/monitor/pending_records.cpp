// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/pending_records.hpp"

namespace placement::monitor {

void PendingRecords::put(const OutageRecord& outage) { outages_[{outage.node, outage.began_at_s}] = outage; }

void PendingRecords::put(const SpanRecord& span) {
  const Key key{span.node, span.began_at_s};
  if (spans_.size() < most_spans || spans_.contains(key)) spans_[key] = span;
}

void PendingRecords::write(History& history) const {
  for (const auto& [key, outage] : outages_) history.put_outage(outage);
  for (const auto& [key, span] : spans_) history.put_span(span);
  for (const auto& [name, value] : settings_) history.set_setting(name, value);
}

void PendingRecords::forget() {
  outages_.clear();
  spans_.clear();
  settings_.clear();
}

}  // namespace placement::monitor
