// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/agent/node_sample.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "common/util/bytes.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "monitor/agent/proc_text.hpp"

namespace placement::agent {

constexpr std::int32_t most_cpus = 1 << 16;
constexpr std::size_t no_limit_in_practice = 1 << 22;
constexpr std::array<double, 3> means_s = {60, 300, 900};  // time constants of the running means

static std::optional<std::int64_t> only_integer(std::string_view text) {
  return parse_integer(trimmed(text.substr(0, text.find('\n'))));
}

void Averages::add(double value, double seconds) {
  if (!(seconds > 0) || !std::isfinite(value)) return;
  for (std::size_t i = 0; i < means_s.size(); ++i) {
    const double kept = std::exp(-seconds / means_s[i]);
    sum_[i] = sum_[i] * kept + value * (1 - kept);
    weight_[i] = weight_[i] * kept + (1 - kept);
  }
}

void Averages::seed(const RunningMeans& means) {
  sum_ = {means.minutes_1, means.minutes_5, means.minutes_15};
  weight_ = {1, 1, 1};
}

RunningMeans Averages::means() const {
  const auto mean = [this](std::size_t i) { return weight_[i] > 0 ? sum_[i] / weight_[i] : unknown_value; };
  return {mean(0), mean(1), mean(2)};
}

NodeSampler::NodeSampler(SampleSettings settings)
    : settings_(std::move(settings)),
      processes_(settings_.root, settings_.node, settings_.cpus),
      link_Bps_(settings_.link_Bps) {
  read_static();
}

std::optional<std::string> NodeSampler::read(const std::string& path, std::size_t most) const {
  return beginning_of_file(settings_.root + path, most);
}

void NodeSampler::read_static() {
  if (const auto text = read("/proc/sys/kernel/random/boot_id")) boot_id_ = checksum(std::as_bytes(std::span(*text)));
  read_cores();
  const std::string first_cpu = std::to_string(settings_.cpus.empty() ? 0 : settings_.cpus.front());
  if (const auto text = read("/sys/devices/system/cpu/cpu" + first_cpu + "/cpufreq/cpuinfo_max_freq"))
    if (const auto kHz = only_integer(*text); kHz && *kHz > 0) state_.frequency_MHz = static_cast<double>(*kHz) / 1000;
  if (std::isnan(state_.frequency_MHz))
    if (const auto text = read("/proc/cpuinfo", 4096))
      state_.frequency_MHz = parse_cpuinfo_MHz(*text).value_or(unknown_value);
}

void NodeSampler::read_cores() {
  std::vector<std::int32_t> cpus = settings_.cpus;
  if (cpus.empty()) {
    const auto online = read("/sys/devices/system/cpu/online");
    const auto listed = online ? listed_cores(trimmed(online->substr(0, online->find('\n'))), most_cpus) : std::nullopt;
    if (!listed) return;
    cpus = *listed;
  }
  state_.cores = static_cast<double>(cpus.size());
  std::set<std::int64_t> packages;
  for (const std::int32_t cpu : cpus)
    if (const auto text = read("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/physical_package_id"))
      if (const auto package = only_integer(*text)) packages.insert(*package);
  if (!packages.empty()) state_.sockets = static_cast<double>(packages.size());
}

// Uses the kernel's load averages. If only some of the processors count, computes averages itself: no file that always
// exists has the kernel's queue length of each processor.
void NodeSampler::sample_load(double seconds) {
  if (settings_.cpus.empty()) {
    if (const auto text = read("/proc/loadavg"))
      if (const auto load = parse_loadavg(*text)) state_.cpu_load = *load;
    return;
  }
  if (!sees_processes_) return;
  load_.add(processes_.running_on_cpus(), begun_ ? seconds : 1);
  state_.cpu_load = load_.means();
}

void NodeSampler::sample_cpu(double seconds) {
  sees_processes_ = read("/proc/1/stat").has_value() && processes_.scan();
  sample_load(seconds);
  if (sees_processes_) {
    const double running = processes_.running();
    if (slurm_seeded_) slurm_load_.add(running, seconds);
    // The kernel's averages cover the time before this process started. They limit the load that Slurm can have caused.
    const RunningMeans& load = state_.cpu_load;
    if (!slurm_seeded_ && !std::isnan(load.minutes_1))
      slurm_load_.seed(
          {std::min(running, load.minutes_1), std::min(running, load.minutes_5), std::min(running, load.minutes_15)});
    slurm_seeded_ = slurm_seeded_ || !std::isnan(load.minutes_1);
    state_.slurm_load = slurm_load_.means();
  }
  const auto text = read("/proc/stat", settings_.cpus.empty() ? 4096 : no_limit_in_practice);
  const auto times = text ? parse_cpu_times(*text, settings_.cpus) : std::nullopt;
  if (!times) return;
  if (begun_ && times->all > cpu_all_ && times->busy >= cpu_busy_) {
    utilisation_means_.add(std::min(1.0, static_cast<double>(times->busy - cpu_busy_) / (times->all - cpu_all_)),
                           seconds);
    state_.cpu_utilisation = utilisation_means_.means();
  }
  cpu_busy_ = times->busy;
  cpu_all_ = times->all;
}

RunningMeans NodeSampler::sample_pressure(const char* resource, Pressure& pressure, double seconds) const {
  const auto text = read(std::string("/proc/pressure/") + resource);
  const auto before = std::exchange(pressure.waited_us, text ? parse_pressure(*text) : std::nullopt);
  if (before && pressure.waited_us && *pressure.waited_us >= *before)
    pressure.averages.add(std::min(1.0, static_cast<double>(*pressure.waited_us - *before) / 1e6 / seconds), seconds);
  return pressure.averages.means();
}

bool NodeSampler::has_hardware(std::string_view interface) const {
  struct stat device;
  return stat((settings_.root + "/sys/class/net/" + std::string(interface) + "/device").c_str(), &device) == 0;
}

bool NodeSampler::counts(std::string_view interface) const {
  if (!settings_.interfaces.empty())
    return std::ranges::find(settings_.interfaces, interface) != settings_.interfaces.end();
  return interface != "lo" && (!hardware_only_ || has_hardware(interface));
}

double NodeSampler::kernel_link_Bps(std::string_view interface) const {
  const auto text = read("/sys/class/net/" + std::string(interface) + "/speed");
  const auto mbit = text ? only_integer(*text) : std::nullopt;
  return mbit && *mbit > 0 ? static_cast<double>(*mbit) * 125000 : unknown_value;
}

void NodeSampler::sample_network(double seconds) {
  const auto text = read("/proc/net/dev", no_limit_in_practice);
  const auto interfaces = text ? parse_net_dev(*text) : std::nullopt;
  if (!interfaces) {
    bytes_known_ = false;
    return;
  }
  if (!begun_)
    hardware_only_ = std::ranges::any_of(
        *interfaces, [this](const InterfaceBytes& interface) { return has_hardware(interface.name); });
  std::uint64_t bytes = 0;
  double link_Bps = 0;
  for (const InterfaceBytes& interface : *interfaces) {
    if (!counts(interface.name)) continue;
    bytes += interface.received + interface.sent;
    if (!begun_ && std::isnan(settings_.link_Bps)) link_Bps += kernel_link_Bps(interface.name);
  }
  if (!begun_ && link_Bps > 0) link_Bps_ = link_Bps;
  // If there are fewer bytes than before, an interface was removed or a counter was reset.
  if (bytes_known_ && bytes >= bytes_) {
    flow_.add(static_cast<double>(bytes - bytes_) / seconds, seconds);
    state_.flow_rate_Bps = flow_.means();
  }
  bytes_ = bytes;
  bytes_known_ = true;
}

void NodeSampler::sample(double now_s) {
  const double seconds = now_s - last_s_;
  if (begun_ && !(seconds > 0)) return;
  sample_cpu(seconds);
  sample_network(seconds);
  state_.cpu_pressure = sample_pressure("cpu", cpu_pressure_, seconds);
  state_.memory_pressure = sample_pressure("memory", memory_pressure_, seconds);
  state_.io_pressure = sample_pressure("io", io_pressure_, seconds);
  if (const auto text = read("/proc/meminfo"))
    if (const auto memory = parse_meminfo(*text)) {
      state_.memory_MiB = static_cast<double>(memory->total_KiB) / 1024;
      memory_.add(static_cast<double>(memory->available_KiB) / 1024, begun_ ? seconds : 1);
      state_.memory_available_MiB = memory_.means();
    }
  // Without login records the number of users is not known.
  auto records = read("/run/utmp", no_limit_in_practice);
  if (!records) records = read("/var/run/utmp", no_limit_in_practice);
  if (const auto users = records ? count_users(*records) : std::nullopt) {
    users_.add(static_cast<double>(*users), begun_ ? seconds : 1);
    state_.users = users_.means();
  }
  if (const auto text = read("/proc/uptime"))
    if (const auto uptime = parse_uptime(*text)) uptime_s_ = *uptime;
  last_s_ = now_s;
  begun_ = true;
}

}  // namespace placement::agent
