// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/nla.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "common/state/node_fields.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "netload/live_input.hpp"
#include "netload/profile_weights.hpp"
#include "netload/rank_mapping.hpp"
#include "netload/selection.hpp"
#include "pattern/grid.hpp"
#include "policies/measured_ranks.hpp"
#include "treematch/treematch.hpp"

namespace placement::policies {

namespace {

constexpr double most_wait_s = 86400;
constexpr double default_max_age_s = 120;
constexpr double most_max_age_s = 86400;

// A choice of nodes is refused unless this fraction of the candidate nodes, and of their pairs, has live data.
constexpr double least_reporting = 0.75;
constexpr double least_pairs = 0.5;

// The pairs of this many nodes are read in less than a millisecond, even after the deadline.
constexpr std::size_t nodes_always_read = 256;

// Returns the deadline for reading the pairs of `nodes` nodes.
Deadline for_reading(std::size_t nodes, const Deadline& deadline) {
  return nodes <= nodes_always_read ? Deadline::never() : deadline;
}

// Returns the parameters with network-use, a program's use of the network, replaced by the weights for `link`.
Parameters with_weights(Parameters parameters, const netload::TypicalLink& link) {
  netload::replace_network_use(parameters, link);
  return parameters;
}

// Returns the typical link between nodes with these states if the weights depend on it, else the default one: the
// medians over all pairs take up to a tenth of a decision.
netload::TypicalLink link_for_weights(const ClusterView& view, const Request& request,
                                      std::span<const std::int32_t> states) {
  return request.parameters.contains("network-use") ? netload::link_of_profile(request.parameters, *view.live, states)
                                                    : netload::TypicalLink();
}

// Makes one decision: chooses nodes of one view for one request.
class Chooser {
 public:
  Chooser(const ClusterView& view, const Request& request, const Deadline& deadline, netload::SelectionRule rule)
      : view_(view),
        request_(request),
        deadline_(deadline),
        rule_(rule),
        slots_(view, request),
        limits_(view, request, slots_.capacity()) {
    find_states();
    link_ = link_for_weights(view, request, state_of_);
    weights_ = netload::nla_weights(with_weights(request.parameters, link_));
    if (rule == netload::SelectionRule::nla) shares_ = netload::share_range(request.parameters, link_);
    measure();
  }

  Placement place() {
    refuse_when_overloaded();
    const std::vector<std::vector<std::int32_t>> known = known_groups();
    for (const std::vector<std::int32_t>& processors : processors_to_try()) {
      const std::vector<double> slowdown = slowdown_of(processors);
      netload::GroupInput input{compute_, &network_, processors, weights_.alpha, weights_.beta, slowdown};
      if (shares_) input.shares = *shares_;
      input.known_groups = known;
      std::optional<netload::GroupChoice> choice;
      try {
        choice = netload::select_group(input, group_request(), rule_, request_.seed, deadline_);
      } catch (const Error&) {
        if (deadline_.expired()) throw;
        continue;
      }
      if (const auto counts = counts_on(choice->best.nodes, processors)) return answer(*choice, input, *counts);
    }
    throw PlacementError(STOCK_NO_ROOM, "no group of nodes meets the limits on nodes and on tasks per node");
  }

 private:
  // Fills state_of_ and the other data of nodes. The state of a node is unknown if it is too old, or if the node is
  // suspect or down.
  void find_states() {
    if (!view_.live)
      throw PlacementError(STOCK_NO_LIVE_DATA,
                           view_.why_not_live.empty() ? "the nodes have no live data" : view_.why_not_live);
    const LiveState& live = *view_.live;
    const double max_age = max_age_s(request_.parameters);
    for (const NodeView& node : view_.nodes) {
      const bool known = node.state >= 0 && static_cast<std::size_t>(node.state) < live.nodes.size();
      const NodeState* const state = known ? &live.nodes[static_cast<std::size_t>(node.state)] : nullptr;
      const bool stale = state != nullptr && state->age_s + published_s() > max_age;
      stale_ += stale;
      const bool usable =
          state != nullptr && !stale && state->liveness != Liveness::suspect && state->liveness != Liveness::down;
      state_of_.push_back(usable ? node.state : -1);
      down_.push_back(state != nullptr && state->liveness == Liveness::down);
      cores_.push_back(static_cast<double>(node.cores()) * node.threads_per_core);
      free_.push_back(static_cast<double>(std::count(node.core_free.begin(), node.core_free.end(), true)));
      busy_.push_back((static_cast<double>(node.core_free.size()) - free_.back()) * node.threads_per_core);
    }
  }

