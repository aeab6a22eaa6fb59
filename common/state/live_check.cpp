// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/state/live_state.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "common/state/node_fields.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

namespace {

constexpr std::size_t longest_name = 255;

// Returns whether the value is in the range. NaN counts as in range.
bool in_range(double value, const NumberRange& range) { return std::isnan(value) || range.has(value); }

void check_name(const std::string& name, std::unordered_set<std::string_view>& seen) {
  const bool printable = std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
  if (name.empty() || name.size() > longest_name || !printable)
    throw Error("node name " + in_quotes(name) + ": expected 1 to 255 printable characters without blanks");
  if (!seen.insert(name).second) throw Error("node " + name + " appears twice");
}

void check_node(const NodeState& node) {
  if (static_cast<std::size_t>(node.liveness) >= liveness_names.size())
    throw Error("node " + node.name + ": unknown liveness " + std::to_string(static_cast<int>(node.liveness)));
  if (node.outages < 0 || node.outages > max_outages)
    throw Error("node " + node.name + ": " + std::to_string(node.outages) + " outages: expected 0 to " +
                std::to_string(max_outages));
  for (const NodeField& field : node_fields) {
    const double value = field.get(node);
    if (in_range(value, field.range) && !(field.required && std::isnan(value))) continue;
    throw Error("node " + node.name + ": " + std::string(field.name) + " is " + exact_number(value) + ": expected " +
                field.range.text());
  }
}

void check_sizes(const PairTable& pairs, std::size_t nodes) {
  if (pairs.groups < 0 || pairs.groups > max_pair_groups)
    throw Error(std::to_string(pairs.groups) + " groups: at most " + std::to_string(max_pair_groups) + " are possible");
  const std::size_t cells = static_cast<std::size_t>(pairs.groups) * static_cast<std::size_t>(pairs.groups);
  const bool whole = pairs.latency_us.size() == cells && pairs.bandwidth_Bps.size() == cells &&
                     pairs.peak_bandwidth_Bps.size() == cells && pairs.source.size() == cells &&
                     pairs.age_s.size() == cells;
  const std::size_t per_node = pairs.groups > 0 ? nodes : 0;
  const auto fits = [per_node](std::size_t size) { return size == 0 || size == per_node; };
  if (!whole || pairs.group_of_node.size() != per_node || !fits(pairs.node_latency_us.size()) ||
      !fits(pairs.node_bandwidth_Bps.size()))
    throw Error("the tables of the pairs are not of the size that " + std::to_string(pairs.groups) + " groups and " +
                std::to_string(nodes) + " nodes have");
  for (const std::int32_t group : pairs.group_of_node)
    if (group < 0 || group >= pairs.groups)
      throw Error("group " + std::to_string(group) + " of a node is outside 0.." + std::to_string(pairs.groups - 1));
}

[[noreturn]] void fail_pair(std::size_t a, std::size_t b, std::string_view what, double value,
                            const NumberRange& range) {
  throw Error("groups " + std::to_string(a) + " and " + std::to_string(b) + ": " + std::string(what) + " is " +
              exact_number(value) + ": expected " + range.text() + ", and one value for both directions");
}

// Checks that a table is symmetric and in range. It is checked in tiles that fit the cache, because the mirrored cells
// of a row lie far apart in memory.
void check_table(std::span<const float> table, std::size_t groups, std::string_view what, const NumberRange& range) {
  constexpr std::size_t tile = 64;
  for (std::size_t top = 0; top < groups; top += tile)
    for (std::size_t left = top; left < groups; left += tile)
      for (std::size_t a = top; a < std::min(top + tile, groups); ++a)
        for (std::size_t b = std::max(left, a); b < std::min(left + tile, groups); ++b) {
          const float value = table[a * groups + b];
          const float mirrored = table[b * groups + a];
          const bool same = std::isnan(value) ? std::isnan(mirrored) : value == mirrored;
          if (!same || !in_range(value, range)) fail_pair(a, b, what, same ? value : mirrored, range);
        }
}

// Checks that a table of enumeration values is symmetric and that all are from 0 to `names` - 1. A cell with `none`
// must be NaN in all tables of `values`.
template <typename Enum>
void check_words(std::span<const Enum> table, std::size_t groups, std::size_t names, std::string_view what,
                 std::initializer_list<std::span<const float>> values) {
  for (std::size_t at = 0; at < table.size(); ++at) {
    const auto number = static_cast<std::size_t>(table[at]);
    const std::size_t a = at / groups, b = at % groups;
    if (number >= names || (a < b && table[at] != table[b * groups + a]))
      fail_pair(a, b, what, static_cast<double>(number), {0, static_cast<double>(names - 1)});
    if (table[at] == Enum::none && std::ranges::any_of(values, [at](auto each) { return !std::isnan(each[at]); }))
      throw Error("groups " + std::to_string(a) + " and " + std::to_string(b) + ": a pair has no " + std::string(what) +
                  ", and a value");
  }
}

void check_per_node(std::span<const float> values, std::string_view what, const NumberRange& range) {
  for (const float value : values)
    if (!in_range(value, range))
      throw Error(std::string(what) + " of a node is " + exact_number(value) + ": expected " + range.text());
}

void check_forecasts(const PairTable& pairs) {
  const std::size_t count = pairs.latency_predictor.size();
  if ((count != 0 && count != pairs.source.size()) || pairs.bandwidth_predictor.size() != count ||
      pairs.latency_error_us.size() != count || pairs.bandwidth_error_Bps.size() != count)
    throw Error("the forecasts of the pairs are not of the size that " + std::to_string(pairs.groups) + " groups have");
  if (count == 0) return;
  const auto groups = static_cast<std::size_t>(pairs.groups);
  check_table(pairs.latency_error_us, groups, "the latency's error", live_range::latency_us);
  check_table(pairs.bandwidth_error_Bps, groups, "the bandwidth's error", live_range::rate_Bps);
  check_words(pairs.latency_predictor, groups, predictor_names.size(), "predictor of the latency",
              {pairs.latency_error_us});
  check_words(pairs.bandwidth_predictor, groups, predictor_names.size(), "predictor of the bandwidth",
              {pairs.bandwidth_error_Bps});
}

}  // namespace

