// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/tofa.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <optional>

#include "core/error.hpp"
#include "tofa/node_sets.hpp"
#include "tofa/outlook.hpp"
#include "tofa/scotch_hook.hpp"
#include "tofa/torus_map.hpp"
#include "treematch/greedy.hpp"
#include "treematch/slots.hpp"
#include "treematch/treematch.hpp"

namespace placement {

namespace {

constexpr std::size_t sets_tried = 3;
constexpr std::int32_t much_effort = 4;  // from which on mappings begin on more than one set, and SCOTCH is asked too
constexpr std::int32_t most_tasks_searched_quickly = 512;  // when nodes are chosen, and slurmctld waits
constexpr std::int32_t most_tasks_searched_among_suspects = 128;  // there a look at a pair takes longer
constexpr std::int32_t most_positions_tabulated_quickly = 512;
constexpr std::size_t most_slots_searched_quickly = 4096;
constexpr std::int32_t most_tasks_looked_at = 1024;         // without a matrix
constexpr std::int32_t most_tasks_all_talk = 96;            // without a matrix: every pair may talk

struct Settings {
  std::uint64_t seed = 1;
  std::int32_t effort = 10;
  double communication_share = 0.5;
  double job_seconds = 0;
};

Settings settings_of(const Request& request) {
  Settings settings;
  settings.seed = static_cast<std::uint64_t>(
      number_parameter(request, "seed", static_cast<std::int64_t>(request.seed), INT64_MAX));
  settings.effort = static_cast<std::int32_t>(number_parameter(request, "effort", 10, 1000));
  if (settings.effort < 1) throw Error("effort=0: a number from 1 to 1000 is wanted");
  settings.communication_share = static_cast<double>(number_parameter(request, "comm-share", 50, 100)) / 100;
  settings.job_seconds = static_cast<double>(number_parameter(request, "job-seconds", 0, INT32_MAX));
  return settings;
}

// What stands in for the matrix of a job that has none: each pair may talk, or, of many tasks, those whose
// numbers differ in one bit.
CommMatrix unknown_traffic(std::int32_t tasks) {
  std::vector<CommEdge> edges;
  const std::int32_t step = (tasks - 1) / most_tasks_looked_at + 1;
  for (std::int32_t a = 0; a < tasks; a += step) {
    if (tasks <= most_tasks_all_talk)
      for (std::int32_t b = a + 1; b < tasks; ++b) edges.push_back({a, b, 1});
    else
      for (std::int64_t bit = 1; bit < tasks; bit *= 2)
        if (const std::int64_t b = a ^ bit; (b > a || b % step != 0) && b < tasks) edges.push_back({a, static_cast<std::int32_t>(b), 1});
  }
  return CommMatrix::from_edges(tasks, std::move(edges));
}

void check_request(const ClusterView& view, const Request& request) {
  if (request.tasks < 1) throw Error(std::to_string(request.tasks) + " tasks: at least 1 is wanted");
  if (request.matrix && request.matrix->ranks() != request.tasks)
    throw Error("the matrix has " + std::to_string(request.matrix->ranks()) + " ranks, and " +
                std::to_string(request.tasks) + " tasks are asked for");
  if (request.node_tasks.empty()) return;
  if (request.node_tasks.size() != view.nodes.size())
    throw Error(std::to_string(request.node_tasks.size()) + " task counts for " + std::to_string(view.nodes.size()) +
                " nodes");
  const std::int64_t laid_out = std::accumulate(request.node_tasks.begin(), request.node_tasks.end(), std::int64_t{0});
  if (laid_out != request.tasks)
    throw Error(std::to_string(laid_out) + " tasks are laid out, and the request has " + std::to_string(request.tasks));
}

std::string percent(double value) {
  char text[48];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * value);
  return text;
}

// One decision on a torus.
class OnTorus {
 public:
  OnTorus(const ClusterView& view, const Request& request, const Deadline& deadline)
      : view_(view), request_(request), torus_(*view.torus), settings_(settings_of(request)), deadline_(deadline),
        slots_(view, request), outlook_(view, settings_.job_seconds), faults_(outlook_.route_faults(torus_)) {
    for (const NodeView& node : view.nodes)
      offered_.position.push_back(node.torus_node < 0 ? -1 : torus_.position(node.torus_node));
    offered_.torus = &torus_;
    offered_.faults = outlook_.any_suspect() ? &faults_ : nullptr;
    node_of_leaf_.assign(static_cast<std::size_t>(view.tree->leaves()), -1);
    for (std::size_t n = 0; n < view.nodes.size(); ++n)
      for (std::int32_t core = 0; core < view.nodes[n].cores(); ++core)
        node_of_leaf_[view.nodes[n].first_leaf + core] = static_cast<std::int32_t>(n);
  }

