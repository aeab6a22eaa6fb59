// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/tofa.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"
#include "common/util/sequence.hpp"
#include "common/util/text.hpp"
#include "pattern/grid.hpp"
#include "tofa/scotch_hook.hpp"
#include "tofa/torus_job.hpp"
#include "tofa/torus_map.hpp"
#include "treematch/tree_map.hpp"
#include "treematch/treematch.hpp"
#include "treematch/within_nodes.hpp"

namespace placement::tofa {

namespace {

constexpr std::size_t sets_tried = 3;
constexpr std::size_t most_starts = 4;                     // mappings that relieve() improves
constexpr std::int64_t least_relief = 20'000;              // links walked for each step of effort
constexpr std::int64_t relief_per_place = 10;              // or this number per rank and arc
constexpr std::int32_t much_effort = 4;                    // from here on, tries several sets of nodes, and SCOTCH
constexpr std::int32_t most_tasks_searched_quickly = 512;  // while slurmctld waits for nodes
constexpr std::int32_t most_positions_tabulated_quickly = 512;
constexpr std::size_t most_slots_searched_quickly = 4096;
// Limits on the pairs by which mappings are compared while slurmctld waits. The routes of few tasks are short.
constexpr std::int64_t most_pairs_of_few_tasks = 1 << 16;
constexpr std::int64_t most_pairs_of_many_tasks = 1 << 14;

// Returns the nodes that are suspect and not required, the most likely to fail first.
template <typename IsSuspect>
std::vector<std::int32_t> worst_first(const ClusterView& view, const Request& request, const FaultModel& model,
                                      IsSuspect suspect) {
  std::vector<std::int32_t> nodes;
  for (std::int32_t node = 0; node < std::ssize(view.nodes); ++node)
    if (suspect(node) && std::count(request.required_nodes.begin(), request.required_nodes.end(), node) == 0)
      nodes.push_back(node);
  std::ranges::stable_sort(nodes, std::greater(), [&](std::int32_t node) { return model.of_node(node); });
  return nodes;
}

// ---- nodes

// Returns the limits without the suspect nodes. If some of them are needed, excludes only the worst ones.
mapping::NodeLimits healthiest_limits(const TorusJob& job) {
  const mapping::NodeCounts all = job.capacity();
  std::vector<std::int32_t> suspects =
      worst_first(job.view, job.request, job.fault_model, [&](std::int32_t node) { return job.offered.suspect(node); });
  for (;;) {
    mapping::NodeCounts some = all;
    for (const std::int32_t node : suspects) some[node] = 0;
    try {
      mapping::NodeLimits limits = job.limits_of(some);
      if (suspects.empty() || mapping::sequential_counts(limits)) return limits;
    } catch (const Error&) {
      if (suspects.empty()) throw;
    }
    // Halves the list at each step, because machines are large.
    suspects.resize(suspects.size() / 2);
  }
}

// Returns sets of the nodes that are least likely to fail; none unless nodes that are not suspect may fail, too. One
// set has only nodes that cannot fail. With `thoroughly`, others have the nodes with the least outage probabilities.
std::vector<mapping::NodeCounts> surer_sets(const TorusJob& job, bool thoroughly) {
  const mapping::NodeCounts all = job.capacity();
  std::vector<double> outages;
  bool ordinary_ones_fail = false;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto node = static_cast<std::int32_t>(n);
    if (all[n] == 0) continue;
    outages.push_back(job.fault_model.of_node(node));
    ordinary_ones_fail = ordinary_ones_fail || (outages.back() > 0 && !job.offered.suspect(node));
  }
  if (!ordinary_ones_fail) return {};
  std::sort(outages.begin(), outages.end());
  std::vector<double> limits{0};
  if (thoroughly)
    for (const std::size_t part : {16, 4, 2}) limits.push_back(outages[(outages.size() - 1) / part]);
  std::vector<mapping::NodeCounts> found;
  for (const double most : limits) {
    mapping::NodeCounts some = all;
    for (std::size_t n = 0; n < all.size(); ++n)
      if (job.fault_model.of_node(static_cast<std::int32_t>(n)) > most) some[n] = 0;
    try {
      const mapping::NodeLimits limits_of_some = job.limits_of(some);
      if (!mapping::sequential_counts(limits_of_some)) continue;
      for (mapping::NodeCounts& set : compact_sets(job.offered, limits_of_some, 1))
        if (std::find(found.begin(), found.end(), set) == found.end()) found.push_back(std::move(set));
    } catch (const Error&) {  // these nodes do not suffice
    }
  }
  return found;
}

// Returns whether ranks may move to any slot, because every choice of nodes meets the limits.
bool free_to_move(const Request& request, const mapping::NodeLimits& limits) {
  return !limits.spreads() && request.required_nodes.empty() && request.max_nodes >= request.tasks &&
         request.min_nodes <= 1;
}

std::int64_t most_pairs_compared(const Request& request) {
  return request.tasks <= most_tasks_searched_quickly ? most_pairs_of_few_tasks : most_pairs_of_many_tasks;
}

// ---- mappings

// The searches for a job. Each offers its mappings to the contest.
class TorusSearches {
 public:
  TorusSearches(const TorusJob& job, TorusContest& contest, const Deadline& deadline)
      : job_(job),
        contest_(contest),
        deadline_(deadline) {}

