// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/job_live_text.hpp"

#include <charconv>
#include <cmath>
#include <type_traits>
#include <vector>

#include "common/state/live_check.hpp"
#include "common/state/node_fields.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/util/hostlist.hpp"

namespace placement {

namespace {

// Returns the number with the fewest digits from which it can be read back exactly; "-" for NaN.
template <typename Number>
std::string written(Number value) {
  if constexpr (std::is_floating_point_v<Number>)
    if (std::isnan(value)) return "-";
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, error == std::errc{} ? end : text};
}

void put_line(std::string& text, const std::vector<std::string>& fields) {
  for (std::size_t f = 0; f < fields.size(); ++f) text += (f > 0 ? "\t" : "") + fields[f];
  text += '\n';
}

void put_groups(std::string& text, const LiveState& state) {
  const std::vector<std::vector<std::string>> members = names_of_groups(state);
  for (std::size_t g = 0; g < members.size(); ++g)
    put_line(text, {"group", written(g), members[g].empty() ? "-" : compress_hostlist(members[g])});
}

void put_pairs(std::string& text, const PairTable& pairs) {
  for (std::int32_t a = 0; a < pairs.groups; ++a)
    for (std::int32_t b = a; b < pairs.groups; ++b) {
      const PairArrays::Cell cell = pair_cell(pairs, a, b);
      if (nothing_known(cell)) continue;
      put_line(text, {"pair", written(a), written(b), written(cell.latency_us), written(cell.bandwidth_Bps),
                      written(cell.peak_bandwidth_Bps), std::string(to_string(cell.source)), written(cell.age_s)});
    }
}

void put_node_network(std::string& text, const LiveState& state) {
  const PairTable& pairs = state.pairs;
  if (pairs.node_latency_us.empty() && pairs.node_bandwidth_Bps.empty()) return;
  std::vector<std::string> columns = {"node-network-columns", "name"};
  if (!pairs.node_latency_us.empty()) columns.push_back("latency_us");
  if (!pairs.node_bandwidth_Bps.empty()) columns.push_back("bandwidth_Bps");
  put_line(text, columns);
  for (std::size_t n = 0; n < state.nodes.size(); ++n) {
    std::vector<std::string> fields = {"node-network", state.nodes[n].name};
    if (!pairs.node_latency_us.empty()) fields.push_back(written(pairs.node_latency_us[n]));
    if (!pairs.node_bandwidth_Bps.empty()) fields.push_back(written(pairs.node_bandwidth_Bps[n]));
    put_line(text, fields);
  }
}

}  // namespace

std::string job_live_text(const LiveState& state) {
  check_live_state(state);
  std::string text;
  put_line(text, {"slurm-placement-snapshot", "1"});
  put_line(text, {"published", written(state.published_at_s)});
  put_line(text, {"node-columns", "name", "liveness", "age_s"});
  for (const NodeState& node : state.nodes)
    put_line(text, {"node", node.name, std::string(to_string(node.liveness)), written(node.age_s)});
  put_groups(text, state);
  put_pairs(text, state.pairs);
  put_node_network(text, state);
  return text;
}

}  // namespace placement
