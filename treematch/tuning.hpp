// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

// The constants of the searches. Work is counted in units of about one arc visited, 4 to 7 ns; milliseconds are
// processor time with the usual effort.
namespace placement::treematch {

// Up to this number of ranks, several sets of leaves are searched; with more, one or two.
inline constexpr std::int32_t most_ranks_searched_often = 512;

// ---- chooser: nodes and ranks of a job

// slurmctld waits for the answer, so only small jobs are tried on all choices of nodes.
inline constexpr std::int32_t most_tasks_tried_on_all = 128;
inline constexpr std::int32_t most_tasks_tried_on_first_nodes = 512;  // up to 10 ms
// With limits on nodes, up to most_tasks_on_each ranks are also placed on each of up to four subtrees alone: 1.3 % of
// the hop-bytes of 129 to 512 ranks for 4 ms.
inline constexpr std::int32_t most_tasks_on_each = 32;
inline constexpr std::size_t most_subtrees_with_limits = 4;
inline constexpr std::int32_t most_tasks_on_fullest = 64;  // the fullest leaf switches are tried alone, too
inline constexpr std::int32_t effort_within_nodes = 2;     // for ranks of one node: ten ranks are placed optimally
inline constexpr std::int32_t effort_for_nodes = 1;        // for groups of ranks on the nodes of one part
// Ranks are joined to groups by traffic only if this takes about ten milliseconds at most; counts ranks and pairs.
inline constexpr std::int64_t most_work_on_groups = 100'000;

}  // namespace placement::treematch
