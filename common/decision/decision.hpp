// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/state/live_state.hpp"

namespace placement {

// How a decision of slurmctld ended.
enum class DecisionOutcome : std::uint8_t {
  stock,   // Slurm's own answer, for a reason
  nodes,   // the policy's nodes
  cores,   // the policy's nodes and cores
  advice,  // Slurm's own answer in mode observe or advise; the policy would have had another
  wait,    // none: the job stays in the queue for now, as its user asked for
};
inline constexpr std::array<std::string_view, 5> decision_outcome_names = {"stock", "nodes", "nodes+cores", "advice", "wait"};

// One decision, as it is kept for people.
struct Decision {
  double at_s = 0;  // seconds since 1970
  std::uint32_t job_id = 0;
  std::uint32_t restarts = 0;
  std::uint32_t uid = 0;
  DecisionOutcome outcome = DecisionOutcome::stock;
  bool for_start = true;    // false: asked by the backfill scheduler, whether and where it could run
  bool remembered = false;  // the same question had been asked before
  std::int64_t time_us = 0; // taken
  std::uint32_t tasks = 0;
  std::uint32_t candidates = 0;         // nodes that the policy had to choose from
  double live_age_s = unknown_value;    // of the live data; NaN: there were none

  std::string array_task;    // of a job array, as 42_7, where job_id is 42; empty: the job is in none
  std::string mode;          // of placement.conf
  std::string policy;
  std::string parameters;    // key=value,.. as the user gave them
  std::string candidate_nodes;  // the texts of nodes are hostlists, perhaps cut at the end ("..")
  std::string choice;           // what the policy wanted
  std::string tasks_per_node;   // on them, as 4(x3),2
  std::string given;            // what Slurm allocated; empty: nothing, or not for a start
  std::string stock_choice;     // what Slurm itself chose, where it was asked
  std::string cost;             // hop-bytes; the costs are empty without a matrix
  std::string natural_cost;     // the same cores, ranks in order
  std::string first_nodes_cost; // the first nodes offered, ranks in order
  std::string reason;           // why stock or wait, or what was left out
  std::string why_not_live;     // why there were no live data
  std::vector<std::string> terms;  // what the policy says of its choice, one fact each
};

// The decision in at most room.size() bytes, which are written whole; texts that are too long are cut and
// end in "..". At least min_decision_bytes of room. Neither throws nor allocates.
inline constexpr std::size_t min_decision_bytes = 2048;
void pack_decision(const Decision& decision, std::span<std::byte> room) noexcept;

// Throws Error on bytes that pack_decision() does not write. In texts what is not printable ASCII becomes '?'.
Decision unpack_decision(std::span<const std::byte> bytes);

// Lines of "name<tab>value"; what is empty or not known has no line.
std::string decision_text(const Decision& decision);

// The decision again, texts likewise. Lines of unknown names are passed over: a newer version may write more. Throws Error.
Decision parse_decision_text(std::string_view text);

}  // namespace placement
