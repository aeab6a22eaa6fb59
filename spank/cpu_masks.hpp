// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// A set of the kernel's CPU numbers, as sched_setaffinity takes it.
struct CpuMask {
  static constexpr int cpus = 4096;
  std::array<std::uint64_t, cpus / 64> word{};

  bool has(int cpu) const { return (word[static_cast<std::size_t>(cpu) / 64] >> (cpu % 64)) & 1; }
  void add(int cpu) { word[static_cast<std::size_t>(cpu) / 64] |= std::uint64_t{1} << (cpu % 64); }
  int lowest() const;  // -1 when empty
  bool operator==(const CpuMask&) const = default;
};

// A list of masks as Slurm writes it into SLURM_CPU_BIND_LIST: "0x1,0xf0". Nothing when it is
// something else, or names a CPU that a CpuMask cannot hold.
std::optional<std::vector<CpuMask>> parse_masks(std::string_view list);
std::string to_string(std::span<const CpuMask> masks);

// Where a CPU is: its package, its core there. Used to put masks in the order of cores.
struct CpuPosition {
  int package = 0;
  int core = 0;
  auto operator<=>(const CpuPosition&) const = default;
};
using PositionOf = std::function<CpuPosition(int cpu)>;

// The masks dealt out anew: task i gets the slot_of_task[i]-th of them in the order of the cores of
// their lowest CPUs. Both are of one length, and the slots a permutation.
std::vector<CpuMask> deal_masks(std::span<const CpuMask> masks, std::span<const std::int32_t> slot_of_task,
                                const PositionOf& position);

// From /sys; a CPU that is not listed there has its number as its core.
CpuPosition position_in_machine(int cpu);

}  // namespace placement
