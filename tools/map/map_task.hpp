// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <set>

#include "tools/input/command_line.hpp"
#include "tools/map/map_run.hpp"

namespace placement::tools {

// What `placectl map` and `placectl run` read from their command lines. The options are those of `placectl map`:
// matrix, pattern, ntasks, policy and seed. A command reads only those options that it has.

inline constexpr Option matrix_option{'m', "matrix", "FILE",
                                      "communication matrix, in any form that \"placectl matrix info\" reads"};
inline constexpr Option pattern_option{0, "pattern", "WORD",
                                       "a pattern in place of a matrix: ring, tree, alltoall, grid=8x4x4, grid=auto,\n"
                                       "tp=8,pp=4,dp=16; slurm-placement-patterns(7) has its keys"};

// Reads the matrix, the pattern and the policy. Notes on standard error begin with "placectl COMMAND: ". Without
// --topology the machine is the allocation if `in_allocation` is set. Throws UsageError and Error.
MapTask read_task(const CommandLine& line, const std::string& command, bool in_allocation);

// Sets the matrix to that of the pattern. The number of ranks is --ntasks, else the number that the pattern fixes, else
// `otherwise`. Throws UsageError and Error.
void make_matrix(const CommandLine& line, const pattern::Pattern& pattern, std::size_t otherwise, MapTask& task);

// Sets the limit of --ntasks-per-node, if it is given. Throws UsageError.
void limit_tasks_per_node(const CommandLine& line, Request& request);

// Returns a matrix of this number of ranks without traffic.
std::shared_ptr<const CommMatrix> silent_matrix(std::int64_t ranks);

// A step in an allocation, as its launcher starts it.
struct AllocationStep {
  std::optional<std::int64_t> ranks;  // none: the ranks of a matrix file, --ntasks, or all tasks of the allocation
  std::optional<std::int64_t> cores_per_task = {};  // none: that of the allocation
  std::optional<std::int64_t> nodes = {};           // none: those of the allocation
  std::optional<std::int64_t> component = {};       // of a heterogeneous job, from 0
  bool one_per_node = false;  // if nothing names the number of ranks, the launcher starts one rank on each node
  bool by_node = false;       // one task per node: a matrix with several ranks per task becomes that of the nodes
  // The most tasks on a node; none: its cores are the limit. 1 acts as by_node if the matrix has more ranks than the
  // allocation has nodes.
  std::optional<std::int64_t> tasks_per_node = {};

  // Returns whether the step places nodes instead of ranks, on this number of nodes, with a matrix of `matrix_ranks`.
  bool places_nodes(std::int64_t on_nodes, std::int64_t matrix_ranks) const {
    return by_node || (tasks_per_node == 1 && ranks.value_or(on_nodes) == on_nodes && matrix_ranks > on_nodes);
  }
};

// Returns the number of ranks of a step on `nodes` nodes, by the first source that has it: the launcher, --ntasks, the
// matrix of `placectl run`, --ntasks-per-node of the launcher. Returns nothing if the allocation decides it.
std::optional<std::int64_t> ranks_of_step(const CommandLine& line, const MapTask& task, const AllocationStep& step,
                                          std::int64_t nodes);

// Returns whether the step places nodes instead of ranks on `nodes` nodes, by the ranks of the matrix or --ntasks.
bool places_nodes(const CommandLine& line, const MapTask& task, const AllocationStep& step, std::int64_t nodes);

// Makes the free cores of the nodes the usable leaves of the task, in ascending order.
void use_free_cores(MapTask& task);

// Reads the allocation of this process, and sets the view, the usable leaves and the matrix of the task. Matrix and
// policy are those of the job unless the command line gives them. If the number of ranks is not the number of tasks,
// they are dealt over the nodes in turn while nodes have room, as in Slurm. `kept` is that of current_allocation().
// Throws UsageError if the ranks do not fit, and Error without an allocation or an answer of slurmctld.
spank::Allocation take_allocation(const CommandLine& line, MapTask& task, const AllocationStep& step,
                                  const std::set<std::string>& kept = {});

}  // namespace placement::tools
