// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// What the kernel's text files say (proc(5)). Each function takes a file's text, whatever it holds,
// and gives none when it is not of the form that is known.

struct LoadAverages {
  double minutes_1 = 0;
  double minutes_5 = 0;
  double minutes_15 = 0;
};
std::optional<LoadAverages> parse_loadavg(std::string_view text);

// Of all processors together, in ticks since the start.
struct CpuTimes {
  std::uint64_t busy = 0;
  std::uint64_t all = 0;
};
std::optional<CpuTimes> parse_cpu_times(std::string_view stat);
// The same of these processors alone; of those that are off line there is no line.
std::optional<CpuTimes> parse_cpu_times(std::string_view stat, std::span<const std::int32_t> cpus);

struct MemoryInfo {
  std::uint64_t total_KiB = 0;
  std::uint64_t available_KiB = 0;
};
std::optional<MemoryInfo> parse_meminfo(std::string_view text);

// /proc/pressure/*: microseconds in which some task waited.
std::optional<std::uint64_t> parse_pressure(std::string_view text);

// /proc/net/dev.
struct InterfaceBytes {
  std::string_view name;  // points into the text
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
};
std::optional<std::vector<InterfaceBytes>> parse_net_dev(std::string_view text);

// "0-3,8": how many.
std::optional<std::int64_t> count_cpu_list(std::string_view text);

// The first "cpu MHz" line.
std::optional<double> parse_cpuinfo_MHz(std::string_view text);

// Whole seconds since the start.
std::optional<std::uint32_t> parse_uptime(std::string_view text);

// "01234567-89ab-...": 16 bytes.
std::optional<std::vector<std::uint8_t>> parse_boot_id(std::string_view text);

// Sessions of logged-in users in a utmp file (binary).
std::optional<std::int64_t> count_users(std::string_view utmp);

// /proc/PID/stat or /proc/PID/task/TID/stat. The name is the program's own choice, brackets and all.
struct ProcessStat {
  std::int32_t parent = 0;
  char state = '?';
  std::int64_t threads = 0;
  std::uint64_t started_ticks = 0;  // since the start of the system
  std::int32_t cpu = -1;            // on which it runs, or ran last; -1: not told
  std::string_view name;            // points into the text
};
std::optional<ProcessStat> parse_process_stat(std::string_view text);

// The job of a process, from /proc/PID/cgroup: "job_N" below a component that begins with or ends in
// Slurm's name ("slurm", "slurm_node", "slurmstepd.scope"). None when Slurm has no part in it.
std::optional<std::uint32_t> slurm_job_of_cgroup(std::string_view text);

// The job of a slurmstepd, from its /proc/PID/cmdline: "slurmstepd: [12.batch]".
std::optional<std::uint32_t> slurm_job_of_title(std::string_view cmdline);

}  // namespace placement