void check_live_state(const LiveState& state) {
  if (!live_range::seconds.has(static_cast<double>(state.published_at_s)))
    throw Error("published " + std::to_string(state.published_at_s) + " s after 1970: expected " +
                live_range::seconds.text());
  if (!in_range(state.outage_horizon_s, live_range::seconds))
    throw Error("the outage horizon is " + exact_number(state.outage_horizon_s) + " s: expected " +
                live_range::seconds.text());
  if (state.nodes.size() > max_live_nodes)
    throw Error(std::to_string(state.nodes.size()) + " nodes: at most " + std::to_string(max_live_nodes) +
                " are possible");
  std::unordered_set<std::string_view> seen;
  for (const NodeState& node : state.nodes) {
    check_name(node.name, seen);
    check_node(node);
  }
  const PairTable& pairs = state.pairs;
  check_sizes(pairs, state.nodes.size());
  const auto groups = static_cast<std::size_t>(pairs.groups);
  check_table(pairs.latency_us, groups, "the latency", live_range::latency_us);
  check_table(pairs.bandwidth_Bps, groups, "the bandwidth", live_range::rate_Bps);
  check_table(pairs.peak_bandwidth_Bps, groups, "the peak bandwidth", live_range::rate_Bps);
  check_table(pairs.age_s, groups, "the age", live_range::seconds);
  check_words(pairs.source, groups, pair_source_names.size(), "source", {pairs.latency_us, pairs.bandwidth_Bps});
  check_forecasts(pairs);
  check_per_node(pairs.node_latency_us, "the latency", live_range::latency_us);
  check_per_node(pairs.node_bandwidth_Bps, "the bandwidth", live_range::rate_Bps);
}

}  // namespace placement
