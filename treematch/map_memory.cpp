// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/map_memory.hpp"

#include <algorithm>
#include <utility>

namespace placement::treematch {

namespace {

std::size_t bytes_of(const MapMemory::Entry& entry) {
  return sizeof entry + entry.shape.size() * sizeof entry.shape[0] +
         (entry.detail.size() + entry.slot.size()) * sizeof entry.slot[0] + entry.method.size();
}

}  // namespace

std::shared_ptr<const MapMemory::Entry> MapMemory::find(std::int32_t effort,
                                                        std::span<const mapping::LeafTree::Vertex> shape,
                                                        std::span<const std::int32_t> detail) const {
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<const Entry>& entry : entries_)
    if (entry->effort == effort && std::ranges::equal(entry->detail, detail) && std::ranges::equal(entry->shape, shape))
      return entry;
  return nullptr;
}

void MapMemory::keep(Entry entry) {
  const std::size_t bytes = bytes_of(entry);
  if (bytes > most_bytes_) return;
  const std::lock_guard lock(mutex_);
  for (; bytes_ > most_bytes_ - bytes; entries_.pop_front()) bytes_ -= bytes_of(*entries_.front());
  bytes_ += bytes;
  entries_.push_back(std::make_shared<const Entry>(std::move(entry)));
}

std::size_t MapMemory::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
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
    all_.push_front({matrix, seed, std::make_shared<MapMemory>(most_bytes_of_each)});
    if (all_.size() > most_matrices) all_.pop_back();
  }
  return all_.front().memory;
}

}  // namespace placement::treematch
