// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/state/live_state.hpp"

namespace placement::agent {

// Parsers for the kernel's text files (proc(5)). Each takes the text of a file, which may be anything, and returns none
// when the text does not have the known form.

// Returns the load averages in /proc/loadavg. Returns none when the first three words are not numbers of 0 or more.
std::optional<RunningMeans> parse_loadavg(std::string_view text);

// Times of processors in ticks since the system started, summed over the processors.
struct CpuTimes {
  std::uint64_t busy = 0;  // without idle time and time of waiting for a disk
  std::uint64_t all = 0;
};
// Returns the times of the processors `cpus`, from their lines in /proc/stat, or of all processors if `cpus` is empty,
// from its first line. A processor that is off line has no line and adds nothing. Returns none when none of the
// processors has a line, or when a line is not "cpu" and eight numbers of ticks.
std::optional<CpuTimes> parse_cpu_times(std::string_view stat, std::span<const std::int32_t> cpus = {});

// The memory of the node.
struct MemoryInfo {
  std::uint64_t total_KiB = 0;
  std::uint64_t available_KiB = 0;  // at most total_KiB
};
// Returns the values of MemTotal and MemAvailable in /proc/meminfo. Returns none when one of them is missing or no
// number, or when more memory is available than there is.
std::optional<MemoryInfo> parse_meminfo(std::string_view text);

// Returns the microseconds since the system started in which at least one task waited, from a file of /proc/pressure.
// Returns none when the first line does not begin with "some" or has no number in total=.
std::optional<std::uint64_t> parse_pressure(std::string_view text);

// The bytes of a network interface since it exists.
struct InterfaceBytes {
  std::string_view name;       // points into the text
  std::uint64_t received = 0;  // bytes
  std::uint64_t sent = 0;      // bytes
};
// Returns the interfaces in /proc/net/dev, in its order. Lines without a colon are passed over. Returns none when the
// first line has no "Receive", or when the line of an interface is malformed.
std::optional<std::vector<InterfaceBytes>> parse_net_dev(std::string_view text);

// Returns the frequency in MHz in the first "cpu MHz" line of /proc/cpuinfo. Returns none when no line has it, or
// when its value is no number of 0 or more.
std::optional<double> parse_cpuinfo_MHz(std::string_view text);

// Returns the first word of /proc/uptime, the seconds since the system started; none if it is not from 0 to UINT32_MAX.
std::optional<std::uint32_t> parse_uptime(std::string_view text);

// Returns the number of sessions of logged-in users in a file of utmp(5); none when it has a part of an entry.
std::optional<std::int64_t> count_users(std::string_view utmp);

// The state of a process or of one of its threads.
struct ProcessStat {
  std::int32_t parent = 0;
  char state = '?';
  std::int64_t threads = 0;
  std::uint64_t started_ticks = 0;  // since the start of the system
  std::int32_t cpu = -1;            // processor on which it runs or ran last; -1: not known
  std::string_view name;            // points into the text
};
// Returns the state in /proc/PID/stat or /proc/PID/task/TID/stat. The program chooses its name, which may contain
// brackets. Returns none when there is no name in brackets, or when a value other than `cpu` is missing or malformed.
std::optional<ProcessStat> parse_process_stat(std::string_view text);

// Returns the real user of a process, from its /proc/PID/status. Returns none when no line has it.
std::optional<std::uint32_t> parse_real_user(std::string_view status);

// Returns the job of a process, from its /proc/PID/cgroup. The job is a component "job_N" after a component that begins
// with "slurm" or ends in "slurmstepd.scope". From Slurm 26.05 on, cgroup/v2 has the SLUID of the job there, for
// instance "sD0S8MJ3JGZJ00". The number is then not known, and 0 is returned. Returns none when the process is in no
// control group of a job. Ignores a line without an end, and control groups below user.slice, which users name.
std::optional<std::uint32_t> slurm_job_of_cgroup(std::string_view text);

// Returns the job of a slurmstepd, from its /proc/PID/cmdline, as 12 for "slurmstepd: [12.batch]"; none for others.
std::optional<std::uint32_t> slurm_job_of_title(std::string_view cmdline);

}  // namespace placement::agent
