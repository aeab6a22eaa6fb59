// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/torus_job.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/util/text.hpp"
#include "mapping/graph.hpp"
#include "tofa/scotch_hook.hpp"
#include "tofa/torus_map.hpp"

namespace placement::tofa {

namespace {

constexpr std::int32_t most_tasks_looked_at = 1024;  // without a matrix: of more tasks, only some have traffic
constexpr std::int32_t most_tasks_all_talk = 96;     // without a matrix: up to this number, every pair has traffic

// Returns a matrix in place of the missing matrix of a job. With few tasks, every pair has traffic. With more tasks,
// two tasks have traffic if their numbers differ in one bit.
CommMatrix unknown_traffic(std::int32_t tasks) {
  std::vector<CommEdge> edges;
  const std::int32_t step = (tasks - 1) / most_tasks_looked_at + 1;
  for (std::int32_t a = 0; a < tasks; a += step) {
    if (tasks <= most_tasks_all_talk)
      for (std::int32_t b = a + 1; b < tasks; ++b) edges.push_back({a, b, 1});
    else
      for (std::int64_t bit = 1; bit < tasks; bit *= 2)
        if (const std::int64_t b = a ^ bit; (b > a || b % step != 0) && b < tasks)
          edges.push_back({a, static_cast<std::int32_t>(b), 1});
  }
  return CommMatrix::from_edges(tasks, std::move(edges));
}

}  // namespace

TofaSettings tofa_settings(const Request& request) {
  TofaSettings settings;
  settings.seed = mapping::seed_parameter(request);
  settings.effort = static_cast<std::int32_t>(number_parameter(request, "effort", 10, 1000, 1));
  settings.communication_share = static_cast<double>(number_parameter(request, "comm-share", 50, 100)) / 100;
  settings.job_seconds = static_cast<double>(number_parameter(request, "job-seconds", 0, INT32_MAX));
  return settings;
}

bool has_coordinates(const ClusterView& view, const Request& request) {
  if (!view.torus) return false;
  const auto has = [&](std::size_t n) { return view.nodes[n].torus_node >= 0; };
  for (std::size_t n = 0; n < request.node_tasks.size(); ++n)
    if (request.node_tasks[n] > 0 && !has(n)) return false;
  return std::all_of(request.required_nodes.begin(), request.required_nodes.end(),
                     [&](std::int32_t n) { return has(static_cast<std::size_t>(n)); });
}

TorusJob torus_job(const ClusterView& view, const Request& request) {
  const TofaSettings settings = tofa_settings(request);
  FaultModel fault_model(view, settings.job_seconds);
  auto faults = std::make_unique<RouteFaults>(fault_model.route_faults(*view.torus));
  OfferedNodes offered{view.torus.get(), {}, fault_model.any_suspect() ? faults.get() : nullptr};
  std::vector<std::int32_t> node_of_leaf(view.tree->leaves(), -1);
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    const NodeView& node = view.nodes[n];
    offered.position.push_back(node.torus_node < 0 ? -1 : view.torus->position(node.torus_node));
    std::fill_n(node_of_leaf.begin() + node.first_leaf, node.cores(), static_cast<std::int32_t>(n));
  }
  return {view,
          request,
          *view.torus,
          settings,
          mapping::Slots(view, request),
          std::move(fault_model),
          std::move(faults),
          std::move(offered),
          std::move(node_of_leaf)};
}

mapping::NodeCounts TorusJob::capacity() const {
  mapping::NodeCounts capacity = slots.capacity();
  for (std::size_t n = 0; n < capacity.size(); ++n)
    if (offered.position[n] < 0) capacity[n] = 0;
  return capacity;
}

std::optional<mapping::NodeCounts> TorusJob::first_window() const {
  const mapping::NodeLimits limits = limits_of(capacity());
  std::vector<bool> may_fail;
  for (const double outage : fault_model.of_positions()) may_fail.push_back(outage > 0);
  if (std::count(may_fail.begin(), may_fail.end(), true) > 0) {
    const RouteFaults strict(torus, std::move(may_fail));
    OfferedNodes sure = offered;
    sure.faults = &strict;
    if (auto window = window_counts(sure, limits)) return window;
  }
  return window_counts(offered, limits);
}

std::vector<std::int32_t> TorusJob::positions(const std::vector<std::int32_t>& leaves) const {
  std::vector<std::int32_t> position;
  position.reserve(leaves.size());
  for (const std::int32_t leaf : leaves) position.push_back(offered.position[node_of_leaf[leaf]]);
  return position;
}

