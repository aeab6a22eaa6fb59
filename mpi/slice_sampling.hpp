// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>

#include "common/util/random.hpp"

namespace placement::mpi {

// Decides when a rank that sends very many messages counts them, so that counting takes less of its time. Its time is
// divided into spans. In each span one slice at a random place is counted, and each of its messages counts as many
// times as there are slices in the span. Every moment of a span is in its slice with the same probability, whatever the
// program does when, so that the sums are right on the mean, also for a program that sends in bursts and computes
// between them. A slice may leave a span at its end and go on at its begin, so that its length never varies. After a
// span with few messages in its slice comes one of a single slice, which counts everything. Spans are short at first,
// so that a short run is counted well. Times are in ticks of a clock that only has to be steady; a slice should take
// about 25 ms.
class SliceSampling {
 public:
  static constexpr std::uint64_t usual_slice_ticks = std::uint64_t{1} << 26;  // 25 ms of a time stamp counter of x86
  static constexpr std::uint64_t spans_in_full = 6;      // of one slice, at the begin: a very short run loses nothing
  static constexpr std::uint64_t spans_of_a_length = 3;  // after so many more spans, they become longer by a slice
  static constexpr std::uint64_t busy_messages = 2048;   // fewer messages in a slice are few
  static constexpr std::uint64_t longest_span = 10;      // in slices

  // `seed` makes the places of slices differ between ranks. The first span begins at `now`, when `messages` were
  // counted. A slice has `slice_ticks`, 1 or more.
  SliceSampling(std::uint64_t seed, std::uint64_t now, std::uint64_t messages,
                std::uint64_t slice_ticks = usual_slice_ticks)
      : slice_ticks_(slice_ticks),
        random_(seed),
        begin_(now),
        messages_(messages),
        next_look_(now + slice_ticks) {}

  // Returns true while messages are to be counted.
  bool counts() const { return counts_; }

  // Returns the number by which each message of the present slice counts, 1 or more.
  std::uint64_t weight() const { return span_; }

  // Returns the time at which look() is to be called next. It may be called later, and is when the program computes.
  std::uint64_t next_look() const { return next_look_; }

  // Finds out what is to be done from `now` on, which is next_look() or later. `messages` is the number that were
  // counted so far, with their weights.
  void look(std::uint64_t now, std::uint64_t messages) {
    if (now - begin_ >= span_ * slice_ticks_) begin_span(now, messages);
    const std::uint64_t span_ticks = span_ * slice_ticks_, in_span = now - begin_;
    const std::uint64_t from_slice = (in_span + span_ticks - slice_begin_) % span_ticks;
    counts_ = from_slice < slice_ticks_;
    const std::uint64_t to_change = (counts_ ? slice_ticks_ : span_ticks) - from_slice;
    next_look_ = now + std::min(to_change, span_ticks - in_span);
  }

 private:
  void begin_span(std::uint64_t now, std::uint64_t messages) {
    const std::uint64_t counted = (messages - messages_) / span_;
    const bool in_full = ++spans_ < spans_in_full || counted < busy_messages;
    span_ = in_full ? 1 : std::min(longest_span, 2 + (spans_ - spans_in_full) / spans_of_a_length);
    messages_ = messages;
    begin_ = now;
    slice_begin_ = random_.next() % (span_ * slice_ticks_);
  }

  std::uint64_t slice_ticks_;
  Random random_;
  std::uint64_t begin_;     // of the span
  std::uint64_t messages_;  // counted when the span began
  std::uint64_t next_look_;
  std::uint64_t span_ = 1;         // in slices
  std::uint64_t slice_begin_ = 0;  // in ticks from the begin of the span
  std::uint64_t spans_ = 0;        // that are over
  bool counts_ = true;
};

}  // namespace placement::mpi