  void map_on(const mapping::NodeCounts& counts, std::int32_t effort) {
    const std::vector<std::int32_t> leaves = job_.slots.leaves(counts);
    offer_mappings(leaves, {numbers(leaves.size())}, effort, nullptr);
  }

  void map_freely(const mapping::NodeLimits& limits, const std::vector<mapping::NodeCounts>& sets,
                  std::int32_t effort) {
    std::vector<std::vector<std::int32_t>> slots_of_set;
    for (const mapping::NodeCounts& set : sets) {
      slots_of_set.emplace_back();
      std::size_t slot = 0;
      for (std::size_t n = 0; n < set.size(); ++n) {
        for (std::int32_t k = 0; k < set[n]; ++k) slots_of_set.back().push_back(static_cast<std::int32_t>(slot) + k);
        slot += static_cast<std::size_t>(limits.capacity()[n]);
      }
      if (slots_of_set.size() == (effort < much_effort ? 1 : 2)) break;
    }
    offer_mappings(job_.slots.leaves(limits.capacity()), slots_of_set, effort, &limits);
  }

  void offer_paper() {
    if (!scotch_is_used()) return;
    try {
      if (const auto window = job_.first_window()) {
        if (auto leaves = job_.with_scotch(job_.slots.leaves(*window), false))
          contest_.offer(std::move(*leaves), "SCOTCH on the first healthy window");
      } else if (job_.torus.positions() <= 1024) {  // above, it takes long and gains little
        const mapping::NodeLimits all = job_.limits_of(job_.capacity());
        auto leaves = job_.with_scotch(job_.slots.leaves(all.capacity()), true);
        if (leaves && all.allow(job_.slots.counts(*leaves)))
          contest_.offer(std::move(*leaves), "SCOTCH with raised weights");
      }
    } catch (const Error&) {  // keep the mappings found so far
    }
  }

  void offer_scotch_on(const std::vector<std::int32_t>& leaves) {
    if (!scotch_is_used()) return;
    try {
      if (auto mapped = job_.with_scotch(leaves, false)) contest_.offer(std::move(*mapped), "SCOTCH");
    } catch (const Error&) {  // keep the mappings found so far
    }
  }

  // Improves the best mappings with relieve_links(), by the expected time.
  void relieve() {
    if (!job_.request.matrix || job_.settings.effort <= 1 || deadline_.expired()) return;
    const mapping::NodeCounts capacity = job_.capacity();
    const bool free = job_.request.node_tasks.empty() && free_to_move(job_.request, job_.limits_of(capacity));
    const mapping::WorkBudget watch(deadline_);
    try {
      const mapping::Graph graph = mapping::scaled_graph(contest_.matrix(), watch);
      const auto size = std::ssize(graph.arc) + graph.vertices();
      const std::int64_t work = job_.settings.effort * std::max(least_relief, relief_per_place * size);
      const std::size_t starts = std::min(contest_.overtaken().size(), most_starts - 1);
      const std::vector<std::vector<std::int32_t>> earlier(contest_.overtaken().end() - starts,
                                                           contest_.overtaken().end());
      relieve_from(graph, contest_.best(), free ? &capacity : nullptr, work / 2, watch);
      for (const std::vector<std::int32_t>& start : earlier)
        relieve_from(graph, start, free ? &capacity : nullptr, work / 2 / static_cast<std::int64_t>(starts), watch);
    } catch (const mapping::OutOfTime&) {
    }
  }

  // Offers the greedy mapping; with few slots also after the deadline, because it then takes about a millisecond.
  void offer_greedy(bool few_slots) {
    try {
      const mapping::WorkBudget watch(few_slots ? Deadline::never() : deadline_);
      contest_.offer(contest_.greedy_leaves(watch), "the heaviest pairs first");
    } catch (const mapping::OutOfTime&) {
    }
  }

 private:
  bool scotch_is_used() const { return job_.settings.effort >= much_effort && scotch_mapper() && !deadline_.expired(); }

