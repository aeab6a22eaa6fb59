// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace placement::netload {

namespace {

// The number of blocks that are prefetched before they are examined.
constexpr std::size_t most_ahead = 8;

// Marks a block as examined. It replaces the floor of the block. Blocks without nodes have this floor from the start.
constexpr double seen = std::numeric_limits<double>::infinity();

double above(double value) { return std::nextafter(value, seen); }

// Returns a value below each sum that differs from `sum` by rounding alone.
double rounded_down(double sum) { return sum * (1 - 1e-12); }

}  // namespace

void Beginning::start(std::int64_t processes, std::int64_t nodes) {
  processes_ = processes;
  nodes_ = nodes;
  room_ = 0;
  limit_ = std::numeric_limits<double>::infinity();
  first_.clear();
}

void Beginning::add(double value, std::int32_t node) {
  first_.push_back({value, node});
  std::push_heap(first_.begin(), first_.end());
  room_ += processors(node);
  while (room_ - processors(last().node) >= processes_ && static_cast<std::int64_t>(first_.size()) > nodes_) {
    room_ -= processors(last().node);
    std::pop_heap(first_.begin(), first_.end());
    first_.pop_back();
  }
  if (room_ >= processes_ && static_cast<std::int64_t>(first_.size()) >= nodes_) limit_ = last().value;
}

Candidates::Candidates(const GroupInput& input, const GroupRequest& request)
    : input_(input),
      request_(request),
      rest_(input.processors),
      inside_(input.processors.size(), 0) {
  base_.reserve(input.compute_load.size());
  for (const double load : input.compute_load) base_.push_back(input.alpha * load);
  for (const std::int32_t node : request.required) inside_[static_cast<std::size_t>(node)] = 1;
  if (input.network->dense())
    sort_nodes();
  else
    sort_blocks();
}

void Candidates::sort_nodes() {
  for (std::size_t n = 0; n < base_.size(); ++n)
    if (input_.processors[n] > 0) order_.push_back(static_cast<std::int32_t>(n));
  std::sort(order_.begin(), order_.end(), by_base());
}

// In a block of one column all nodes are equally near, except for their own terms. Therefore the least loaded come
// first.
void Candidates::sort_blocks() {
  const PairColumns& columns = input_.network->columns();
  const PairFloors& blocks = input_.network->blocks();
  base_of_block_.assign(static_cast<std::size_t>(blocks.blocks()), std::numeric_limits<double>::infinity());
  floor_ = base_of_block_;
  begin_.assign(1, 0);
  for (std::int32_t block = 0; block < blocks.blocks(); ++block) {
    double& least = base_of_block_[static_cast<std::size_t>(block)];
    const auto first = static_cast<std::ptrdiff_t>(order_.size());
    for (std::int32_t c = blocks.begin(block); c < blocks.end(block); ++c)
      for (const std::int32_t node : columns.members(c)) {
        if (input_.processors[static_cast<std::size_t>(node)] <= 0) continue;
        order_.push_back(node);
        least = std::min(least, base_[static_cast<std::size_t>(node)]);
      }
    std::sort(order_.begin() + first, order_.end(), by_base());
    begin_.push_back(static_cast<std::int32_t>(order_.size()));
  }
}

const std::vector<std::int32_t>& Candidates::of_start(std::int32_t start) {
  group_.clear();
  if (input_.processors[static_cast<std::size_t>(start)] <= 0) return group_;
  group_ = request_.required;
  char& inside = inside_[static_cast<std::size_t>(start)];
  const char required = inside;
  if (required == 0) group_.push_back(start);
  inside = 1;
  std::int64_t room = request_.processes;
  for (const std::int32_t node : group_) room -= input_.processors[static_cast<std::size_t>(node)];
  const std::int64_t nodes = request_.min_nodes - static_cast<std::int64_t>(group_.size());
  if (room > 0 || nodes > 0) {
    rest_.start(room, nodes);
    if (input_.network->dense())
      fill(start);
    else
      fill_by_blocks(start);
    for (const Beginning::Element& element : rest_.elements()) group_.push_back(element.node);
  }
  inside = required;
  if (static_cast<std::int64_t>(group_.size()) > request_.max_nodes) group_.clear();
  std::sort(group_.begin(), group_.end());
  return group_;
}

