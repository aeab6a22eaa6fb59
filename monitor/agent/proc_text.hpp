// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement::agent {

// Parsers for the kernel's text files (proc(5)). Each takes the text of a file, which may be anything, and returns none
// when the text does not have the known form.

struct LoadAverages {
  double minutes_1 = 0;
  double minutes_5 = 0;
  double minutes_15 = 0;
};
std::optional<LoadAverages> parse_loadavg(std::string_view text);

// Times of processors in ticks since the system started: of all processors together.
struct CpuTimes {
  std::uint64_t busy = 0;
  std::uint64_t all = 0;
};
std::optional<CpuTimes> parse_cpu_times(std::string_view stat);
// Returns the sum over the processors `cpus` alone. A processor that is off line has no line and adds nothing.
std::optional<CpuTimes> parse_cpu_times(std::string_view stat, std::span<const std::int32_t> cpus);

struct MemoryInfo {
  std::uint64_t total_KiB = 0;
  std::uint64_t available_KiB = 0;
};
std::optional<MemoryInfo> parse_meminfo(std::string_view text);

// /proc/pressure/*: microseconds in which at least one task waited.
std::optional<std::uint64_t> parse_pressure(std::string_view text);

// /proc/net/dev: bytes of each network interface since it exists.
struct InterfaceBytes {
  std::string_view name;  // points into the text
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
};
std::optional<std::vector<InterfaceBytes>> parse_net_dev(std::string_view text);

// /proc/cpuinfo: the first "cpu MHz" line.
std::optional<double> parse_cpuinfo_MHz(std::string_view text);

// /proc/uptime: whole seconds since the system started.
std::optional<std::uint32_t> parse_uptime(std::string_view text);

// Returns the 16 bytes of an identifier written as "01234567-89ab-...".
std::optional<std::vector<std::uint8_t>> parse_boot_id(std::string_view text);

// Returns the number of sessions of logged-in users in a utmp file, which is binary.
std::optional<std::int64_t> count_users(std::string_view utmp);

// /proc/PID/stat or /proc/PID/task/TID/stat. The program chooses its name, which may contain brackets.
struct ProcessStat {
  std::int32_t parent = 0;
  char state = '?';
  std::int64_t threads = 0;
  std::uint64_t started_ticks = 0;  // since the start of the system
  std::int32_t cpu = -1;            // processor on which it runs or ran last; -1: not known
  std::string_view name;            // points into the text
};
std::optional<ProcessStat> parse_process_stat(std::string_view text);

// Returns the job of a process, from its /proc/PID/cgroup. The job is a component "job_N" after a component that begins
// with "slurm" or ends in "slurmstepd.scope". Returns none when the process is in no control group of Slurm.
std::optional<std::uint32_t> slurm_job_of_cgroup(std::string_view text);

// Returns the job of a slurmstepd, from its /proc/PID/cmdline, for instance 12 for "slurmstepd: [12.batch]".
std::optional<std::uint32_t> slurm_job_of_title(std::string_view cmdline);

}  // namespace placement::agent
