// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/request/sent_plan.hpp"

#include <algorithm>

namespace placement::spank {

namespace {

// A plan as text is VERSION:JOB:STEP:RANKS:WIDTH:SLOTS. Each slot has WIDTH digits of base 64, the highest first.
constexpr int plan_version = 1;
constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
constexpr std::int32_t base = 64;

// Returns the start of the text of a plan, up to WIDTH.
std::string head_of(std::uint32_t job, std::uint32_t step, std::size_t ranks) {
  return std::to_string(plan_version) + ":" + std::to_string(job) + ":" + std::to_string(step) + ":" +
         std::to_string(ranks) + ":";
}

// Returns the slot of the rank, or -1 if a character is no digit.
std::int32_t slot_at(std::string_view slots, std::size_t rank, std::size_t width) {
  std::int32_t slot = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const auto digit = digits.find(slots[rank * width + i]);
    if (digit == digits.npos) return -1;
    slot = slot * base + static_cast<std::int32_t>(digit);
  }
  return slot;
}

}  // namespace

std::optional<std::string> encode_plan(const BindPlan& plan) {
  std::int32_t most = 0;
  for (const std::int32_t slot : plan.slot_of_rank) {
    if (slot < 0 || slot >= base * base) return std::nullopt;
    most = std::max(most, slot);
  }
  const int width = most < base ? 1 : 2;
  std::string text = head_of(plan.job, plan.step, plan.slot_of_rank.size()) + std::to_string(width) + ":";
  if (text.size() + plan.slot_of_rank.size() * static_cast<std::size_t>(width) > most_plan_bytes) return std::nullopt;
  for (const std::int32_t slot : plan.slot_of_rank) {
    if (width == 2) text += digits[static_cast<std::size_t>(slot / base)];
    text += digits[static_cast<std::size_t>(slot % base)];
  }
  return text;
}

std::optional<std::vector<std::int32_t>> slots_for(std::string_view text, std::uint32_t job, std::uint32_t step,
                                                   std::uint32_t total, std::span<const std::uint32_t> local_ranks) {
  const std::string head = head_of(job, step, total);
  const bool one_digit = text.starts_with(head + "1:"), two_digits = text.starts_with(head + "2:");
  const std::size_t width = one_digit ? 1 : 2;
  if (!one_digit && !two_digits) return std::nullopt;
  text.remove_prefix(head.size() + 2);
  if (text.size() != total * width) return std::nullopt;

  std::vector<std::int32_t> slots;
  std::vector<bool> taken(local_ranks.size(), false);
  for (const std::uint32_t rank : local_ranks) {
    if (rank >= total) return std::nullopt;
    const std::int32_t slot = slot_at(text, rank, width);
    if (slot < 0 || static_cast<std::size_t>(slot) >= taken.size() || taken[static_cast<std::size_t>(slot)])
      return std::nullopt;
    taken[static_cast<std::size_t>(slot)] = true;
    slots.push_back(slot);
  }
  return slots;
}

}  // namespace placement::spank