  // Returns the link of the profile and the weights derived from it, as text; empty without a profile.
  std::string by_profile() const {
    if (!request_.parameters.contains("network-use")) return {};
    return "by its profile on links of " + netload::to_string(link_) + ": beta=" + short_number(weights_.beta) +
           " latency=" + short_number(weights_.latency);
  }

  double published_s() const { return view_.live_age_s > 0 ? view_.live_age_s : 0; }

  void measure() {
    const LiveState& live = *view_.live;
    coverage_ = netload::live_coverage(live, state_of_);
    if (coverage_.reporting < least_reporting * coverage_.candidates)
      throw PlacementError(
          STOCK_NO_LIVE_DATA,
          "live data of " + std::to_string(coverage_.candidates - coverage_.reporting) + " of " +
              std::to_string(coverage_.candidates) + " nodes are " +
              (stale_ > 0 ? "missing or older than " + short_number(max_age_s(request_.parameters)) + " s"
                          : "missing"));
    table_ = netload::live_attributes(live, state_of_, cores_, busy_);
    compute_ = netload::compute_load(table_, weights_);
    network_ = netload::NetworkLoad(live.pairs, state_of_, weights_, for_reading(state_of_.size(), deadline_),
                                    netload::within_error(rule_), netload::pair_measure(rule_, request_.parameters));
    const double nodes = coverage_.candidates;
    const double pairs = nodes * (nodes - 1) / 2;
    if (weights_.beta > 0 && static_cast<double>(network_.known_pairs()) < least_pairs * pairs)
      throw PlacementError(STOCK_NO_LIVE_DATA, "the network is measured between " +
                                                   std::to_string(network_.known_pairs()) + " of " +
                                                   short_number(pairs) + " pairs of nodes only" +
                                                   (by_profile().empty() ? "" : ", " + by_profile()));
    beyond_ = netload::loads_beyond_slurm(live, state_of_);
  }

  void refuse_when_overloaded() const {
    const double asked = wait_s(request_.parameters);
    const double wait = std::min(asked, static_cast<double>(request_.max_wait_s));
    if (static_cast<double>(request_.waited_s) >= wait) return;
    const netload::Overload overload =
        netload::overload_of(free_, beyond_, static_cast<double>(request_.tasks) * request_.cores_per_task);
    if (overload.overloaded())
      throw MustWait(netload::to_string(overload, free_) + ", the job waits for at most " +
                         std::to_string(std::llround(wait)) + (wait < asked ? " s, by MaxWaitS" : " s"),
                     std::llround(std::ceil(wait - static_cast<double>(request_.waited_s))));
  }

  // Returns Slurm's first nodes and the nodes of the smallest subtree, if these can serve the request.
  std::vector<std::vector<std::int32_t>> known_groups() const {
    if (rule_ != netload::SelectionRule::nla) return {};
    std::vector<std::vector<std::int32_t>> groups;
    for (const auto& counts : {mapping::sequential_counts(limits_), mapping::compact_counts(view_, limits_, 0)})
      if (counts) groups.push_back(nodes_with_tasks(*counts));
    return groups;
  }
  static std::vector<std::int32_t> nodes_with_tasks(const mapping::NodeCounts& counts) {
    std::vector<std::int32_t> nodes;
    for (std::size_t n = 0; n < counts.size(); ++n)
      if (counts[n] > 0) nodes.push_back(static_cast<std::int32_t>(n));
    return nodes;
  }

  // Counts the load of other programs and the processors that Slurm's jobs hold.
  std::vector<double> slowdown_of(const std::vector<std::int32_t>& processors) const {
    if (!shares_) return {};
    std::vector<double> load(beyond_);
    for (std::size_t n = 0; n < load.size(); ++n) load[n] += busy_[n];
    return netload::slowdown_of_nodes(table_, cores_, load, processors);
  }

