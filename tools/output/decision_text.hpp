// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/decision/decision.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

// Returns the decision as lines for a person. `component` is the name of the job as a component of a heterogeneous job,
// such as 42+1, or empty. `topology` is what "scontrol show topology" prints, for the drawing of the switches; or
// empty. `verbose`: with the policy's own reasons, in the words of its mapper.
std::string explained(const Decision& decision, const std::string& component, std::string_view topology,
                      bool verbose = false);

// Writes the decisions as a member that is a list of objects.
void decisions_json(JsonWriter& json, std::string_view name, std::span<const Decision> decisions);

// The decisions of one policy that ended in one way.
struct DecisionSum {
  std::string policy;   // "-": none
  std::string outcome;  // a word of decision_outcome_names; " (ahead)" follows if the backfill scheduler asked
  std::int64_t count = 0;
  double median_us = unknown_value;  // of the time that a decision took; reused answers do not count
  double most_us = unknown_value;    // the longest time
};

// Returns the sums in the order of policy and outcome.
std::vector<DecisionSum> sums_of(std::span<const Decision> decisions);

// Decisions about a start. Decisions that only predict a start do not count, because no job ran by them. The backfill
// scheduler, placectl predict and srun --test-only cause these predictions.
struct StartSum {
  std::int64_t starts = 0;
  std::int64_t stock = 0;  // those that left the job to stock Slurm
};
StartSum starts_of(std::span<const Decision> decisions);

// Returns up to `most` reasons why starts were left to stock Slurm, with their numbers, the most frequent first.
std::vector<std::pair<std::string, std::int64_t>> stock_reasons(std::span<const Decision> decisions, std::size_t most);

// Returns the nodes of a job, or those that its policy chose, drawn on the switches or blocks above them. Each switch
// has a line, indented by its level, with its nodes and the policy's tasks. Returns no lines if no switch has a node of
// the job, the record is incomplete, or `topology` cannot be read. The drawing has at most 32
// lines; the last one may have the number of missing switches.
//   topology  output of "scontrol show topology"
std::vector<std::string> drawn_on_switches(const Decision& decision, std::string_view topology);

// Returns whether there are switches or blocks, but no drawing, because the record does not have all nodes.
bool lacks_nodes_to_draw(const Decision& decision, std::string_view topology);

// Returns the number of leaf switches or blocks that have a node of the host list `nodes`; 0 if this is not known.
std::size_t leaf_switches_of(const std::string& nodes, std::string_view topology);

}  // namespace placement::tools