  Placement tofa(bool thoroughly) {
    if (!request_.node_tasks.empty()) return ranks_on(request_.node_tasks);
    const std::optional<NodeCounts> sequential = sequential_counts(limits_of(capacity_with_coordinates()));
    const NodeLimits limits = healthiest_limits();
    const bool tabulated = offered_.faults && torus_.positions() <= most_positions_tabulated_quickly;
    const std::int32_t most_tasks =
        offered_.faults && !tabulated ? most_tasks_searched_among_suspects : most_tasks_searched_quickly;
    const bool search = request_.matrix && (thoroughly || (!request_.node_level && request_.tasks <= most_tasks));
    const std::int32_t effort = thoroughly ? settings_.effort : 1;
    std::vector<NodeCounts> sets = compact_sets(offered_, limits, sets_tried);
    if (auto window = first_window()) sets.push_back(std::move(*window));
    if (sets.empty() && !sequential) throw Error("no choice of nodes keeps to the limits on nodes and tasks per node");
    const std::vector<std::int32_t> natural = slots_.leaves(sequential ? *sequential : sets.front());
    begin(natural);
    for (const NodeCounts& set : sets) offer(slots_.leaves(set), "natural order on a compact set");
    if (search && !sets.empty()) {
      const bool few_slots = thoroughly || slots_.leaves(limits.capacity()).size() <= most_slots_searched_quickly;
      if (free_to_move(limits) && few_slots)
        map_freely(limits, sets, effort);
      else
        for (std::size_t k = 0; k < std::min<std::size_t>(effort < much_effort ? 1 : 2, sets.size()); ++k) map_on(sets[k], effort);
      if (thoroughly) offer_paper();
    }
    for (const NodeCounts& set : sure_sets()) {
      offer(slots_.leaves(set), "natural order on nodes that do not fail");
      if (search) map_on(set, effort);
    }
    return best_placement();
  }

  // [TOFA §4] as published.
  Placement paper() {
    if (!request_.node_tasks.empty()) {
      begin(slots_.leaves(request_.node_tasks));
      const std::optional<std::vector<std::int32_t>> leaves = with_scotch(natural_, false);
      if (!leaves) throw Error("TOFA-PAPER maps ranks with SCOTCH, which is not at hand here");
      return slots_placement(*leaves, "SCOTCH on the nodes given");
    }
    if (const auto window = first_window()) {
      begin(slots_.leaves(*window));
      const std::optional<std::vector<std::int32_t>> leaves = with_scotch(natural_, false);
      return slots_placement(leaves ? *leaves : natural_, leaves ? "SCOTCH on the first healthy window" : "the first healthy window");
    }
    const NodeLimits all = limits_of(capacity_with_coordinates());
    const std::optional<NodeCounts> sequential = sequential_counts(all);
    if (!sequential) throw Error("no choice of nodes keeps to the limits on nodes and tasks per node");
    begin(slots_.leaves(*sequential));
    const std::optional<std::vector<std::int32_t>> leaves = with_scotch(slots_.leaves(all.capacity()), true);
    if (leaves && all.allow(slots_.counts(*leaves))) return slots_placement(*leaves, "SCOTCH with raised weights");
    return slots_placement(natural_, "natural order, there being no healthy window");
  }

  Placement greedy() {
    const NodeCounts counts = request_.node_tasks.empty() ? capacity_with_coordinates() : request_.node_tasks;
    std::optional<NodeCounts> sequential = request_.node_tasks;
    if (request_.node_tasks.empty()) sequential = sequential_counts(limits_of(counts));
    if (!sequential) throw Error("no choice of nodes keeps to the limits on nodes and tasks per node");
    begin(slots_.leaves(*sequential));
    const Graph graph = scaled_graph(*matrix_);
    for (const NodeCounts& allowed : {counts, *sequential}) {
      const std::vector<std::int32_t> leaves = slots_.leaves(allowed);
      const TorusSlots slots = torus_slots(leaves);
      std::vector<std::int32_t> mapped = greedy_on_torus(graph, slots, Watch());
      for (std::int32_t& slot : mapped) slot = leaves[slot];
      if (!request_.node_tasks.empty() || limits_of(counts).allow(slots_.counts(mapped)))
        return slots_placement(mapped, "the heaviest pairs first");
    }
    return slots_placement(natural_, "natural order");
  }

 private:
  // ---- nodes

