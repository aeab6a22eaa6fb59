// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/agent/proc_text.hpp"

#include <utmp.h>

#include <algorithm>
#include <cstring>

#include "common/util/text.hpp"

namespace placement::agent {

namespace {

std::optional<double> real(std::string_view word) {
  const std::optional<double> value = parse_real(word);
  return value && *value >= 0 ? value : std::nullopt;
}

// Returns the first line of `rest` and removes it from there.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return line;
}

// Reads a line such as "MemTotal:   123 kB" into `value`. Returns false when it is not the line of `key`.
bool take_KiB(const std::vector<std::string_view>& words, std::string_view key, std::optional<std::uint64_t>& value) {
  if (words.size() != 3 || words[0] != key || words[2] != "kB") return false;
  value = parse_number<std::uint64_t>(words[1]);
  return true;
}

// Reads a line "cpu 1 2 3 ..." or "cpu7 1 2 3 ..".
std::optional<CpuTimes> times_of(const std::vector<std::string_view>& words) {
  // The words are: user nice system idle iowait irq softirq steal. The time of guests is part of user and nice.
  if (words.size() < 9) return std::nullopt;
  CpuTimes times;
  for (std::size_t i = 1; i < 9; ++i) {
    const auto ticks = parse_number<std::uint64_t>(words[i]);
    if (!ticks || *ticks > (std::uint64_t{1} << 60)) return std::nullopt;
    times.all += *ticks;
    if (i != 4 && i != 5) times.busy += *ticks;
  }
  return times;
}

}  // namespace

std::optional<RunningMeans> parse_loadavg(std::string_view text) {
  const auto words = split_words(next_line(text));
  if (words.size() < 3) return std::nullopt;
  const auto one = real(words[0]), five = real(words[1]), fifteen = real(words[2]);
  if (!one || !five || !fifteen) return std::nullopt;
  return RunningMeans{*one, *five, *fifteen};
}

std::optional<CpuTimes> parse_cpu_times(std::string_view stat, std::span<const std::int32_t> cpus) {
  std::optional<CpuTimes> sum;
  const auto all = split_words(next_line(stat));
  if (cpus.empty()) return !all.empty() && all[0] == "cpu" ? times_of(all) : std::nullopt;
  while (stat.starts_with("cpu")) {
    const auto words = split_words(next_line(stat));
    const auto cpu = parse_number<std::int32_t>(words[0].substr(3));
    if (!cpu || std::ranges::find(cpus, *cpu) == cpus.end()) continue;
    const auto times = times_of(words);
    if (!times) return std::nullopt;
    if (!sum) sum.emplace();
    sum->busy += times->busy;
    sum->all += times->all;
  }
  return sum;
}

std::optional<MemoryInfo> parse_meminfo(std::string_view text) {
  std::optional<std::uint64_t> total, available;
  while (!text.empty() && !(total && available)) {
    const auto words = split_words(next_line(text));
    if (!take_KiB(words, "MemTotal:", total)) take_KiB(words, "MemAvailable:", available);
  }
  if (!total || !available || *available > *total) return std::nullopt;
  return MemoryInfo{*total, *available};
}

std::optional<std::uint64_t> parse_pressure(std::string_view text) {
  const auto words = split_words(next_line(text));
  if (words.empty() || words[0] != "some") return std::nullopt;
  for (const std::string_view word : words)
    if (word.starts_with("total=")) return parse_number<std::uint64_t>(word.substr(6));
  return std::nullopt;
}

std::optional<std::vector<InterfaceBytes>> parse_net_dev(std::string_view text) {
  if (next_line(text).find("Receive") == std::string_view::npos) return std::nullopt;
  next_line(text);
  std::vector<InterfaceBytes> interfaces;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos) continue;
    const auto words = split_words(line.substr(colon + 1));
    const std::string_view name = trimmed(line.substr(0, colon));
    if (name.empty() || words.size() < 16) return std::nullopt;
    const auto received = parse_number<std::uint64_t>(words[0]), sent = parse_number<std::uint64_t>(words[8]);
    if (!received || !sent) return std::nullopt;
    interfaces.push_back({name, *received, *sent});
  }
  return interfaces;
}

std::optional<double> parse_cpuinfo_MHz(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != "cpu MHz") continue;
    return real(trimmed(line.substr(colon + 1)));
  }
  return std::nullopt;
}

std::optional<std::uint32_t> parse_uptime(std::string_view text) {
  const auto words = split_words(next_line(text));
  if (words.empty()) return std::nullopt;
  const auto seconds = real(words[0]);
  if (!seconds || *seconds > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*seconds);
}

std::optional<std::int64_t> count_users(std::string_view file) {
  if (file.size() % sizeof(struct utmp) != 0) return std::nullopt;
  std::int64_t users = 0;
  for (; !file.empty(); file.remove_prefix(sizeof(struct utmp))) {
    struct utmp entry;
    std::memcpy(&entry, file.data(), sizeof entry);
    users += entry.ut_type == USER_PROCESS && entry.ut_user[0] != '\0';
  }
  return users;
}

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  const auto words = split_words(trimmed(text.substr(close + 1)));
  constexpr std::size_t parent_at = 1, threads_at = 17, started_at = 19, cpu_at = 36;
  if (words.size() <= started_at || words[0].size() != 1) return std::nullopt;
  const auto parent = parse_number<std::int32_t>(words[parent_at]);
  const auto threads = parse_number<std::int64_t>(words[threads_at]);
  const auto started = parse_number<std::uint64_t>(words[started_at]);
  if (!parent || !threads || !started || *parent < 0 || *threads < 0) return std::nullopt;
  const auto cpu = words.size() > cpu_at ? parse_number<std::int32_t>(words[cpu_at]) : std::nullopt;
  return ProcessStat{*parent,  words[0][0],      *threads,
                     *started, cpu.value_or(-1), text.substr(open + 1, close - open - 1)};
}

std::optional<std::uint32_t> parse_real_user(std::string_view status) {
  while (!status.empty()) {
    const auto words = split_words(next_line(status));
    if (words.size() == 5 && words[0] == "Uid:") return parse_number<std::uint32_t>(words[1]);
  }
  return std::nullopt;
}

// Returns whether the directory is named by the SLUID of a job: s and 13 digits in base 32.
static bool is_sluid(std::string_view name) {
  return name.size() == 14 && name[0] == 's' && std::all_of(name.begin() + 1, name.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

std::optional<std::uint32_t> slurm_job_of_cgroup(std::string_view text) {
  while (text.find('\n') != text.npos) {            // the last line may be cut in the middle of a number
    const std::string_view line = next_line(text);  // for example "4:cpuset:/slurm/uid_0/job_12/step_0"
    bool slurms = false;
    // Users make control groups of any name in their sessions, and Slurm makes none there.
    if (line.find("/user.slice/") != line.npos) continue;
    for (const std::string_view part :
         split_at(line.substr(line.find('/') == line.npos ? line.size() : line.find('/')), '/')) {
      if (part.starts_with("slurm") || part.ends_with("slurmstepd.scope")) slurms = true;
      if (slurms && part.starts_with("job_"))
        if (const auto job = parse_number<std::uint32_t>(part.substr(4))) return job;
      if (slurms && is_sluid(part)) return 0;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> slurm_job_of_title(std::string_view cmdline) {
  constexpr std::string_view begin = "slurmstepd: [";
  if (!cmdline.starts_with(begin)) return std::nullopt;
  const std::string_view step = cmdline.substr(begin.size());
  return parse_number<std::uint32_t>(step.substr(0, step.find_first_of(".]+_:")));
}

}  // namespace placement::agent