std::optional<std::vector<std::int32_t>> TorusJob::with_scotch(const std::vector<std::int32_t>& leaves,
                                                               bool raised) const {
  if (!scotch_mapper() || !request.matrix) return std::nullopt;
  std::vector<std::int32_t> mapped =
      scotch_mapper()({request.matrix.get(), torus_slots(leaves), raised, settings.seed});
  for (std::int32_t& slot : mapped) slot = leaves[slot];
  return mapped;
}

TorusContest::TorusContest(const TorusJob& job, std::vector<std::int32_t> natural, std::int64_t most_pairs)
    : job_(job),
      natural_(std::move(natural)),
      sampled_(job.request.matrix && job.request.matrix->pairs() > most_pairs),
      stand_in_(sampled_             ? mapping::sparsified(*job.request.matrix,
                                                           std::max<std::int64_t>(1, most_pairs / job.request.tasks - 1),
                                                           job.settings.seed)
                : job.request.matrix ? CommMatrix()
                                     : unknown_traffic(job.request.tasks)),
      matrix_(job.request.matrix && !sampled_ ? *job.request.matrix : stand_in_),
      objective_(job.torus, job.fault_model, *job.faults, matrix_, job.positions(natural_),
                 job.settings.communication_share),
      best_(natural_),
      best_assessment_(objective_.reference()),
      best_log_expected_time_(objective_.log_expected_time(best_assessment_)) {}

double TorusContest::log_expected_time(const std::vector<std::int32_t>& leaves) const {
  return objective_.log_expected_time(objective_.assess(job_.positions(leaves)));
}

void TorusContest::offer(std::vector<std::int32_t> leaves, const std::string& method) {
  const Assessment assessment = objective_.assess(job_.positions(leaves));
  const double log_expected_time = objective_.log_expected_time(assessment);
  if (!(log_expected_time < best_log_expected_time_ ||
        (log_expected_time == best_log_expected_time_ && assessment.hop_bytes < best_assessment_.hop_bytes)))
    return;
  overtaken_.push_back(std::move(best_));
  best_ = std::move(leaves);
  best_assessment_ = assessment;
  best_log_expected_time_ = log_expected_time;
  method_ = method;
}

std::vector<std::int32_t> TorusContest::greedy_leaves(const mapping::WorkBudget& watch) const {
  const mapping::Graph graph = mapping::scaled_graph(matrix_);
  const bool given = !job_.request.node_tasks.empty();
  const mapping::NodeCounts all = job_.capacity();
  for (const mapping::NodeCounts& allowed : {given ? job_.request.node_tasks : all, job_.slots.counts(natural_)}) {
    const std::vector<std::int32_t> leaves = job_.slots.leaves(allowed);
    std::vector<std::int32_t> mapped = greedy_on_torus(graph, job_.torus_slots(leaves), watch);
    for (std::int32_t& slot : mapped) slot = leaves[slot];
    if (given || job_.limits_of(all).allow(job_.slots.counts(mapped))) return mapped;
  }
  return natural_;
}

Placement TorusContest::answer(const std::vector<std::int32_t>& leaves, const std::string& method) const {
  Placement placement = job_.slots.placement(leaves, natural_, method);
  const Assessment chosen = leaves == best_ ? best_assessment_ : objective_.assess(job_.positions(leaves));
  if (sampled_) {
    const CommMatrix& matrix = *job_.request.matrix;
    placement.cost = hop_bytes(job_.torus, matrix, job_.positions(leaves));
    placement.natural_cost = hop_bytes(job_.torus, matrix, job_.positions(natural_));
    // The error of the sample is some tenths of a per cent of the hop-bytes, and more for the busiest link.
    if (placement.cost > placement.natural_cost && chosen.hazard >= objective_.reference().hazard &&
        chosen.link_load_twice > objective_.reference().link_load_twice / 10 * 9)
      return answer(natural_, "natural order");
    placement.reasons.push_back("compared by " + std::to_string(matrix_.pairs()) + " of " +
                                std::to_string(matrix.pairs()) + " pairs");
  } else if (job_.request.matrix) {
    placement.cost = chosen.hop_bytes;
    placement.natural_cost = objective_.reference().hop_bytes;
  }
  if (chosen.abort_probability > 0 || objective_.reference().abort_probability > 0)
    placement.reasons.push_back("probability of an abort " + in_percent(chosen.abort_probability) +
                                ", on the first nodes in natural order " +
                                in_percent(objective_.reference().abort_probability));
  return placement;
}

}  // namespace placement::tofa
