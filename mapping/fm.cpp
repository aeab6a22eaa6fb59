// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/fm.hpp"

#include <algorithm>

namespace placement::mapping {

std::int64_t BisectionRefiner::refine(const Graph& graph, std::int32_t first, std::int32_t slack, std::int32_t passes,
                                      std::vector<std::int8_t>& side, const WorkBudget& watch) {
  watch_ = &watch;
  graph_ = &graph;
  side_ = &side;
  slack_ = slack;
  start(first);
  for (std::int32_t k = 0; k < passes; ++k)
    if (!pass()) break;
  return cut_;
}

void BisectionRefiner::start(std::int32_t first) {
  const std::int32_t n = graph_->vertices();
  const std::int8_t* side = side_->data();
  if (static_cast<std::size_t>(n) > vertex_.size()) {
    vertex_.resize(n);
    state_.resize(n);
  }
  std::fill_n(state_.begin(), n, outside);
  off_ = -first;
  std::int64_t twice = 0;
  for (std::int32_t v = 0; v < n; ++v) {
    watch_->spend(std::ssize(graph_->arcs(v)) + 1);
    if (side[v] == 0) off_ += graph_->size[v];
    Vertex vertex{0, 0};
    for (const Arc& arc : graph_->arcs(v)) {
      const std::int32_t cut = side[arc.to] ^ side[v];
      vertex.gain += (2 * cut - 1) * arc.weight;
      vertex.cut_arcs += cut;
      twice += cut * static_cast<std::int64_t>(arc.weight);
    }
    vertex_[v] = vertex;
  }
  cut_ = twice / 2;
  patience_ = std::clamp(n / 50, 20, 120);
}

// Makes one pass. Returns whether the sizes of the sides or the cut improved.
bool BisectionRefiner::pass() {
  const std::int32_t n = graph_->vertices();
  for (GainBuckets& queue : queue_) queue.reset(n);
  for (std::int32_t v = 0; v < n; ++v) {
    watch_->spend(1);
    state_[v] = outside;
    if (vertex_[v].cut_arcs == 0) continue;
    queue_[(*side_)[v]].add(v, vertex_[v].gain);
    state_[v] = queued;
  }
  moved_.clear();
  const std::int32_t excess_before = excess();
  const std::int64_t cut_before = cut_;
  std::int32_t best_excess = excess_before;
  std::int64_t best_cut = cut_;
  std::size_t best_count = 0;
  while (moved_.size() - best_count < static_cast<std::size_t>(patience_) || excess() > 0) {
    const std::int32_t v = next();
    if (v < 0) break;
    queue_[(*side_)[v]].remove(v);
    state_[v] = moved;
    flip(v, true);
    moved_.push_back(v);
    if (excess() < best_excess || (excess() == best_excess && cut_ < best_cut)) {
      best_excess = excess();
      best_cut = cut_;
      best_count = moved_.size();
    }
  }
  for (std::size_t k = moved_.size(); k > best_count; --k) flip(moved_[k - 1], false);
  return best_excess < excess_before || best_cut < cut_before;
}

// Returns the vertex to move next, or -1 when there is none. It comes from the side that is too large. If the sizes
// allow both sides, it is the vertex with the larger gain.
std::int32_t BisectionRefiner::next() {
  const bool none[2] = {queue_[0].empty(), queue_[1].empty()};
  int from = off_ > 0 ? 0 : 1;
  if (excess() == 0 && !none[0] && !none[1]) {
    const std::int32_t gain[2] = {vertex_[queue_[0].top()].gain, vertex_[queue_[1].top()].gain};
    if (gain[0] != gain[1]) from = gain[0] > gain[1] ? 0 : 1;
  } else if (excess() == 0) {
    from = none[0] ? 1 : 0;
  }
  if (none[from]) {
    if (excess() == 0) return -1;
    refill(from);
    if (queue_[from].empty()) return -1;
  }
  return queue_[from].top();
}

// Adds all vertices of a side that were not yet queued in this pass to its queue. Called when no vertex with a
// neighbour on the other side remains.
void BisectionRefiner::refill(int from) {
  for (std::int32_t v = 0; v < graph_->vertices(); ++v) {
    watch_->spend(1);
    if ((*side_)[v] != from || state_[v] != outside) continue;
    queue_[from].add(v, vertex_[v].gain);
    state_[v] = queued;
  }
}

void BisectionRefiner::flip(std::int32_t v, bool keep_queues) {
  std::int8_t* side = side_->data();
  const auto arcs = graph_->arcs(v);
  watch_->spend(std::ssize(arcs) + 1);
  const std::int8_t to = 1 - side[v];
  side[v] = to;
  off_ += to == 0 ? graph_->size[v] : -graph_->size[v];
  cut_ -= vertex_[v].gain;
  vertex_[v].gain = -vertex_[v].gain;
  vertex_[v].cut_arcs = static_cast<std::int32_t>(arcs.size()) - vertex_[v].cut_arcs;
  for (const Arc& arc : arcs) {
    const std::int32_t u = arc.to;
    const std::int32_t cut = side[u] ^ to;  // 1 if the arc is now cut
    // Twice a weight may exceed 31 bits; the gain before and after does not.
    vertex_[u].gain = static_cast<std::int32_t>(vertex_[u].gain + 2 * std::int64_t{2 * cut - 1} * arc.weight);
    vertex_[u].cut_arcs += 2 * cut - 1;
    if (!keep_queues || state_[u] == moved) continue;
    if (state_[u] == queued) {
      queue_[side[u]].change(u, vertex_[u].gain);
    } else if (cut) {
      queue_[side[u]].add(u, vertex_[u].gain);
      state_[u] = queued;
    }
  }
}

}  // namespace placement::mapping
