// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// A priority queue of vertices by gain, in buckets. Gains below 64 in absolute value have a bucket each. Larger gains
// share a bucket if their signs and six leading bits are equal, which is exact enough to order moves. The vertex added
// last to the highest bucket comes first. All changes take constant time.
class GainBuckets {
 public:
  GainBuckets() : head_(buckets, -1) {}

  // Empties the queue and prepares it for vertices 0..n-1.
  void reset(std::int32_t n) {
    if (static_cast<std::size_t>(n) > link_.size()) link_.resize(n);
    for (std::int32_t word = 0; word < words; ++word)
      for (; filled_[word] != 0; filled_[word] &= filled_[word] - 1)
        head_[word * 64 + std::countr_zero(filled_[word])] = -1;
    top_word_ = -1;
  }

  // Returns whether the queue is empty. It also finds the highest bucket for top().
  bool empty() {
    while (top_word_ >= 0 && filled_[top_word_] == 0) --top_word_;
    return top_word_ < 0;
  }

  // Returns a vertex of the highest bucket. The queue must not be empty, and empty() must have been called since the
  // last removal.
  std::int32_t top() const { return head_[top_word_ * 64 + 63 - std::countl_zero(filled_[top_word_])]; }

  // Adds the vertex `v`, which must not be in the queue, with the gain `gain`.
  void add(std::int32_t v, std::int32_t gain) {
    const std::int32_t bucket = bucket_of(gain);
    const std::int32_t next = head_[bucket];
    link_[v] = {bucket, -1, next};
    if (next >= 0) link_[next].before = v;
    head_[bucket] = v;
    filled_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
    if (bucket / 64 > top_word_) top_word_ = bucket / 64;
  }

  // Removes the vertex `v`, which must be in the queue.
  void remove(std::int32_t v) {
    const Link link = link_[v];
    if (link.next >= 0) link_[link.next].before = link.before;
    if (link.before >= 0) {
      link_[link.before].next = link.next;
    } else {
      head_[link.bucket] = link.next;
      if (link.next < 0) filled_[link.bucket / 64] &= ~(std::uint64_t{1} << (link.bucket % 64));
    }
  }

  // Changes the gain of the vertex `v`, which must be in the queue.
  void change(std::int32_t v, std::int32_t gain) {
    if (bucket_of(gain) == link_[v].bucket) return;
    remove(v);
    add(v, gain);
  }

 private:
  // Absolute values below 64 have a bucket each; above, each power of two has 32 buckets.
  static constexpr std::int32_t half = 64 + 25 * 32;
  static constexpr std::int32_t buckets = 2 * half;
  static constexpr std::int32_t words = (buckets + 63) / 64;

  static std::int32_t bucket_of(std::int32_t gain) {
    const auto size = static_cast<std::uint32_t>(gain < 0 ? -gain : gain);
    const int shift = std::bit_width(size | 63u) - 6;
    const auto step = static_cast<std::int32_t>(32u * static_cast<unsigned>(shift) + (size >> shift));
    return gain < 0 ? half - step : half + step;
  }

  struct Link {
    std::int32_t bucket;
    std::int32_t before;
    std::int32_t next;
  };

  std::vector<std::int32_t> head_;
  std::vector<Link> link_;
  std::uint64_t filled_[words] = {};
  std::int32_t top_word_ = -1;
};

// Refines a graph that is split in two, by the method of Fiduccia and Mattheyses. Calls reuse the object's memory.
class BisectionRefiner {
 public:
  // Improves a split. In each pass, each vertex changes sides at most once; the largest gain comes first, even if it is
  // negative. Keeps the best state of the pass. Returns the cut: the traffic between the sides. It does not grow if the
  // sides were within the slack. Throws OutOfTime; `side` is then a split between two states of a pass.
  //   first   target size of side 0, in ranks
  //   slack   largest difference of side 0 from `first`, if the sizes of the vertices allow it; 0: side 0 has exactly
  //           `first` ranks if all vertices have size 1
  //   passes  largest number of passes
  //   side    in and out: the side of each vertex, 0 or 1
  std::int64_t refine(const Graph& graph, std::int32_t first, std::int32_t slack, std::int32_t passes,
                      std::vector<std::int8_t>& side, const WorkBudget& watch = WorkBudget());

 private:
  void start(std::int32_t first);
  bool pass();
  std::int32_t next();
  void refill(int from);
  void flip(std::int32_t v, bool queued);
  std::int32_t excess() const { return off_ > slack_ ? off_ - slack_ : off_ < -slack_ ? -slack_ - off_ : 0; }

  const Graph* graph_ = nullptr;
  const WorkBudget* watch_ = nullptr;
  std::vector<std::int8_t>* side_ = nullptr;
  std::int32_t slack_ = 0;
  std::int32_t off_ = 0;
  std::int64_t cut_ = 0;
  std::int32_t patience_ = 0;  // a pass ends after this number of moves without a new best state

  enum State : std::int8_t { outside, queued, moved };
  struct Vertex {
    std::int32_t gain;  // decrease of the cut when the vertex changes sides
    std::int32_t cut_arcs;
  };
  std::vector<Vertex> vertex_;
  std::vector<State> state_;
  std::vector<std::int32_t> moved_;
  GainBuckets queue_[2];
};

}  // namespace placement::mapping