  NodeCounts capacity_with_coordinates() const {
    NodeCounts capacity = slots_.capacity();
    for (std::size_t n = 0; n < capacity.size(); ++n)
      if (offered_.position[n] < 0) capacity[n] = 0;
    return capacity;
  }

  NodeLimits limits_of(NodeCounts capacity) const { return NodeLimits(view_, request_, std::move(capacity)); }

  std::optional<NodeCounts> first_window() const {
    return window_counts(offered_, limits_of(capacity_with_coordinates()));
  }

  // Without the suspect nodes, the worst ones first where some of them are needed.
  NodeLimits healthiest_limits() const {
    const NodeCounts all = capacity_with_coordinates();
    std::vector<std::int32_t> suspects;
    for (std::size_t n = 0; n < all.size(); ++n) {
      const auto node = static_cast<std::int32_t>(n);
      const bool required = std::count(request_.required_nodes.begin(), request_.required_nodes.end(), node) > 0;
      if (offered_.suspect(node) && !required) suspects.push_back(node);
    }
    std::stable_sort(suspects.begin(), suspects.end(), [&](std::int32_t a, std::int32_t b) {
      return outlook_.of_node(a) > outlook_.of_node(b);
    });
    for (;;) {
      NodeCounts capacity = all;
      for (const std::int32_t node : suspects) capacity[node] = 0;
      try {
        NodeLimits limits = limits_of(capacity);
        if (suspects.empty() || sequential_counts(limits)) return limits;
      } catch (const Error&) {
        if (suspects.empty()) throw;
      }
      // Half of the rest at a time: machines are large.
      suspects.resize(suspects.size() / 2);
    }
  }

  // Where most nodes may fail, these are not suspect; still those that do not fail may suffice.
  std::vector<NodeCounts> sure_sets() const {
    NodeCounts capacity = capacity_with_coordinates();
    bool ordinary_ones_fail = false;
    for (std::size_t n = 0; n < capacity.size(); ++n) {
      const auto node = static_cast<std::int32_t>(n);
      if (!(outlook_.of_node(node) > 0) || capacity[n] == 0) continue;
      ordinary_ones_fail = ordinary_ones_fail || !offered_.suspect(node);
      capacity[n] = 0;
    }
    if (!ordinary_ones_fail) return {};
    try {
      const NodeLimits limits = limits_of(capacity);
      return sequential_counts(limits) ? compact_sets(offered_, limits, 1) : std::vector<NodeCounts>();
    } catch (const Error&) {  // they do not suffice
      return {};
    }
  }

  // Ranks may move to any slot, whatever nodes are used then.
  bool free_to_move(const NodeLimits& limits) const {
    return !limits.spreads() && request_.required_nodes.empty() && request_.max_nodes >= request_.tasks &&
           request_.min_nodes <= 1;
  }

  // ---- mappings

  TorusSlots torus_slots(const std::vector<std::int32_t>& leaves) const {
    return {&torus_, positions(leaves), offered_.faults};
  }

  std::vector<std::int32_t> positions(const std::vector<std::int32_t>& leaves) const {
    std::vector<std::int32_t> position;
    position.reserve(leaves.size());
    for (const std::int32_t leaf : leaves) position.push_back(offered_.position[node_of_leaf_[leaf]]);
    return position;
  }

  // The mapping that others are held against.
  void begin(std::vector<std::int32_t> natural) {
    natural_ = std::move(natural);
    if (!request_.matrix) stand_in_ = unknown_traffic(request_.tasks);
    matrix_ = request_.matrix ? request_.matrix.get() : &stand_in_;
    judge_.emplace(torus_, outlook_, faults_, *matrix_, positions(natural_), settings_.communication_share);
    best_ = natural_;
    best_assessment_ = judge_->reference();
    best_badness_ = judge_->badness(best_assessment_);
    method_ = "natural order";
  }

  void offer(std::vector<std::int32_t> leaves, const std::string& method) {
    const Assessment assessment = judge_->assess(positions(leaves));
    const double badness = judge_->badness(assessment);
    if (!(badness < best_badness_ || (badness == best_badness_ && assessment.hop_bytes < best_assessment_.hop_bytes))) return;
    best_ = std::move(leaves);
    best_assessment_ = assessment;
    best_badness_ = badness;
    method_ = method;
  }

  void map_on(const NodeCounts& counts, std::int32_t effort) {
    const std::vector<std::int32_t> leaves = slots_.leaves(counts);
    std::vector<std::int32_t> all(leaves.size());
    std::iota(all.begin(), all.end(), 0);
    offer_mappings(leaves, {all}, effort, nullptr);
  }