  void offer_mappings(const std::vector<std::int32_t>& leaves, const std::vector<std::vector<std::int32_t>>& sets,
                      std::int32_t effort, const mapping::NodeLimits* limits) {
    if (job_.offered.faults && (effort > 1 || job_.torus.positions() <= most_positions_tabulated_quickly))
      job_.faults->tabulate();
    TorusMapOptions options;
    options.seed = job_.settings.seed;
    options.effort = effort;
    options.deadline = deadline_;
    for (TorusMapping& mapping : map_to_torus(contest_.matrix(), job_.torus_slots(leaves), sets, options)) {
      for (std::int32_t& slot : mapping.slot_of_rank) slot = leaves[slot];
      if (limits && !limits->allow(job_.slots.counts(mapping.slot_of_rank))) continue;
      contest_.offer(std::move(mapping.slot_of_rank), mapping.method);
    }
  }

  // Offers the mapping after relieve_links(). Ranks may move to the slots of `capacity`; null: those of the mapping.
  void relieve_from(const mapping::Graph& graph, const std::vector<std::int32_t>& leaf_of_rank,
                    const mapping::NodeCounts* capacity, std::int64_t work, const mapping::WorkBudget& watch) {
    std::vector<std::int32_t> node_of_rank;
    for (const std::int32_t leaf : leaf_of_rank) node_of_rank.push_back(job_.node_of_leaf[leaf]);
    const std::vector<std::int32_t> start = job_.slots.leaves_on(node_of_rank);
    const std::vector<std::int32_t> leaves = job_.slots.leaves(capacity ? *capacity : job_.slots.counts(start));
    std::vector<std::int32_t> slot_of_leaf(job_.node_of_leaf.size(), -1);
    for (std::size_t s = 0; s < leaves.size(); ++s) slot_of_leaf[leaves[s]] = static_cast<std::int32_t>(s);
    std::vector<std::int32_t> slot;
    for (const std::int32_t leaf : start) slot.push_back(slot_of_leaf[leaf]);
    relieve_links(graph, job_.torus_slots(leaves), contest_.objective(), slot, work, job_.settings.seed, watch);
    for (std::int32_t& s : slot) s = leaves[s];
    if (!capacity || job_.limits_of(*capacity).allow(job_.slots.counts(slot)))
      contest_.offer(std::move(slot), "busy links relieved");
  }

