// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/map_memory.hpp"

#include <algorithm>
#include <utility>

#include "common/util/sequence.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

std::shared_ptr<const MapResult> MapMemory::find(const Question& question) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, question, &Kept::question);
  return found == kept_.end() ? nullptr : found->answer;
}

void MapMemory::keep(Question question, MapResult answer) {
  question.shrink_to_fit();
  answer.leaf_of_rank.shrink_to_fit();
  const std::size_t bytes = sizeof(Kept) + sizeof answer + answer.method.capacity() +
                            (question.size() + answer.leaf_of_rank.size()) * sizeof question[0];
  if (bytes > most_bytes_) return;
  auto kept = std::make_shared<const MapResult>(std::move(answer));
  const std::lock_guard lock(mutex_);
  for (; bytes_ > most_bytes_ - bytes; kept_.pop_front()) bytes_ -= kept_.front().bytes;
  kept_.push_back({bytes, std::move(question), std::move(kept)});
  bytes_ += bytes;  // after push_back(), which may throw
}

std::size_t MapMemory::size() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

std::size_t MapMemory::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void MapMemory::clear() {
  const std::lock_guard lock(mutex_);
  kept_.clear();
  bytes_ = 0;
}

MapResult mapped_alone(SearchAlone kind, const TreeTopology& tree, const std::vector<std::int32_t>& leaves,
                       const MapOptions& options, const mapping::WorkBudget& watch,
                       const std::function<MapResult(const TreeTopology&, std::vector<std::int32_t>)>& search) {
  watch.spend(static_cast<std::int64_t>(16 * leaves.size()));
  std::vector<std::int32_t> vertices;
  for (const std::int32_t leaf : leaves) vertices.push_back(tree.leaf_vertex(leaf));
  const TreeTopology part = tree.cut_at(vertices);
  MapMemory::Question question{static_cast<std::int32_t>(kind), options.effort};
  for (std::int32_t v = 0; v < part.vertices() && options.memory != nullptr; ++v) {
    question.push_back(part.parent(v));
    add_number(question, part.position(v));
  }
  watch.spend(part.vertices());
  MapResult result;
  if (const auto known = options.memory == nullptr ? nullptr : options.memory->find(question)) {
    result = *known;
  } else {
    result = search(part, numbers(leaves.size()));
    if (options.memory != nullptr && !options.deadline.expired()) options.memory->keep(std::move(question), result);
  }
  for (std::int32_t& leaf : result.leaf_of_rank) leaf = leaves[leaf];
  return result;
}

std::shared_ptr<MapMemory> MatrixMemories::of(const std::shared_ptr<const CommMatrix>& matrix, std::uint64_t seed) {
  if (matrix->ranks() > most_ranks_shared || matrix->pairs() > most_pairs_shared) return std::make_shared<MapMemory>();
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(all_, [&](const Remembered& one) {
    return one.seed == seed && (one.matrix == matrix || *one.matrix == *matrix);
  });
  if (found != all_.end()) {
    all_.splice(all_.begin(), all_, found);
  } else {
    all_.push_front({matrix, seed, std::make_shared<MapMemory>(most_bytes_of_memory), {}});
    if (all_.size() > most_matrices_remembered) all_.pop_back();
  }
  all_.front().used = Clock::now();
  return all_.front().memory;
}

MapMemory& MatrixMemories::within_nodes() {
  const std::lock_guard lock(mutex_);
  within_nodes_used_ = Clock::now();
  return within_nodes_;
}

std::size_t MatrixMemories::drop_idle(Clock::time_point since) {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (; !all_.empty() && all_.back().used < since; all_.pop_back()) bytes += all_.back().bytes();
  if (within_nodes_used_ < since) {
    bytes += within_nodes_.bytes();
    within_nodes_.clear();
  }
  return bytes;
}

std::size_t MatrixMemories::bytes() {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = within_nodes_.bytes();
  for (const Remembered& one : all_) bytes += one.bytes();
  return bytes;
}

// Never destroyed, because slurmctld exits while threads still use them.
MatrixMemories& matrix_memories() {
  static MatrixMemories* const all = new MatrixMemories;
  return *all;
}

}  // namespace placement::treematch