  netload::GroupRequest group_request() const {
    netload::GroupRequest request;
    request.processes = request_.tasks;
    request.min_nodes = limits_.least_nodes();
    request.max_nodes = limits_.most_nodes();
    request.required = request_.required_nodes;
    std::sort(request.required.begin(), request.required.end());
    request.required.erase(std::unique(request.required.begin(), request.required.end()), request.required.end());
    return request;
  }

  // Returns the tasks on each node in four variants, to be tried in turn. `share` is an even share on the largest
  // allowed number of nodes. The variants are:
  //   unloaded     tasks on processors that the load of the node leaves idle
  //   enough       `share`, if it is more than `unloaded` and the node has room
  //   all          all tasks that the node has room for
  //   large        as `all`, but only on nodes with room for `share` and on required nodes
  std::vector<std::vector<std::int32_t>> processors_to_try() const {
    const mapping::NodeCounts& room = limits_.capacity();
    const std::int32_t share = (request_.tasks + limits_.most_nodes() - 1) / limits_.most_nodes();
    std::vector<std::int32_t> unloaded, enough, all, large;
    for (std::size_t n = 0; n < room.size(); ++n) {
      const bool out = down_[n] && !limits_.required(static_cast<std::int32_t>(n));
      const std::int32_t capacity = out ? 0 : room[n];
      std::int32_t tasks = std::min(capacity, request_.max_tasks_per_node);
      if (!request_.equal_tasks_per_node && capacity > 0) {
        const std::int32_t cores =
            netload::effective_processors(free_[n], beyond_[n], 1, netload::processor_formula(request_.parameters));
        tasks = std::clamp(cores / std::max(request_.cores_per_task, 1), 1, capacity);
      }
      unloaded.push_back(tasks);
      enough.push_back(std::min(capacity, std::max(tasks, share)));
      all.push_back(capacity);
      large.push_back(capacity >= share || limits_.required(static_cast<std::int32_t>(n)) ? capacity : 0);
    }
    return {unloaded, enough, all, large};
  }

  // Returns the tasks on each node of the view, or nothing when the limits do not allow these nodes.
  std::optional<mapping::NodeCounts> counts_on(const std::vector<std::int32_t>& nodes,
                                               const std::vector<std::int32_t>& processors) const {
    if (request_.equal_tasks_per_node || request_.whole_nodes) return limits_.spread(nodes);
    std::vector<std::int32_t> wanted;
    for (const std::int32_t node : nodes) wanted.push_back(processors[node]);
    wanted = netload::processes_per_node(wanted, request_.tasks);
    mapping::NodeCounts counts(view_.nodes.size(), 0);
    for (std::size_t k = 0; k < nodes.size(); ++k) counts[nodes[k]] = wanted[k];
    return limits_.allow(counts) ? std::optional(counts) : limits_.spread(nodes);
  }

  Placement answer(const netload::GroupChoice& choice, const netload::GroupInput& input,
                   const mapping::NodeCounts& counts) const {
    const std::vector<std::int32_t> natural = slots_.leaves(counts);
    std::vector<std::int32_t> leaves = natural;
    if (request_.matrix)
      leaves = leaves_by_measured_distance(view_, request_, slots_, network_, choice.best.nodes, counts, deadline_);
    Placement placement = slots_.placement(leaves, natural, "load and network");
    placement.reasons.push_back(described(choice.best) + " C=" + short_number(choice.best.compute_load) + " N=" +
                                short_number(choice.best.network_load) + " T=" + short_number(choice.best.total_load));
    add_sources(placement, choice.best.nodes);
    if (choice.best.regret > 0)
      placement.reasons.push_back(
          "at most " + short_number(choice.best.regret) + " times the shortest run time, if communication takes " +
          short_number(100 * shares_->least) + " to " + short_number(100 * shares_->most) + " %");
    if (const std::string profile = by_profile(); !profile.empty()) placement.reasons.push_back(profile);
    if (!choice.runners_up.empty())
      placement.reasons.push_back("runner-up " + described(choice.runners_up[0]) +
                                  " T=" + short_number(choice.runners_up[0].total_load));
    if (const auto stock = mapping::sequential_counts(limits_); stock && !deadline_.expired())
      add_first_nodes(placement, choice, input, nodes_with_tasks(*stock));
    placement.reasons.push_back("data " + short_number(coverage_.oldest_s + published_s()) + " s old");
    return placement;
  }

