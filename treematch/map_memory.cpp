// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/map_memory.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace placement::treematch {

namespace {

std::size_t bytes_of(const MapMemory::Entry& entry) {
  return sizeof entry + entry.shape.capacity() * sizeof entry.shape[0] +
         (entry.detail.capacity() + entry.slot.capacity()) * sizeof entry.slot[0] + entry.method.capacity();
}

// Of the shape, only the number of vertices is hashed, because a struct may have padding.
std::size_t hash_of(std::int32_t effort, std::size_t vertices, std::span<const std::int32_t> detail) {
  const auto bytes = std::as_bytes(detail);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::hash<std::string_view>{}(text) ^ (static_cast<std::size_t>(effort) << 32) ^ vertices;
}

}  // namespace

std::shared_ptr<const MapMemory::Entry> MapMemory::find(std::int32_t effort,
                                                        std::span<const mapping::LeafTree::Vertex> shape,
                                                        std::span<const std::int32_t> detail) const {
  const std::size_t hash = hash_of(effort, shape.size(), detail);
  const std::lock_guard lock(mutex_);
  for (const Kept& kept : entries_)
    if (kept.hash == hash && kept.entry->effort == effort && std::ranges::equal(kept.entry->detail, detail) &&
        std::ranges::equal(kept.entry->shape, shape))
      return kept.entry;
  return nullptr;
}

void MapMemory::keep(Entry entry) {
  entry.shape.shrink_to_fit();
  entry.detail.shrink_to_fit();
  entry.slot.shrink_to_fit();
  const std::size_t bytes = bytes_of(entry) + sizeof(Kept),
                    hash = hash_of(entry.effort, entry.shape.size(), entry.detail);
  if (bytes > most_bytes_) return;
  auto kept = std::make_shared<const Entry>(std::move(entry));
  const std::lock_guard lock(mutex_);
  for (; bytes_ > most_bytes_ - bytes; entries_.pop_front()) bytes_ -= entries_.front().bytes;
  entries_.push_back({hash, bytes, std::move(kept)});
  bytes_ += bytes;  // after push_back(), which may throw
}

std::size_t MapMemory::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::size_t MapMemory::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void MapMemory::clear() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  bytes_ = 0;
}

std::shared_ptr<MapMemory> MatrixMemories::of(const std::shared_ptr<const CommMatrix>& matrix, std::uint64_t seed) {
  if (matrix->ranks() > most_ranks || matrix->pairs() > most_pairs) return std::make_shared<MapMemory>();
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(all_, [&](const Remembered& one) {
    return one.seed == seed && (one.matrix == matrix || *one.matrix == *matrix);
  });
  if (found != all_.end()) {
    all_.splice(all_.begin(), all_, found);
  } else {
    all_.push_front({matrix, seed, std::make_shared<MapMemory>(most_bytes_of_each), {}});
    if (all_.size() > most_matrices) all_.pop_back();
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