  void map_freely(const NodeLimits& limits, const std::vector<NodeCounts>& sets, std::int32_t effort) {
    const std::vector<std::int32_t> leaves = slots_.leaves(limits.capacity());
    std::vector<std::vector<std::int32_t>> slots_of_set;
    for (const NodeCounts& set : sets) {
      slots_of_set.emplace_back();
      std::size_t slot = 0;
      for (std::size_t n = 0; n < set.size(); ++n) {
        for (std::int32_t k = 0; k < set[n]; ++k) slots_of_set.back().push_back(static_cast<std::int32_t>(slot) + k);
        slot += static_cast<std::size_t>(limits.capacity()[n]);
      }
      if (slots_of_set.size() == (effort < much_effort ? 1 : 2)) break;
    }
    offer_mappings(leaves, slots_of_set, effort, &limits);
  }

  void offer_mappings(const std::vector<std::int32_t>& leaves, const std::vector<std::vector<std::int32_t>>& sets,
                      std::int32_t effort, const NodeLimits* limits) {
    if (offered_.faults && (effort > 1 || torus_.positions() <= most_positions_tabulated_quickly)) faults_.tabulate();
    TorusMapOptions options;
    options.seed = settings_.seed;
    options.effort = effort;
    options.deadline = deadline_;
    for (TorusMapping& mapping : map_to_torus(*matrix_, torus_slots(leaves), sets, options)) {
      for (std::int32_t& slot : mapping.slot_of_rank) slot = leaves[slot];
      if (limits && !limits->allow(slots_.counts(mapping.slot_of_rank))) continue;
      offer(std::move(mapping.slot_of_rank), mapping.method);
    }
  }

  // Ranks on these leaves, or on some of them; nothing when SCOTCH is not at hand.
  std::optional<std::vector<std::int32_t>> with_scotch(const std::vector<std::int32_t>& leaves, bool raised) const {
    if (!scotch_mapper() || !request_.matrix) return std::nullopt;
    std::vector<std::int32_t> mapped =
        scotch_mapper()({request_.matrix.get(), torus_slots(leaves), raised, settings_.seed});
    for (std::int32_t& slot : mapped) slot = leaves[slot];
    return mapped;
  }

  void offer_paper() {
    if (settings_.effort < much_effort || !scotch_mapper() || deadline_.expired()) return;
    try {
      if (const auto window = first_window()) {
        if (auto leaves = with_scotch(slots_.leaves(*window), false)) offer(std::move(*leaves), "SCOTCH on the first healthy window");
      } else if (torus_.positions() <= 1024) {  // it takes long, and gives little
        const NodeLimits all = limits_of(capacity_with_coordinates());
        auto leaves = with_scotch(slots_.leaves(all.capacity()), true);
        if (leaves && all.allow(slots_.counts(*leaves))) offer(std::move(*leaves), "SCOTCH with raised weights");
      }
    } catch (const Error&) {  // the others are as good
    }
  }

  Placement ranks_on(const NodeCounts& counts) {
    begin(slots_.leaves(counts));
    if (request_.matrix) {
      map_on(counts, settings_.effort);
      if (settings_.effort >= much_effort && scotch_mapper() && !deadline_.expired()) {
        try {
          if (auto leaves = with_scotch(natural_, false)) offer(std::move(*leaves), "SCOTCH");
        } catch (const Error&) {  // the others are as good
        }
      }
    }
    return best_placement();
  }

  // ---- the answer

  Placement best_placement() const { return slots_placement(best_, method_); }

  Placement slots_placement(const std::vector<std::int32_t>& leaves, const std::string& method) const {
    Placement placement = slots_.placement(leaves, natural_, method);
    const Assessment chosen = judge_->assess(positions(leaves));
    if (request_.matrix) {
      placement.cost = chosen.hop_bytes;
      placement.natural_cost = judge_->reference().hop_bytes;
    }
    if (chosen.abort_probability > 0 || judge_->reference().abort_probability > 0)
      placement.reasons.push_back("probability of an abort " + percent(chosen.abort_probability) + ", in natural order " +
                                  percent(judge_->reference().abort_probability));
    return placement;
  }

  const ClusterView& view_;
  const Request& request_;
  const TorusTopology& torus_;
  const Settings settings_;
  const Deadline& deadline_;
  const Slots slots_;
  const Outlook outlook_;
  RouteFaults faults_;
  OfferedNodes offered_;
  std::vector<std::int32_t> node_of_leaf_;
  CommMatrix stand_in_;
  const CommMatrix* matrix_ = nullptr;

