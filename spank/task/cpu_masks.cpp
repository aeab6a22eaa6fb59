// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/cpu_masks.hpp"

#include <algorithm>
#include <bit>
#include <fstream>
#include <tuple>

#include "common/util/text.hpp"

namespace placement::spank {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

// Parses a mask "0x..." in hexadecimal, whose last digit has the lowest CPUs.
std::optional<CpuMask> parse_mask(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  text.remove_prefix(2);
  if (text.empty()) return std::nullopt;
  CpuMask mask;
  for (int digit = 0; !text.empty(); ++digit, text.remove_suffix(1)) {
    const char c = text.back() >= 'A' && text.back() <= 'F' ? static_cast<char>(text.back() + 32) : text.back();
    const auto value = hex_digits.find(c);
    if (value == hex_digits.npos) return std::nullopt;
    for (int bit = 0; bit < 4; ++bit) {
      if (!((value >> bit) & 1)) continue;
      if (digit * 4 + bit >= CpuMask::cpus) return std::nullopt;
      mask.add(digit * 4 + bit);
    }
  }
  return mask;
}

int number_in(const std::string& path, int otherwise) {
  std::ifstream file(path);
  int value = 0;
  return file >> value ? value : otherwise;
}

}  // namespace

int CpuMask::lowest() const {
  for (std::size_t i = 0; i < word.size(); ++i)
    if (word[i]) return static_cast<int>(i) * 64 + std::countr_zero(word[i]);
  return -1;
}

std::optional<std::vector<CpuMask>> parse_masks(std::string_view list) {
  std::vector<CpuMask> masks;
  for (const std::string_view part : split_at(list, ',')) {
    const auto mask = parse_mask(part);
    if (!mask || mask->lowest() < 0) return std::nullopt;
    masks.push_back(*mask);
  }
  return masks;
}

std::string mask_list(std::span<const CpuMask> masks) {
  std::string list;
  for (const CpuMask& mask : masks) {
    std::string reversed;
    for (int digit = 0; digit < CpuMask::cpus / 4; ++digit)
      reversed += hex_digits[(mask.word[static_cast<std::size_t>(digit) / 16] >> (digit % 16 * 4)) & 15];
    reversed.erase(std::max<std::size_t>(reversed.find_last_not_of('0') + 1, 1));
    list += (list.empty() ? "0x" : ",0x") + std::string(reversed.rbegin(), reversed.rend());
  }
  return list;
}

std::vector<CpuMask> deal_masks(std::span<const CpuMask> masks, std::span<const std::int32_t> slot_of_task,
                                std::span<const std::int32_t> core_of_cpu) {
  using Key = std::tuple<std::int32_t, int, std::size_t>;
  std::vector<Key> order;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    const int cpu = masks[i].lowest();
    const bool known = static_cast<std::size_t>(cpu) < core_of_cpu.size();
    order.emplace_back(known ? core_of_cpu[static_cast<std::size_t>(cpu)] : CpuMask::cpus, cpu, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<CpuMask> dealt;
  for (const std::int32_t slot : slot_of_task)
    dealt.push_back(masks[std::get<2>(order[static_cast<std::size_t>(slot)])]);
  return dealt;
}

CpuPosition position_in_machine(int cpu) {
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
  return {number_in(folder + "physical_package_id", 0), number_in(folder + "core_id", cpu)};
}

}  // namespace placement::spank
