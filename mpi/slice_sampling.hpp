// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>

#include "common/util/random.hpp"

namespace placement::mpi {

// Decides when a rank with very many messages counts them, to save time. The time in which the process runs, in
// nanoseconds, is divided into spans, which are short at first. In each span, the messages of one slice at a random
// position are counted. The counts are multiplied by the number of slices in the span. All moments have equal
// probability, so the sums are correct on average, even for bursts. A slice that reaches the end of its span wraps
// around to the start, so all slices have one length. After a slice with few messages, the next span has one slice, so
// all of its messages are counted.
class SliceSampling {
 public:
  static constexpr std::uint64_t usual_slice_ns = 25'000'000;
  static constexpr std::uint64_t spans_in_full = 6;      // the first spans have one slice: a short run counts in full
  static constexpr std::uint64_t spans_of_a_length = 3;  // number of spans of one length before it grows by a slice
  static constexpr std::uint64_t busy_messages = 2048;   // with fewer in a slice, the next span has one slice
  static constexpr std::uint64_t longest_span = 10;      // in slices

  // `seed` makes the positions of slices differ between ranks. The first span begins at the time `now`. `messages` is
  // the number of messages counted until then. A slice takes `slice_ns` nanoseconds, 1 or more.
  SliceSampling(std::uint64_t seed, std::uint64_t now, std::uint64_t messages, std::uint64_t slice_ns = usual_slice_ns)
      : slice_ns_(slice_ns),
        random_(seed),
        begin_(now),
        messages_(messages),
        next_look_(now + slice_ns) {}

  // Returns true while messages are to be counted.
  bool counts() const { return counts_; }

  // Returns the number by which each message of the present slice counts, 1 or more.
  std::uint64_t weight() const { return span_; }

  // Returns the time at which look() should be called next. It may be called earlier or later.
  std::uint64_t next_look() const { return next_look_; }

  // Decides what is counted from `now` on. `messages` is the number of messages counted until now, with their weights.
  void look(std::uint64_t now, std::uint64_t messages) {
    if (now - begin_ >= span_ * slice_ns_) begin_span(now, messages);
    const std::uint64_t span_ns = span_ * slice_ns_, in_span = now - begin_;
    const std::uint64_t from_slice = (in_span + span_ns - slice_begin_) % span_ns;
    counts_ = from_slice < slice_ns_;
    const std::uint64_t to_change = (counts_ ? slice_ns_ : span_ns) - from_slice;
    next_look_ = now + std::min(to_change, span_ns - in_span);
  }

 private:
  void begin_span(std::uint64_t now, std::uint64_t messages) {
    const std::uint64_t counted = (messages - messages_) / span_;
    const bool in_full = ++spans_ < spans_in_full || counted < busy_messages;
    span_ = in_full ? 1 : std::min(longest_span, 2 + (spans_ - spans_in_full) / spans_of_a_length);
    messages_ = messages;
    begin_ = now;
    slice_begin_ = random_.next() % (span_ * slice_ns_);
  }

  std::uint64_t slice_ns_;
  Random random_;
  std::uint64_t begin_;     // start of the span
  std::uint64_t messages_;  // counted when the span began
  std::uint64_t next_look_;
  std::uint64_t span_ = 1;         // in slices
  std::uint64_t slice_begin_ = 0;  // in ns from the start of the span
  std::uint64_t spans_ = 0;        // number of spans that are over
  bool counts_ = true;
};

}  // namespace placement::mpi
