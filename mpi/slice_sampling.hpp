// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>

namespace placement::mpi {

// Decides when a rank that sends very many messages counts them, so that counting takes less of its time: in slices of
// time with pauses between them, where what is counted in a slice stands for the pause before it, too. A slice with few
// messages is followed by the next one without a pause, and such a rank counts everything. Pauses are short at first,
// so that a short run loses little by its last one. Times are in ticks of a clock that only has to be steady.
class SliceSampling {
 public:
  static constexpr std::uint64_t slice_ticks = std::uint64_t{1}
                                               << 26;  // about 25 ms of a processor's time stamp counter
  static constexpr std::uint64_t slices_in_full = 6;   // at the begin of a run, so that a very short one loses nothing
  static constexpr std::uint64_t slices_of_a_length = 3;  // after so many more slices, pauses become longer by a slice
  static constexpr std::uint64_t busy_messages = 2048;    // fewer messages in a slice are few
  static constexpr std::uint64_t longest_pause = 9;       // the mean in the long run, in slices

  // `seed` makes the lengths of pauses differ between ranks. The first slice begins at `now`, when `messages` were
  // counted.
  SliceSampling(std::uint64_t seed, std::uint64_t now, std::uint64_t messages)
      : random_(seed),
        begin_(now),
        messages_(messages) {}

  // Returns whether the present slice is over.
  bool slice_is_over(std::uint64_t now) const { return now - begin_ >= slice_ticks; }

  // Call it when a slice is over. `messages` is the number that were counted so far, with their weights. Returns true
  // if a pause begins now, and false if the next slice does, with weight 1.
  bool pause_begins(std::uint64_t now, std::uint64_t messages) {
    const std::uint64_t counted = (messages - messages_) / weight_;
    weight_ = 1;
    messages_ = messages;
    begin_ = now;
    if (++slices_ <= slices_in_full || counted < busy_messages) return false;
    // From half to one and a half of the mean, so that no period of the program is missed.
    const std::uint64_t mean =
        slice_ticks * std::min(longest_pause, 1 + (slices_ - slices_in_full - 1) / slices_of_a_length);
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    end_of_pause_ = now + mean / 2 + (random_ >> 20) % mean;
    return true;
  }

  // Call it at times during a pause. Returns true if it is over, and the next slice begins now.
  bool pause_ends(std::uint64_t now) {
    if (now < end_of_pause_) return false;
    weight_ = (now - begin_ + slice_ticks + slice_ticks / 2) / slice_ticks;
    begin_ = now;
    return true;
  }

  // Returns the number by which each message of the present slice counts: 1 after a slice without a pause.
  std::uint64_t weight() const { return weight_; }

 private:
  std::uint64_t random_;
  std::uint64_t begin_;       // of the slice or the pause
  std::uint64_t messages_;    // counted when the slice began
  std::uint64_t slices_ = 0;  // that are over
  std::uint64_t end_of_pause_ = 0;
  std::uint64_t weight_ = 1;
};

}  // namespace placement::mpi