  const TorusJob& job_;
  TorusContest& contest_;
  const Deadline& deadline_;
};

// Places the ranks of a request that gives the tasks of each node. With the least effort, compares many pairs by a
// sample, as while nodes are chosen.
Placement place_on_given(const TorusJob& job, const Deadline& deadline) {
  const Request& request = job.request;
  TorusContest contest(
      job, job.slots.leaves(request.node_tasks),
      job.settings.effort > 1 ? std::numeric_limits<std::int64_t>::max() : most_pairs_compared(request));
  if (!request.matrix) return contest.answer(contest.best(), contest.method());
  if (auto planned = job.slots.leaves_of_ranks(request.planned_ranks, request.node_tasks))
    contest.offer(*std::move(planned), "the plan of the job");
  contest.offer(contest.greedy_leaves(), "the heaviest pairs first");
  TorusSearches searches(job, contest, deadline);
  searches.map_on(request.node_tasks, job.settings.effort);
  searches.offer_scotch_on(contest.natural());
  searches.relieve();
  // On the torus, all cores of a node have one position, so the sockets are handled here.
  std::vector<std::int32_t> best = contest.best();
  treematch::place_on_sockets(job.view, request, job.slots, best, treematch::SocketsOf::all_nodes,
                              treematch::usual_effort, deadline);
  return contest.answer(best, contest.method());
}

Placement place_on_torus(const ClusterView& view, const Request& request, const Deadline& deadline, bool thoroughly) {
  const TorusJob job = torus_job(view, request);
  if (!request.node_tasks.empty()) return place_on_given(job, deadline);
  const std::optional<mapping::NodeCounts> sequential = mapping::sequential_counts(job.limits_of(job.capacity()));
  const mapping::NodeLimits limits = healthiest_limits(job);
  const bool search =
      request.matrix && (thoroughly || (!request.node_level && request.tasks <= most_tasks_searched_quickly));
  const std::int32_t effort = thoroughly ? job.settings.effort : 1;
  const std::int64_t most_pairs = most_pairs_compared(request);
  const bool sampled = !thoroughly && request.matrix && request.matrix->pairs() > most_pairs;
  std::vector<mapping::NodeCounts> sets = compact_sets(job.offered, limits, sampled ? 1 : sets_tried);
  if (auto window = job.first_window()) sets.push_back(std::move(*window));
  if (sets.empty() && !sequential)
    throw PlacementError(STOCK_NO_ROOM, "no set of nodes meets the limits on nodes and on tasks per node");
  TorusContest contest(job, job.slots.leaves(sequential ? *sequential : sets.front()),
                       sampled ? most_pairs : std::numeric_limits<std::int64_t>::max());
  TorusSearches searches(job, contest, deadline);
  const bool few_slots = thoroughly || job.slots.leaves(limits.capacity()).size() <= most_slots_searched_quickly;
  if (sequential && request.matrix) searches.offer_greedy(few_slots);
  for (const mapping::NodeCounts& set : sets) contest.offer(job.slots.leaves(set), "natural order on a compact set");
  if (search && !sets.empty()) {
    if (free_to_move(request, limits) && few_slots)
      searches.map_freely(limits, sets, effort);
    else
      for (std::size_t k = 0; k < std::min<std::size_t>(effort < much_effort ? 1 : 2, sets.size()); ++k)
        searches.map_on(sets[k], effort);
    if (thoroughly) searches.offer_paper();
  }
  for (const mapping::NodeCounts& set : surer_sets(job, thoroughly)) {
    contest.offer(job.slots.leaves(set), "natural order on nodes that fail least");
    if (search) searches.map_on(set, effort);
  }
  if (thoroughly) searches.relieve();
  return contest.answer(contest.best(), contest.method());
}

// On a tree, TREEMATCH places the ranks on healthy nodes, plus the least suspect nodes if the healthy ones do not
// suffice.
Placement on_tree(const ClusterView& view, const Request& request, const Deadline& deadline) {
  const TofaSettings settings = tofa_settings(request);
  const FaultModel fault_model(view, settings.job_seconds);
  Request plain = request;
  plain.parameters.clear();
  if (request.parameters.contains("effort")) plain.parameters["effort"] = std::to_string(settings.effort);
  plain.seed = settings.seed;
  if (!request.node_tasks.empty() || !fault_model.any_suspect())
    return treematch::place_treematch(view, plain, deadline);
  std::vector<std::int32_t> suspects =
      worst_first(view, request, fault_model, [&](std::int32_t node) { return fault_model.suspect(node); });
  for (;; suspects.resize(suspects.size() / 2)) {
    ClusterView healthy = view;
    for (const std::int32_t node : suspects)
      healthy.nodes[node].core_free.assign(healthy.nodes[node].core_free.size(), false);
    try {
      Placement placement = treematch::place_treematch(healthy, plain, deadline);
      AnyFailure failure;
      std::vector<bool> used(view.nodes.size(), false);
      for (const RankPlace& rank : placement.ranks) used[rank.node] = true;
      for (std::size_t n = 0; n < used.size(); ++n)
        if (used[n]) failure.add(fault_model.of_node(static_cast<std::int32_t>(n)));
      placement.reasons.push_back("probability of an abort " + in_percent(failure.probability()));
      return placement;
    } catch (const Error&) {
      if (suspects.empty()) throw;
    }
  }
}

// Places the ranks of a step without a matrix along the torus, as a chain: consecutive ranks are near each other.
Placement along_torus(const ClusterView& view, const Request& request, const Deadline& deadline) {
  Request along = request;
  along.matrix = std::make_shared<const CommMatrix>(pattern::chain(request.tasks));
  along.parameters["effort"] = "1";
  Placement placement = place_on_torus(view, along, deadline, false);
  placement.cost = placement.natural_cost = 0;
  placement.reasons.front() = std::to_string(request.tasks) + " ranks along the torus";
  return placement;
}

}  // namespace

void check_tofa(const Parameters& parameters) {
  Request request;
  request.parameters = parameters;
  tofa_settings(request);
}

Placement place_tofa(const ClusterView& view, const Request& request, const Deadline& deadline) {
  mapping::check_request(view, request);
  if (!has_coordinates(view, request)) return on_tree(view, request, deadline);
  if (!request.matrix && !request.node_tasks.empty()) return along_torus(view, request, deadline);
  return place_on_torus(view, request, deadline, false);
}

Placement place_tofa_thoroughly(const ClusterView& view, const Request& request, const Deadline& deadline) {
  mapping::check_request(view, request);
  return has_coordinates(view, request) ? place_on_torus(view, request, deadline, true)
                                        : on_tree(view, request, deadline);
}

StepMeasure tofa_step_measure(const ClusterView& view, const Request& request) {
  if (!has_coordinates(view, request)) return nullptr;
  const auto job = std::make_shared<const TorusJob>(torus_job(view, request));
  const auto contest = std::make_shared<const TorusContest>(*job, job->slots.leaves(request.node_tasks));
  return [job, contest](const Placement& placement) {
    return contest->log_expected_time(mapping::first_leaves(job->view, placement));
  };
}

}  // namespace placement::tofa