// Network load is never below 0, so the search ends at the first node whose compute load alone exceeds the limit.
void Candidates::fill(std::int32_t start) {
  const NetworkLoad::From from = input_.network->from(start);
  for (const std::int32_t node : order_) {
    if (base_[static_cast<std::size_t>(node)] > rest_.limit()) break;
    offer(from, node);
  }
}

void Candidates::fill_by_blocks(std::int32_t start) {
  const NetworkLoad::From from = input_.network->from(start);
  const PairFloors& blocks = input_.network->blocks();
  // Most of the nearest nodes are in the block of the start node or beside it. After these blocks hardly any other
  // block has a node that could enter.
  const std::int32_t own = blocks.block_of(input_.network->columns().column_of(start));
  const std::int32_t first = std::max(own - 1, 0), last_near = std::min(own + 1, blocks.blocks() - 1);
  for (std::int32_t block = first; block <= last_near; ++block) from.prefetch(blocks.begin(block), blocks.end(block));
  input_.network->floors(start, input_.beta, base_of_block_, floor_);
  offer_block(from, own);
  for (std::int32_t block = first; block <= last_near; ++block)
    if (block != own && floor_[static_cast<std::size_t>(block)] <= rest_.limit()) offer_block(from, block);
  for (std::int32_t block = first; block <= last_near; ++block) floor_[static_cast<std::size_t>(block)] = seen;
  // Of the other blocks, those with the lowest floors are examined first, so that most blocks can be skipped.
  std::array<std::pair<double, std::int32_t>, most_ahead> best;
  std::size_t found = 0;
  double below = above(most_floor());  // a block is kept if its floor is lower
  for (std::int32_t block = 0; block < blocks.blocks(); ++block) {
    const double floor = floor_[static_cast<std::size_t>(block)];
    if (!(floor < below)) continue;
    std::size_t at = found < most_ahead ? found++ : most_ahead - 1;
    for (; at > 0 && floor < best[at - 1].first; --at) best[at] = best[at - 1];
    best[at] = {floor, block};
    if (found == most_ahead) below = best.back().first;
  }
  for (std::size_t k = 0; k < found; ++k) from.prefetch(blocks.begin(best[k].second), blocks.end(best[k].second));
  for (std::size_t k = 0; k < found; ++k) {
    if (best[k].first <= rest_.limit()) offer_block(from, best[k].second);
    floor_[static_cast<std::size_t>(best[k].second)] = seen;
  }
  if (found < most_ahead) return;
  left_.clear();
  const double most = most_floor();
  for (std::int32_t block = 0; block < blocks.blocks(); ++block) {
    if (!(floor_[static_cast<std::size_t>(block)] <= most)) continue;
    left_.push_back(block);
    from.prefetch(blocks.begin(block), blocks.end(block));
  }
  for (const std::int32_t block : left_)
    if (floor_[static_cast<std::size_t>(block)] <= rest_.limit()) offer_block(from, block);
}

void Candidates::offer_block(const NetworkLoad::From& from, std::int32_t block) {
  const auto at = static_cast<std::size_t>(block);
  const double network = floor_[at] - base_of_block_[at];  // lower bound
  for (std::int32_t k = begin_[at]; k < begin_[at + 1]; ++k) {
    const std::int32_t node = order_[static_cast<std::size_t>(k)];
    if (rounded_down(base_[static_cast<std::size_t>(node)] + network) > rest_.limit()) break;
    offer(from, node);
  }
}

}  // namespace placement::netload
