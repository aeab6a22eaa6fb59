// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "tools/report/facts.hpp"
#include "tools/report/html.hpp"

namespace placement::tools {

// The sections of a report. Each has its numbers as tables too, and says what is missing and how to get it where it has
// none.

// The switches with their nodes: load, liveness, outages.
HtmlSection cluster_section(const ReportFacts& facts);

// Bandwidth and latency between nodes as heat maps.
HtmlSection pairs_section(const ReportFacts& facts);

// Decisions by policy and outcome, and the reasons for which jobs ran as stock.
HtmlSection decisions_section(const ReportFacts& facts);

// What policies gained by their own records, with confidence intervals.
HtmlSection gains_section(const ReportFacts& facts);

// How large a job still fits together: now, and over time in the replay.
HtmlSection room_section(const ReportFacts& facts);

// The site's jobs under each strategy.
HtmlSection replay_section(const ReportFacts& facts);

// What to switch on, and why.
HtmlSection advice_section(const ReportFacts& facts);

// Returns an interval for a table: "0.80 to 0.95"; "not known" of fewer than two values.
std::string shown_interval(const sim::MeanInterval& interval);

// Returns HTML that says what is missing, `why`, and how to get it.
std::string missing(const std::string& what, const std::string& why, const std::string& how);

}  // namespace placement::tools
