// SPDX-License-Identifier: GPL-2.0-or-later
// The queries of controller_query.hpp, by scontrol of any release. A program with this file needs no libslurm.
#include "common/slurm/controller_by_scontrol.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/slurm/slurm_command.hpp"
#include "common/topology/scontrol_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

// Returns whether a node in this state, such as IDLE+DRAIN, takes jobs while it is not full.
bool takes_jobs(std::string_view state) {
  constexpr std::array<std::string_view, 3> open = {"IDLE", "MIXED", "ALLOCATED"};
  constexpr std::array<std::string_view, 6> closed = {"DRAIN", "MAINTENANCE",  "NOT_RESPONDING",
                                                      "FAIL",  "POWERED_DOWN", "POWERING_DOWN"};
  const std::vector<std::string_view> words = split_at(state, '+');
  return std::ranges::find(open, words.front()) != open.end() &&
         std::ranges::find_first_of(words, closed) == words.end();
}

std::int32_t count(std::string_view text) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(parse_integer(text).value_or(1), 1, UINT16_MAX));
}

}  // namespace

KnownNodes parse_known_nodes(std::string_view text) {
  KnownNodes known;
  for (const std::string_view line : split_at(text, '\n')) {
    auto pairs = scontrol_pairs(line);
    if (!pairs.contains("NodeName")) continue;
    known.shapes.push_back({std::string(pairs["NodeName"]), count(pairs["Sockets"]), count(pairs["CoresPerSocket"]),
                            count(pairs["ThreadsPerCore"])});
    known.take_jobs.push_back(takes_jobs(pairs["State"]));
  }
  return known;
}

std::string ask_controller() { return SlurmCommand({"scontrol", "show", "config"}).text(); }

KnownNodes ask_known_nodes() {
  try {
    return parse_known_nodes(SlurmCommand({"scontrol", "-a", "-o", "show", "nodes"}).text());
  } catch (const Error& error) {
    const std::string why = error.what();
    throw Error(why + (why.find("denied") != why.npos ? private_nodes : ""));
  }
}

std::vector<NodeShape> ask_nodes() { return ask_known_nodes().shapes; }

std::string ask_topology_of(const std::string& partition) {
  const std::string text = SlurmCommand({"scontrol", "-a", "-o", "show", "partition", partition}).output().text;
  return std::string(scontrol_pairs(text)["Topology"]);
}

}  // namespace placement