  // Adds a reason with the sources of the network between the nodes, such as "pairs: 3 measured, 12 mpi", unless there
  // is only one node.
  void add_sources(Placement& placement, const std::vector<std::int32_t>& nodes) const {
    const PairTable& pairs = view_.live->pairs;
    std::map<std::int32_t, std::int64_t> members;  // number of nodes in each group; -1: their group is not known
    for (const std::int32_t node : nodes) ++members[network_.columns().group_of(node)];
    std::array<std::int64_t, pair_source_names.size()> count{};
    for (const auto& [a, of_a] : members)
      for (const auto& [b, of_b] : members) {
        if (a > b) continue;
        const bool known = a >= 0 && !pairs.source.empty();
        const PairSource source = known ? pairs.source[cell_index(pairs.groups, a, b)] : PairSource::none;
        count[static_cast<std::size_t>(source)] += a == b ? of_a * (of_a - 1) / 2 : of_a * of_b;
      }
    if (nodes.size() > 1) placement.reasons.push_back("pairs: " + shown_sources(count));
  }

  // Returns the part of a reason for nodes whose load leaves too few processors free for the job; empty if there are
  // enough. Nodes with too few are not chosen, however low their total load is.
  std::string if_too_loaded(const netload::GroupInput& input, const std::vector<std::int32_t>& nodes) const {
    std::int64_t processors = 0;
    for (const std::int32_t node : nodes) processors += input.processors[node];
    if (processors >= request_.tasks) return {};
    return " (not chosen: " + std::to_string(processors) + " processors without load)";
  }

  // Adds a reason with the total load of the first nodes of the view, unless the deadline has passed.
  void add_first_nodes(Placement& placement, const netload::GroupChoice& choice, const netload::GroupInput& input,
                       std::vector<std::int32_t> nodes) const {
    try {
      const std::string too_loaded = if_too_loaded(input, nodes);
      const netload::Group group = netload::measured_group(input, std::move(nodes), deadline_);
      placement.reasons.push_back("first nodes " + described(group) +
                                  " T=" + short_number(netload::total_load(input, choice, group)) + too_loaded);
    } catch (const Error&) {  // the deadline has passed
    }
  }

  std::string described(const netload::Group& group) const {
    std::vector<std::string> names;
    for (const std::int32_t node : group.nodes) names.push_back(view_.nodes[node].name);
    constexpr std::size_t longest = 48;
    const std::string list = compress_hostlist(names);
    return list.size() <= longest ? list : std::to_string(names.size()) + " nodes from " + names.front();
  }

