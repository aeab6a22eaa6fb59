// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

// The constants of the searches. Work is counted in units of about one arc visited, 4 to 7 ns; milliseconds are
// processor time with the usual effort.
namespace placement::treematch {

// Up to this number of ranks, several sets of leaves are searched; with more, one or two.
inline constexpr std::int32_t most_ranks_searched_often = 512;

// ---- one set of usable leaves, up to 512 ranks

inline constexpr std::int64_t work_per_effort = 90'000;  // of one search, 5 ms; twice that up to most_ranks_annealed
inline constexpr std::int32_t most_ranks_annealed = 256;
// No further subtree is searched after this work: 30 ms.
inline constexpr std::int64_t work_on_subtrees_per_effort = 500'000;
inline constexpr double worth_searching = 1.02;  // times the least estimate: further subtrees only up to
inline constexpr std::int32_t most_ranks_on_each = 32;
// Shares of work_per_effort for each size of units. Units gain up to 4 % with halo exchanges.
inline constexpr std::int64_t percent_for_units = 20;
inline constexpr std::int64_t percent_for_units_in_subtree = 5;
inline constexpr std::int64_t percent_for_units_of_many = 15;
inline constexpr std::int64_t percent_to_anneal_units = 25;
inline constexpr std::int32_t smallest_unit = 2;
inline constexpr std::int32_t smallest_unit_of_many = 8;
inline constexpr double worth_smaller_units =
    1.03;  // smaller units are tried if these cost at most this times the best
// Annealing gains up to 5 %: 2 ms where the scope is one subtree.
inline constexpr std::int64_t annealing_per_effort = 20'000;
inline constexpr std::int64_t annealing_in_subtree_per_effort = 5'000;
inline constexpr std::int32_t ranks_annealed_fully = 64;  // with fewer ranks the work is less, in proportion

// Sets of leaves that are mapped in a subtree: the second one gains up to 2 % on fragmented machines.
inline constexpr std::size_t sets_of_leaves_tried = 2;

// ---- more than 512 ranks: two sets of leaves up to this number

inline constexpr std::int32_t most_ranks_tried_twice = 2048;  // 10 ms more

// ---- chooser: nodes and ranks of a job

// slurmctld waits for the answer, so only small jobs are tried on all choices of nodes.
inline constexpr std::int32_t most_tasks_tried_on_all = 128;
inline constexpr std::int32_t most_tasks_tried_on_first_nodes = 512;  // up to 10 ms
// With limits on nodes, up to most_tasks_on_each ranks are also placed on each of up to four subtrees alone: 1.3 % of
// the hop-bytes of 129 to 512 ranks for 4 ms.
inline constexpr std::int32_t most_tasks_on_each = 32;
inline constexpr std::size_t most_subtrees_with_limits = 4;
inline constexpr std::int32_t effort_within_nodes = 2;  // for ranks of one node: ten ranks are placed optimally
inline constexpr std::int32_t effort_for_nodes = 1;     // for groups of ranks on the nodes of one part
// Ranks are joined to groups by traffic only if this takes about ten milliseconds at most; counts ranks and pairs.
inline constexpr std::int64_t most_work_on_groups = 100'000;

}  // namespace placement::treematch
