// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/util/deadline.hpp"
#include "netload/network_load.hpp"

namespace placement::netload {

// The requirements that a group of nodes must fulfil.
struct GroupRequest {
  std::int32_t processes = 1;
  std::int32_t min_nodes = 1;
  std::int32_t max_nodes = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> required;  // nodes that each group contains
};

// The candidate nodes, with the data for the choice among them. Each array has one entry for each node.
struct GroupInput {
  std::span<const double> compute_load;
  const NetworkLoad* network = nullptr;
  std::span<const std::int32_t> processors;  // processes per node, pc of [NLA §4]; 0: not a candidate
  double alpha = 0.3;                        // weight of compute_load
  double beta = 0.7;                         // weight of the network; alpha + beta = 1
  std::span<const double> slowdown = {};     // from slowdown_of_nodes(); empty: only T_G counts
  ShareRange shares = {};                    // with slowdown: range of communication shares for the regret
  // Further groups, such as Slurm's first nodes. T_G of an improved choice never exceeds that of a known group that
  // serves the request.
  std::span<const std::vector<std::int32_t>> known_groups = {};
};

// A group of nodes with its loads [NLA §6].
struct Group {
  std::vector<std::int32_t> nodes;  // ascending
  double compute_load = 0;          // C_G: the sum of CL
  double network_load = 0;          // N_G: the sum of NL over all pairs
  double total_load = 0;            // T_G
  double regret = 0;                // from choose_by_regret(); 0: not known
  double over_rules = 0;            // as regret, but relative to the best group of simpler rules
};

inline constexpr std::size_t most_runners_up = 5;

// The result of a choice among the candidate groups. Each start node has a candidate group; equal groups are listed
// once.
struct GroupChoice {
  Group best;
  Group of_starts;                   // the best candidate group, before any local search
  std::vector<Group> runners_up;     // the next best groups, least T_G first
  double compute_sum = 0;            // the sum of C_G over the candidate groups, by which C_G is divided
  double network_sum = 0;            // the sum of N_G over the candidate groups, by which N_G is divided
  std::int64_t starts = 0;           // number of candidate groups that were examined
  bool short_of_processors = false;  // all nodes together take fewer processes than requested
};

// Search method of choose_group().
enum class GroupSearch : std::uint8_t {
  paper,     // Algorithms 1 and 2 alone
  improved,  // then a local search from the best groups and the simple_groups()
};

// The candidate groups of Algorithm 1 [NLA §5].
class StartGroups {
 public:
  // `input` and `request` must outlive this object.
  StartGroups(const GroupInput& input, const GroupRequest& request);

  // Returns the group of a start node, ascending: the required nodes, the start node, and further nodes by rising
  // addition load alpha CL(u) + beta NL(start, u); ties by node number. It ends with enough processors and at least
  // min_nodes nodes, or has all nodes if they are not enough. It is empty if this exceeds max_nodes, or the start node
  // has no processors.
  std::vector<std::int32_t> of_start(std::int32_t start) const;

 private:
  const GroupInput& input_;
  const GroupRequest& request_;
  std::vector<std::vector<std::int32_t>> lists_;  // nodes with processors by rising compute load; if NL is not dense(),
                                                  // those of each column
};

// Returns the group that consists of `nodes`, with its C_G and N_G [NLA §6]. Throws Error at the deadline.
Group measured_group(const GroupInput& input, std::vector<std::int32_t> nodes,
                     const Deadline& deadline = Deadline::never());
// Returns T_G of a group with the sums of `choice` [NLA §6]. A quotient whose divisor is 0 counts as 0.
double total_load(const GroupInput& input, const GroupChoice& choice, const Group& group);

// Returns the groups that simpler rules choose, each ascending; fewer at the deadline. These are the known groups, the
// least loaded nodes, the first nodes, and consecutive nodes from other start nodes. Sets *rules to the number of
// groups without those from other start nodes.
std::vector<Group> simple_groups(const GroupInput& input, const GroupRequest& request, const Deadline& deadline,
                                 std::size_t* rules = nullptr);

// Returns the group with the least T_G [NLA §6]; ties go to the first start node. The work is bounded: with very many
// nodes or processes only every k-th node is a start. At the deadline, returns the best group so far. An improved
// search also starts from `simple`, the simple_groups() of the input; null: computed here. Throws Error when there is
// no group, or the deadline passes before the first one is found; an improved search then takes one of `simple`.
GroupChoice choose_group(const GroupInput& input, const GroupRequest& request, GroupSearch search,
                         const Deadline& deadline = Deadline::never(), const std::vector<Group>* simple = nullptr);

// Improves a group by a local search while T_G, with the sums of `choice`, falls. A step omits a node, exchanges a node
// for one outside, replaces one node by several, or several by one. The number of steps is bounded. Returns a group
// that is never worse than `group`; at the deadline the best one so far.
Group improved_group(const GroupInput& input, const GroupRequest& request, const GroupChoice& choice,
                     const Group& group, const Deadline& deadline);

// Returns the group with the least regret within a limit, and its T_G with the sums of choose_group(). Regret is the
// run time divided by the least run time of all groups, at the worse end of the range input.shares. The run time at the
// communication share a is (1 - a) slowest / least slowest + a network / least network. `slowest` is the slowdown of
// the group's slowest node, and `network` the mean NL of its pairs; `least` is over all groups. Candidates are the
// simple_groups(), and the groups that choose_group() finds among nodes below several limits of the slowdown. The
// limit: for each share, a group takes at most 1.1 times as long as the fastest of the known groups, the least loaded
// nodes, the first nodes and the best candidate of choose_group(). If no group is within the limit, the one that
// exceeds it least is chosen. Throws Error where choose_group() does.
GroupChoice choose_by_regret(const GroupInput& input, const GroupRequest& request, const Deadline& deadline);

// Returns the least loaded nodes that serve the request, ascending (load-aware of [NLA §9]). Throws Error when no group
// meets the limits.
std::vector<std::int32_t> least_loaded_group(const GroupInput& input, const GroupRequest& request);

// Returns the required nodes and the first nodes of `order` that the request needs. Throws Error when no group meets
// the limits.
std::vector<std::int32_t> group_in_order(const GroupInput& input, const GroupRequest& request,
                                         std::span<const std::int32_t> order);

// Distributes `processes` over nodes and returns the number for each, in their order. Node k takes processors[k]
// processes. Each node first gets one process, then nodes are filled in order. Processes beyond all processors are
// dealt round robin [NLA §5].
std::vector<std::int32_t> processes_per_node(std::span<const std::int32_t> processors, std::int32_t processes);

}  // namespace placement::netload
