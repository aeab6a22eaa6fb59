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

namespace placement::spank {

// A set of the kernel's CPU numbers, from 0 to 4095, in the form that sched_setaffinity takes.
struct CpuMask {
  static constexpr int cpus = 4096;
  std::array<std::uint64_t, cpus / 64> word{};

  bool has(int cpu) const { return (word[static_cast<std::size_t>(cpu) / 64] >> (cpu % 64)) & 1; }
  void add(int cpu) { word[static_cast<std::size_t>(cpu) / 64] |= std::uint64_t{1} << (cpu % 64); }
  int lowest() const;  // returns the lowest CPU, -1 if the set is empty
  bool operator==(const CpuMask&) const = default;
};

// Parses a list of masks in the form of SLURM_CPU_BIND_LIST, for example "0x1,0xf0". Returns nothing if the list has
// another form, has an empty mask, or names a CPU that a CpuMask cannot hold.
std::optional<std::vector<CpuMask>> parse_masks(std::string_view list);

// Returns the masks in the form that parse_masks() reads.
std::string mask_list(std::span<const CpuMask> masks);

// The place of a CPU: its package, and its core within the package.
struct CpuPosition {
  int package = 0;
  int core = 0;
  auto operator<=>(const CpuPosition&) const = default;
};
using PositionOf = std::function<CpuPosition(int cpu)>;

// Returns the masks in another order. Task i gets mask number slot_of_task[i] when the masks are ordered by the core of
// their lowest CPU. `slot_of_task` is a permutation of 0 to masks.size() - 1. `core_of_cpu` has the number of the core
// of each CPU in Slurm's count (MachineCores); CPUs behind its end follow all others.
std::vector<CpuMask> deal_masks(std::span<const CpuMask> masks, std::span<const std::int32_t> slot_of_task,
                                std::span<const std::int32_t> core_of_cpu);

// Returns the place of a CPU of this machine, from /sys. A CPU that is not listed there gets package 0 and its own
// number as its core.
CpuPosition position_in_machine(int cpu);

}  // namespace placement::spank
