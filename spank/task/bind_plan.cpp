// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/bind_plan.hpp"

#include <algorithm>
#include <charconv>

namespace placement::spank {

namespace {

// A plan as text is VERSION:JOB:STEP:RANKS:WIDTH:SLOTS. Each slot has WIDTH digits of base 64, the highest first.
constexpr int plan_version = 1;
constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
constexpr std::int32_t base = 64;

// Removes a number and the colon after it from the front of `text`. Returns false if they are not there.
bool take_number(std::string_view& text, std::uint32_t& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop == end || *stop != ':') return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  return true;
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
  std::string text = std::to_string(plan_version) + ":" + std::to_string(plan.job) + ":" + std::to_string(plan.step) +
                     ":" + std::to_string(plan.slot_of_rank.size()) + ":" + std::to_string(width) + ":";
  if (text.size() + plan.slot_of_rank.size() * static_cast<std::size_t>(width) > most_plan_bytes) return std::nullopt;
  for (const std::int32_t slot : plan.slot_of_rank) {
    if (width == 2) text += digits[static_cast<std::size_t>(slot / base)];
    text += digits[static_cast<std::size_t>(slot % base)];
  }
  return text;
}

std::optional<std::vector<std::int32_t>> slots_for(std::string_view text, std::uint32_t job, std::uint32_t step,
                                                   std::uint32_t total, std::span<const std::uint32_t> local_ranks) {
  std::uint32_t version = 0, of_job = 0, of_step = 0, ranks = 0, width = 0;
  if (!take_number(text, version) || version != plan_version) return std::nullopt;
  if (!take_number(text, of_job) || of_job != job) return std::nullopt;
  if (!take_number(text, of_step) || of_step != step) return std::nullopt;
  if (!take_number(text, ranks) || ranks != total) return std::nullopt;
  if (!take_number(text, width) || width < 1 || width > 2) return std::nullopt;
  if (text.size() != static_cast<std::size_t>(ranks) * width) return std::nullopt;

  std::vector<std::int32_t> slots;
  std::vector<bool> taken(local_ranks.size(), false);
  for (const std::uint32_t rank : local_ranks) {
    if (rank >= ranks) return std::nullopt;
    const std::int32_t slot = slot_at(text, rank, width);
    if (slot < 0 || static_cast<std::size_t>(slot) >= taken.size() || taken[static_cast<std::size_t>(slot)])
      return std::nullopt;
    taken[static_cast<std::size_t>(slot)] = true;
    slots.push_back(slot);
  }
  return slots;
}

}  // namespace placement::spank