  const ClusterView& view_;
  const Request& request_;
  const Deadline& deadline_;
  const netload::SelectionRule rule_;
  netload::TypicalLink link_;  // of the nodes with known states; the default if the weights do not depend on it
  netload::NlaWeights weights_;
  const mapping::Slots slots_;
  const mapping::NodeLimits limits_;
  std::vector<std::int32_t> state_of_;  // for each node of the view: index of its live state, -1: not known
  std::vector<bool> down_;
  std::vector<double> cores_;   // logical processors of each node
  std::vector<double> free_;    // free cores of each node
  std::vector<double> busy_;    // logical processors of each node that Slurm's jobs hold
  std::vector<double> beyond_;  // load on each node that Slurm's jobs did not cause
  std::int32_t stale_ = 0;
  netload::LiveCoverage coverage_;
  netload::NodeTable table_;
  std::optional<netload::ShareRange> shares_;  // for the regret; nothing: only T_G counts
  std::vector<double> compute_;
  netload::NetworkLoad network_;
};

// Maps the ranks of a step on the tree, because the network between its nodes is not known.
Placement place_step_by_tree(const ClusterView& view, const Request& request, const Deadline& deadline) {
  Placement placement = treematch::place_treematch(view, for_tree(request), deadline);
  if (std::ranges::count_if(request.node_tasks, [](std::int32_t tasks) { return tasks > 0; }) > 1)
    placement.lack = "the network between its nodes is not measured";
  return placement;
}

// Returns the network between the nodes of a step, measured when the nodes were chosen, or nothing if it is not known.
std::optional<netload::NetworkLoad> network_of_step(const ClusterView& view, const Request& request,
                                                    const Deadline& deadline, netload::SelectionRule rule) {
  if (!view.live || view.live->pairs.groups == 0) return std::nullopt;
  std::vector<std::int32_t> states;
  for (const NodeView& node : view.nodes) states.push_back(node.state);
  const netload::NlaWeights weights =
      netload::nla_weights(with_weights(request.parameters, link_for_weights(view, request, states)));
  netload::NetworkLoad network(view.live->pairs, states, weights, for_reading(states.size(), deadline),
                               netload::within_error(rule), netload::pair_measure(rule, request.parameters));
  return network.known_pairs() == 0 ? std::nullopt : std::optional(std::move(network));
}

// Maps the ranks of a step, whose nodes and task counts are given, by the measured network. Without a matrix,
// consecutive ranks are placed near each other, as a chain. Without a measured network, the mapper on the tree places
// the ranks.
Placement place_step(const ClusterView& view, const Request& request, const Deadline& deadline,
                     netload::SelectionRule rule) {
  const auto network = network_of_step(view, request, deadline, rule);
  if (!network) return place_step_by_tree(view, request, deadline);
  std::vector<std::int32_t> nodes;
  for (std::size_t n = 0; n < view.nodes.size(); ++n)
    if (request.node_tasks[n] > 0) nodes.push_back(static_cast<std::int32_t>(n));
  const mapping::Slots slots(view, request);
  Request mapped = request;
  if (!request.matrix) mapped.matrix = std::make_shared<const CommMatrix>(pattern::chain(request.tasks));
  return slots.placement(
      leaves_by_measured_distance(view, mapped, slots, *network, nodes, request.node_tasks, deadline),
      slots.leaves(request.node_tasks), request.matrix ? "measured network" : "the order of the measured network");
}

Placement place_by(const ClusterView& view, const Request& request, const Deadline& deadline,
                   netload::SelectionRule rule) {
  mapping::check_request(view, request);
  return request.node_tasks.empty() ? Chooser(view, request, deadline, rule).place()
                                    : place_step(view, request, deadline, rule);
}

}  // namespace

double max_age_s(const Parameters& parameters) {
  return netload::fraction_parameter(parameters, "max-age", default_max_age_s, most_max_age_s);
}

double wait_s(const Parameters& parameters) { return netload::fraction_parameter(parameters, "wait", 0, most_wait_s); }

Placement place_nla(const ClusterView& view, const Request& request, const Deadline& deadline) {
  return place_by(view, request, deadline, netload::SelectionRule::nla);
}

StepMeasure nla_step_measure(const ClusterView& view, const Request& request) {
  if (!request.matrix) return nullptr;
  auto network = network_of_step(view, request, Deadline::never(), netload::SelectionRule::nla);
  if (!network) return nullptr;
  return [network = std::move(*network), &matrix = *request.matrix](const Placement& placement) {
    std::vector<std::int32_t> nodes;
    for (const RankPlace& rank : placement.ranks) nodes.push_back(rank.node);
    return std::log(netload::measured_cost(
        matrix, [&](std::int32_t a, std::int32_t b) { return network.at(a, b); }, nodes));
  };
}

Placement place_nla_paper(const ClusterView& view, const Request& request, const Deadline& deadline) {
  return place_by(view, request, deadline, netload::SelectionRule::nla_paper);
}

Placement place_load_aware(const ClusterView& view, const Request& request, const Deadline& deadline) {
  return place_by(view, request, deadline, netload::SelectionRule::load_aware);
}

void check_nla(const Parameters& parameters) {
  netload::nla_weights(with_weights(parameters, netload::TypicalLink()));
  netload::processor_formula(parameters);
  max_age_s(parameters);
  wait_s(parameters);
  Request request;
  request.parameters = parameters;
  mapping::seed_parameter(request);
}

}  // namespace placement::policies