  std::vector<std::int32_t> natural_;  // leaf of each rank
  std::optional<Judge> judge_;
  std::vector<std::int32_t> best_;
  Assessment best_assessment_;
  double best_badness_ = 0;
  std::string method_;
};

// On a tree TREEMATCH places the ranks, on healthy nodes as far as these suffice.
Placement on_tree(const ClusterView& view, const Request& request, const Deadline& deadline) {
  const Settings settings = settings_of(request);
  const Outlook outlook(view, settings.job_seconds);
  Request plain = request;
  plain.parameters.clear();
  plain.seed = settings.seed;
  if (!request.node_tasks.empty() || !outlook.any_suspect()) return place_treematch(view, plain, deadline);
  std::vector<std::int32_t> suspects;
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    const auto node = static_cast<std::int32_t>(n);
    const bool required = std::count(request.required_nodes.begin(), request.required_nodes.end(), node) > 0;
    if (outlook.suspect(node) && !required) suspects.push_back(node);
  }
  std::stable_sort(suspects.begin(), suspects.end(),
                   [&](std::int32_t a, std::int32_t b) { return outlook.of_node(a) > outlook.of_node(b); });
  for (;; suspects.resize(suspects.size() / 2)) {
    ClusterView healthy = view;
    for (const std::int32_t node : suspects) healthy.nodes[node].core_free.assign(healthy.nodes[node].core_free.size(), false);
    try {
      Placement placement = place_treematch(healthy, plain, deadline);
      AnyFailure failure;
      std::vector<bool> used(view.nodes.size(), false);
      for (const RankPlace& rank : placement.ranks) used[rank.node] = true;
      for (std::size_t n = 0; n < used.size(); ++n)
        if (used[n]) failure.add(outlook.of_node(static_cast<std::int32_t>(n)));
      placement.reasons.push_back("probability of an abort " + percent(failure.probability()));
      return placement;
    } catch (const Error&) {
      if (suspects.empty()) throw;
    }
  }
}

bool has_coordinates(const ClusterView& view, const Request& request) {
  if (!view.torus) return false;
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    const bool used = !request.node_tasks.empty() && request.node_tasks[n] > 0;
    const bool required = std::count(request.required_nodes.begin(), request.required_nodes.end(), static_cast<std::int32_t>(n)) > 0;
    if ((used || required) && view.nodes[n].torus_node < 0) return false;
  }
  return true;
}

}  // namespace

void check_tofa(const Parameters& parameters) {
  Request request;
  request.parameters = parameters;
  settings_of(request);
}

Placement place_tofa(const ClusterView& view, const Request& request, const Deadline& deadline) {
  check_request(view, request);
  return has_coordinates(view, request) ? OnTorus(view, request, deadline).tofa(false) : on_tree(view, request, deadline);
}

Placement place_tofa_thoroughly(const ClusterView& view, const Request& request, const Deadline& deadline) {
  check_request(view, request);
  return has_coordinates(view, request) ? OnTorus(view, request, deadline).tofa(true) : on_tree(view, request, deadline);
}

Placement place_tofa_paper(const ClusterView& view, const Request& request, const Deadline& deadline) {
  check_request(view, request);
  if (!has_coordinates(view, request)) throw Error("TOFA-PAPER needs a torus: TorusFile in placement.conf");
  return OnTorus(view, request, deadline).paper();
}

Placement place_greedy(const ClusterView& view, const Request& request, const Deadline& deadline) {
  check_request(view, request);
  if (!request.matrix) throw Error("GREEDY needs a matrix");
  if (has_coordinates(view, request)) return OnTorus(view, request, deadline).greedy();
  const Slots slots(view, request);
  NodeCounts natural_counts = request.node_tasks;
  NodeCounts offered = request.node_tasks;
  std::optional<NodeLimits> limits;
  if (request.node_tasks.empty()) {
    limits.emplace(view, request, slots.capacity());
    const auto counts = sequential_counts(*limits);
    if (!counts) throw Error("no choice of nodes keeps to the limits on nodes and tasks per node");
    natural_counts = *counts;
    offered = limits->capacity();
  }
  const std::vector<std::int32_t> natural = slots.leaves(natural_counts);
  for (const NodeCounts& counts : {offered, natural_counts}) {
    std::vector<std::int32_t> leaves = slots.leaves(counts);
    std::sort(leaves.begin(), leaves.end());
    const LeafTree tree(*view.tree, leaves);
    std::vector<std::int32_t> mapped = greedy_mapping(scaled_graph(*request.matrix), tree);
    for (std::int32_t& slot : mapped) slot = tree.leaf(slot);
    if (!limits || limits->allow(slots.counts(mapped))) return slots.placement(mapped, natural, "the heaviest pairs first");
  }
  return slots.placement(natural, natural, "natural order");
}

}  // namespace placement
