// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/state/outage_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement {

bool parse_probability(std::string_view word, double& value) {
  const std::optional<double> number = parse_real(word);
  if (!number || *number < 0 || *number > 1) return false;
  value = *number;
  return true;
}

NodeOutages parse_outages(std::string_view text, const std::string& file) {
  NodeOutages outages;
  take_lines(text_lines(text), [&](const TextLine& line) {
    const std::vector<std::string_view> words = split_words(line.text);
    if (words.size() != 2)
      fail_at(file, line.number, "'" + shown(line.text) + "' is not of the form \"node probability\"");
    double probability = 0;
    if (!parse_probability(words[1], probability))
      fail_at(file, line.number,
              "probability '" + shown(words[1]) + "': expected a number from 0 to 1" +
                  (words[1].ends_with('%') ? ", such as 0.02 for 2%" : ""));
    const std::string place = file + ":" + std::to_string(line.number);
    for (std::string& name : naming_file(place, [&] { return expand_hostlist(words[0]); })) {
      if (outages.lists(name)) fail_at(file, line.number, "node " + shown(name) + " is listed twice");
      if (outages.size() >= max_hosts) fail_at(file, line.number, "more than " + std::to_string(max_hosts) + " nodes");
      outages.set(std::move(name), probability, line.number);
    }
  });
  return outages;
}

NodeOutages read_outages(const std::string& path) { return parse_outages(read_input_file(path), path); }

std::string unknown_outage_node(const NodeOutages& outages, std::span<const std::string> nodes,
                                const std::string& file) {
  const std::unordered_set<std::string_view> known(nodes.begin(), nodes.end());
  const NodeOutages::Place unknown =
      outages.first_unknown([&](const std::string& name) { return known.contains(name); });
  if (unknown.name.empty()) return {};
  return file + ":" + std::to_string(unknown.line) + ": node " + shown(unknown.name) + " is not in slurm.conf";
}

double outage_for(double probability, double horizon_s, double job_seconds) {
  if (!(probability > 0) || !(horizon_s > 0) || !(job_seconds > 0))
    return probability > 0 ? std::min(probability, 1.0) : 0.0;
  if (probability >= 1) return 1;
  return -std::expm1(std::log1p(-probability) * job_seconds / horizon_s);
}

double outage_of(const NodeState& state, double horizon_s, double job_seconds) {
  const double estimate = outage_for(state.outage_probability, horizon_s, job_seconds);
  return state.silent() ? std::max(estimate, outage_of_silent_node) : estimate;
}

bool outages_known(const LiveState& live) {
  return std::ranges::any_of(
      live.nodes, [](const NodeState& node) { return !std::isnan(node.outage_probability) || node.silent(); });
}

}  // namespace placement
