// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/util/deadline.hpp"
#include "netload/network_load.hpp"

namespace placement {

// What a group of nodes is sought for.
struct GroupRequest {
  std::int32_t processes = 1;
  std::int32_t min_nodes = 1;
  std::int32_t max_nodes = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> required;  // nodes that every group has
};

// The candidates: what choosing among them needs. All arrays have one entry per node.
struct GroupInput {
  std::span<const double> compute_load;
  const NetworkLoad* network = nullptr;
  std::span<const std::int32_t> processors;  // processes that the node is to take, pc of [NLA §4]; 0: not a candidate
  double alpha = 0.3;
  double beta = 0.7;
};

struct Group {
  std::vector<std::int32_t> nodes;  // ascending
  double compute_load = 0;          // C_G: the sum of CL
  double network_load = 0;          // N_G: the sum of NL over all pairs
  double total_load = 0;            // T_G
};

// Every start node has a group; equal ones are listed once.
struct GroupChoice {
  Group best;
  std::vector<Group> runners_up;  // the best of the other groups of Algorithm 1, least T_G first
  double compute_sum = 0;         // over the candidate groups; what C_G is divided by
  double network_sum = 0;
  std::int64_t starts = 0;        // candidate groups that were looked at
  bool improved = false;          // the best is one of the local search
  bool short_of_processors = false;  // all nodes together have fewer than processes
};

enum class GroupSearch : std::uint8_t {
  paper,     // Algorithms 1 and 2 alone
  improved,  // then a local search from the best of them; never worse in T_G
};

// The group of start node `start` [NLA §5]: required nodes, the start node, then by addition load
// alpha CL(u) + beta NL(start, u), least first and among equal ones in the order of nodes, until there are
// processors enough and min_nodes nodes; all nodes, where they are not enough. Empty when that takes more than
// max_nodes nodes, or the start has no processors.
std::vector<std::int32_t> candidate_group(const GroupInput& input, const GroupRequest& request, std::int32_t start);

// The addition loads of that algorithm; 0 at the start itself.
std::vector<double> addition_loads(const GroupInput& input, std::int32_t start);

// C_G and N_G of some nodes; T_G by the sums of a choice, 0 / 0 being 0 [NLA §6]. Throws Error at the deadline.
Group measured_group(const GroupInput& input, std::vector<std::int32_t> nodes,
                     const Deadline& deadline = Deadline::never());
double total_load(const GroupInput& input, const GroupChoice& choice, const Group& group);

// The group of least T_G [NLA §6]; of equal ones that of the first start. The work is bounded: of very
// many nodes, or for very many processes, only every so manieth is a start. Ends early at the deadline with
// what was found by then. Throws Error when there is no group, or no time even for one.
GroupChoice choose_group(const GroupInput& input, const GroupRequest& request, GroupSearch search,
                         const Deadline& deadline = Deadline::never());

// Likewise, but whichever group has the least compute load: the least loaded nodes (load-aware of [NLA §9]).
std::vector<std::int32_t> least_loaded_group(const GroupInput& input, const GroupRequest& request);

// The first nodes of `order` that the request needs.
std::vector<std::int32_t> group_in_order(const GroupInput& input, const GroupRequest& request,
                                         std::span<const std::int32_t> order);

// Processes of each of the nodes, in their order: their processors at first; what is left goes round robin over
// them [NLA §5]. Each node has one before any has two, and what is too much is taken from the last.
std::vector<std::int32_t> processes_per_node(std::span<const std::int32_t> processors, std::int32_t processes);

}  // namespace placement
