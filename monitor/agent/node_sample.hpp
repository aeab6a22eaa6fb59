// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/state/live_state.hpp"
#include "monitor/agent/slurm_processes.hpp"

namespace placement::agent {

// Running means of one attribute over 1, 5 and 15 minutes. Old values lose weight as in the kernel's load averages.
// Until values cover the whole period of a mean, it is the mean of the values so far.
class Averages {
 public:
  // Starts with means that are known from elsewhere.
  void seed(const RunningMeans& means);
  // Adds a value that held for the last `seconds`. A value that is not finite is ignored.
  void add(double value, double seconds);
  // Returns the means up to now; NaN before the first value.
  RunningMeans means() const;

 private:
  std::array<double, 3> sum_{}, weight_{};
};

struct SampleSettings {
  std::string root;                     // prefix of /proc and /sys; empty outside of tests
  std::string node;                     // NodeName; finds this node's slurmd among several; empty: any slurmd counts
  std::vector<std::string> interfaces;  // interfaces that count; empty: all with hardware, or all but lo if none has
  double link_Bps = unknown_value;      // nominal rate of the interfaces together; NaN: ask the kernel
  // The processors of the node, if it has only a part of the machine; empty: all. Cores, sockets, frequency,
  // utilisation and load are then measured there. The load counts the threads that run or wait for a disk.
  std::vector<std::int32_t> cpus = {};
};

// Measures the attributes of this node [NLA §1]. A value that cannot be read is NaN, which is no error.
class NodeSampler {
 public:
  explicit NodeSampler(SampleSettings settings);

  // Reads all attributes. It has to be called every few seconds; `now_s` is the time by a steady clock.
  void sample(double now_s);
  // Searches for jobs again, between two samples.
  void refresh_jobs() { processes_.scan(); }

  const NodeState& state() const { return state_; }  // only the attributes; name, liveness, age and outages are not set
  std::uint64_t boot_id() const { return boot_id_; }    // checksum of the kernel's identifier
  std::uint32_t uptime_s() const { return uptime_s_; }  // seconds since the node booted
  double link_Bps() const { return link_Bps_; }         // rate of the interfaces together; NaN: not known
  const SlurmProcesses& processes() const { return processes_; }
  // Returns false where /proc hides the processes of other users (hidepid). Then jobs and slurmd are not known.
  bool sees_processes() const { return sees_processes_; }

 private:
  std::optional<std::string> read(const std::string& path, std::size_t most = 1 << 16) const;
  void read_static();
  void read_cores();
  void sample_cpu(double seconds);
  void sample_load(double seconds);
  struct Pressure {
    Averages averages;
    std::optional<std::uint64_t> waited_us;  // at the last sample
  };
  RunningMeans sample_pressure(const char* resource, Pressure& pressure, double seconds) const;
  void sample_network(double seconds);
  bool counts(std::string_view interface) const;
  bool has_hardware(std::string_view interface) const;
  double kernel_link_Bps(std::string_view interface) const;

  SampleSettings settings_;
  NodeState state_;
  SlurmProcesses processes_;
  std::uint64_t boot_id_ = 0;
  std::uint32_t uptime_s_ = 0;
  double link_Bps_ = unknown_value;
  double last_s_ = 0;
  bool begun_ = false;
  bool hardware_only_ = false;
  bool sees_processes_ = false;

  bool slurm_seeded_ = false;
  Averages load_, slurm_load_, utilisation_means_, memory_, flow_, users_;
  Pressure cpu_pressure_, memory_pressure_, io_pressure_;
  std::uint64_t cpu_busy_ = 0, cpu_all_ = 0;
  std::uint64_t bytes_ = 0;
  bool bytes_known_ = false;
};

}  // namespace placement::agent
