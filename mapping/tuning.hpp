// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

// The constants of all searches for a mapping, each with its purpose and cost. A unit of work is about one arc visited,
// 4 to 7 ns. Milliseconds are processor time with the usual effort. doc/mapping.md has the searches.
namespace placement::mapping::tuning {

// ---- any number of ranks

inline constexpr std::int64_t most_pairs_mapped_quickly = 200'000;  // greedy mapping with any deadline: a few ms
inline constexpr std::int64_t sparsified_pairs = 30'000;  // pairs kept of a larger matrix; 20 ms for a million
inline constexpr std::int32_t effort_if_sparsified = 2;   // more would take longer than slurmctld waits
inline constexpr std::int32_t least_ranks_of_partial_searches = 4096;  // with fewer, unfinished searches are dropped
inline constexpr std::int32_t effort_factor = 4;                       // factor from one round to the next
inline constexpr std::int64_t work_between_looks = 8192;  // units of work between two looks at the clock: 50 us

// ---- exact search

inline constexpr std::int32_t most_ranks_mapped_exactly = 10;           // 3^10 steps for each of two joined parts
inline constexpr std::int64_t exact_steps_per_effort = 2'000'000;       // 25 ms with the usual effort
inline constexpr std::int64_t exact_steps_of_part = 1'000'000;          // 1 ms, as one of several searches for a job
inline constexpr std::size_t most_table_bytes = std::size_t{32} << 20;  // all tables together
inline constexpr std::int32_t most_comparisons = 20'000;                // comparisons of two classes of subtrees: 1 ms

// ---- choice of leaves: in each lowest subtree for up to 1,024 ranks; the closest leaves for more

inline constexpr std::int32_t most_ranks_searched_often = 1024;  // 1,024 ranks take 25 ms, up to 2 % fewer hop-bytes
inline constexpr std::int32_t most_ranks_tried_twice = 2048;     // they try two sets of leaves: 10 ms more
inline constexpr std::int64_t work_on_subtrees_per_effort = 500'000;  // after it no further subtree is searched: 30 ms
inline constexpr double worth_searching = 1.02;                       // largest estimate of a subtree / least estimate
inline constexpr std::int32_t most_ranks_on_each = 32;                // with more, only subtrees within worth_searching
inline constexpr std::size_t sets_of_leaves_tried = 2;     // 10 % of the time; gains 2 % on fragmented machines
inline constexpr double least_exponent = 0.4;              // least exponent of CutModel; a line of ranks has less
inline constexpr double exponent_of_all_to_all = 1.0;      // exponent of CutModel if all pairs of ranks have traffic
inline constexpr double exponent_of_halo_exchange = 0.67;  // exponent of CutModel in three dimensions
inline constexpr std::int32_t smallest_part_of_model = 8;  // the bisection for CutModel ends at parts of this size
inline constexpr std::int32_t parts_of_model = 8;          // most parts for CutModel: with many ranks they are larger
inline constexpr std::int64_t most_steps_of_packing = 1 << 17;  // groups times leaves: 1 ms

// ---- one set of leaves

inline constexpr std::int64_t work_per_rank = 420;              // of one search: 4,096 ranks stay within 50 ms
inline constexpr std::int64_t work_per_rank_of_few = 250;       // with several sets of leaves, so that they take 5 ms
inline constexpr std::int32_t most_ranks_with_less_work = 512;  // these have work_per_rank_of_few
inline constexpr std::int32_t most_ranks_for_two_multisections = 256;  // one on packed and one on all leaves
inline constexpr std::int32_t most_ranks_for_little_gains = 1024;      // with more, Units::equal_pieces ends the search
inline constexpr std::int32_t huge_ranks = 16384;                      // with more, the first mapping comes early
inline constexpr std::int64_t part_of_quick_work = 10;                 // a quick search has a tenth of the work
inline constexpr std::int64_t work_per_consecutive_unit = 50;          // 12 ms for 65,536 ranks
inline constexpr double min_unit_fit = 0.88;         // units with a lower fit are not placed: they gain nothing
inline constexpr double sufficient_unit_fit = 0.98;  // few units need this fit; above huge_ranks it ends the search
inline constexpr double irregular_fit = 0.2;         // with a lower fit the ranks do not communicate on a grid
inline constexpr std::int32_t largest_unit = 128;    // larger units leave no choice to the levels above
inline constexpr double perfect_fit = 0.999;         // above it, no other way of grouping is tried
inline constexpr double hopeless_fit = 0.6;          // below it, no other way of grouping is tried

// ---- units of ranks in a subtree: up to 4 % with halo exchanges

inline constexpr std::int64_t work_per_effort = 90'000;          // units get a percentage; doubled with annealing: 5 ms
inline constexpr std::int64_t percent_for_units = 20;            // of work_per_effort, for each size of units
inline constexpr std::int64_t percent_for_units_in_subtree = 5;  // where several subtrees are searched
inline constexpr std::int64_t percent_for_units_of_many = 15;    // with more than most_ranks_annealed ranks
inline constexpr std::int64_t percent_to_anneal_units = 25;      // of the work for units
inline constexpr std::int32_t largest_rank_unit = 8;             // first size of units; each next size is half as large
inline constexpr std::int32_t smallest_rank_unit = 2;            // last size of units
inline constexpr std::int32_t smallest_unit_of_many = 8;         // last size above most_ranks_annealed, to save time
inline constexpr double least_fit_of_rank_units = 0.9;           // with a lower fit the ranks are not joined
inline constexpr double worth_smaller_units = 1.03;              // smaller units only if cost / best cost is below
inline constexpr std::int64_t most_pairs_of_units = 16;  // for each rank: denser traffic does not fall into pieces

// ---- annealing on a tree: up to 5 % of the hop-bytes

inline constexpr std::int32_t most_ranks_annealed = 256;                // with more effort, more in proportion
inline constexpr std::int64_t annealing_per_effort = 20'000;            // 2 ms where the scope is one subtree
inline constexpr std::int64_t annealing_in_subtree_per_effort = 5'000;  // 0.5 ms for each of several subtrees
inline constexpr std::int32_t ranks_annealed_fully = 64;          // with fewer ranks the work is less, in proportion
inline constexpr std::int32_t most_ranks_annealed_long = 512;     // 1,024 gain nothing
inline constexpr std::int64_t long_annealing_per_rank = 1500;     // times effort: 512 ranks take 2.6 s with effort=500
inline constexpr std::int32_t most_in_annealing_table = 1 << 22;  // ranks times leaves; with more, the closest leaves
inline constexpr int steps_before_annealing = 256;                // random steps that set first_temperature
inline constexpr int steps_of_temperature = 100;                  // in one annealing
inline constexpr std::int64_t steps_between_reports = 1024;       // steps before a look at the time
inline constexpr std::int64_t work_of_step = 7;                   // if the moving rank has up to arcs_of_step arcs
inline constexpr std::int64_t arcs_of_step = 32;                  // further arcs count in addition
inline constexpr double first_temperature = 0.1;     // part of the mean loss of a step that raises the hop-bytes
inline constexpr double cooling = 0.97328288714084;  // per step of temperature; the last is a fifteenth of the first

// ---- multisection: bisections from the root downwards, and annealing of the parts

inline constexpr std::int32_t many_vertices = 1024;             // larger graphs get fewer tries on large parts
inline constexpr std::int32_t most_tries_of_irregular = 4;      // annealing makes up for poor first cuts
inline constexpr std::int64_t work_per_sweep = 7;               // per vertex: a sweep offers each one move on a level
inline constexpr std::int64_t work_per_sweep_of_irregular = 5;  // for irregular traffic
inline constexpr std::int64_t fewest_sweeps = 20;               // fewer gain less than the time gains elsewhere
inline constexpr std::int64_t most_sweeps = 10'000;             // more gain nothing
inline constexpr std::int32_t fewest_vertices_annealed = 32;    // a few bisections split smaller graphs as well
inline constexpr std::size_t largest_table_of_parts = 1 << 20;  // vertices times parts: 4 MiB
inline constexpr double first_temperature_of_parts = 0.4;       // part of the mean traffic of a pair
inline constexpr double last_temperature_of_parts = 0.1;        // part of the mean traffic of a pair
inline constexpr std::int32_t small_graph = 100;                // smaller ones get BisectionTries::of_small tries
inline constexpr std::int32_t coarsest_graph = 80;              // up to this size not coarsened, and tries are stored
inline constexpr std::int32_t convincing_tries = 3;             // this number of equal best cuts ends the tries
inline constexpr std::int32_t refinement_passes = 6;            // on each level of coarsening, at most
inline constexpr std::int32_t shuffle_window = 128;         // vertices shuffled among themselves, to stay in the cache
inline constexpr std::size_t most_parts_remembered = 4096;  // some 8 MiB
inline constexpr std::int32_t ranks_in_cache = 4096;        // the graphs of fewer ranks are not renumbered

// ---- mappings that later jobs reuse: some 50 MiB

inline constexpr std::size_t most_matrices_remembered = 16;
inline constexpr std::int32_t most_ranks_shared = 512;     // a larger matrix gets a memory that no other job shares
inline constexpr std::int64_t most_pairs_shared = 32'768;  // limit on pairs, as most_ranks_shared on ranks
inline constexpr std::size_t most_bytes_of_memory = std::size_t{2} << 20;     // for each matrix
inline constexpr std::size_t most_bytes_within_nodes = std::size_t{1} << 20;  // for all matrices, on cores of a node

// ---- swaps

inline constexpr std::int32_t children_tried = 64;   // at most, per vertex
inline constexpr std::int32_t slots_near_by = 32;    // all slots below a vertex with up to this number are tried
inline constexpr std::size_t partners_tried = 64;    // at most, per rank: slots in the leaf groups of its partners
inline constexpr std::int32_t slots_all_tried = 64;  // all slots of a tree with up to this number

// ---- nodes and ranks of a job. slurmctld waits for the answer, so only small jobs are tried on all choices of nodes.

inline constexpr std::int32_t most_tasks_tried_on_all = 128;          // with more, slurmctld would wait too long
inline constexpr std::int32_t most_tasks_tried_on_first_nodes = 512;  // takes up to 10 ms
inline constexpr std::int32_t most_tasks_on_each = 32;                // these are also placed on each subtree alone
inline constexpr std::size_t most_subtrees_with_limits = 4;   // 4 ms; gains 1.3 % for 129 to 512 ranks with limits
inline constexpr std::int32_t effort_within_nodes = 2;        // for ranks of one node: ten are placed optimally
inline constexpr std::int32_t effort_for_nodes = 1;           // for groups of ranks on the nodes of one part
inline constexpr std::int64_t most_work_on_groups = 100'000;  // ranks and pairs: groups by traffic take 10 ms

// ---- the other objectives, MATCHING-PAPER and GPUs

inline constexpr std::int64_t most_extra_cost = 50;              // a balanced placement may cost 1/50 more hop-bytes
inline constexpr int most_rounds_of_worst_group = 4;             // each maps the job once more
inline constexpr std::int64_t most_steps_of_spread = 4'000'000;  // of groups on leaf switches: 20 ms
inline constexpr std::size_t largest_joined_group = 64;          // largest distance of joined ranks in a group's list
inline constexpr std::int64_t swaps_per_rank = 1000;       // units of work to lower the cost of groups on leaf switches
inline constexpr std::int64_t swaps_per_pair = 100;        // and this much for each pair
inline constexpr std::size_t most_joined_pairs = 200'000;  // in all; with many ranks, fewer for each
inline constexpr std::int32_t most_ranks_assigned = 2048;  // grows with the cube of the ranks, to 20 s
inline constexpr std::size_t most_ranks_assigned_exactly = 8;  // quadratic assignment: 40,320 orders
inline constexpr int starts_of_assignment = 32;                // of the local search for more ranks
inline constexpr int starts_of_exact_assignment = 8;           // for the first bound of the exact search
inline constexpr std::size_t most_gpus_for_all_choices = 8;    // of a node; with more, not all choices are tried
inline constexpr std::size_t most_slots_assigned = 1024;       // of a node

}  // namespace placement::mapping::tuning
