// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/state/live_state.hpp"
#include "monitor/agent/slurm_processes.hpp"

namespace placement {

// A mean of the past that forgets with a time constant, as the kernel's load averages do; young, it is
// the mean of what there was.
class DecayingMean {
 public:
  explicit DecayingMean(double time_constant_s) : time_constant_s_(time_constant_s) {}
  // As if the past had always been so.
  void seed(double value);
  // `value` held for the last `seconds`.
  void add(double value, double seconds);
  double mean() const;  // NaN before the first value

 private:
  double time_constant_s_;
  double sum_ = 0;
  double weight_ = 0;
};

// One attribute over 1, 5 and 15 minutes.
class Averages {
 public:
  void seed(const RunningMeans& means);
  void add(double value, double seconds);
  RunningMeans means() const;

 private:
  DecayingMean minutes_1_{60};
  DecayingMean minutes_5_{300};
  DecayingMean minutes_15_{900};
};

struct SampleSettings {
  std::string root;                     // what stands before /proc and /sys; empty outside of tests
  std::string node;                     // NodeName, to know this node's slurmd among several; empty: any is
  std::vector<std::string> interfaces;  // whose traffic counts; empty: all that have hardware, else all but lo
  double link_Bps = unknown_value;      // nominal rate of the interfaces; NaN: ask the kernel
  // Processors that are the node's, where these are not all of the machine: cores, sockets, frequency, utilisation and
  // load are theirs alone, the load being the threads that run or wait on them. Empty: all.
  std::vector<std::int32_t> cpus = {};
};

// The processors on which this process may run (sched_getaffinity); empty when the kernel does not tell.
std::vector<std::int32_t> allowed_cpus();

// The attributes of this node [NLA §1]. What a file does not tell stays NaN; a file that is missing,
// unreadable or of another form is no error.
class NodeSampler {
 public:
  explicit NodeSampler(SampleSettings settings);

  // Reads all of it; to be called every few seconds. `now_s` is a steady clock's.
  void sample(double now_s);
  // Looks for jobs anew, between two samples.
  void refresh_jobs() { processes_.scan(); }

  const NodeState& state() const { return state_; }  // name, liveness, age and outages are not touched
  const std::array<std::uint8_t, 16>& boot_id() const { return boot_id_; }
  std::uint32_t uptime_s() const { return uptime_s_; }
  double link_Bps() const { return link_Bps_; }
  double flow_Bps() const { return flow_Bps_; }  // in the last interval; NaN before there was one
  double utilisation() const { return utilisation_; }  // likewise, 0 .. 1
  const SlurmProcesses& processes() const { return processes_; }
  // False where /proc hides the processes of others (hidepid): jobs and slurmd are not known then.
  bool sees_processes() const { return sees_processes_; }

 private:
  std::optional<std::string> read(const std::string& path, std::size_t most = 1 << 16) const;
  void read_static();
  void read_cores();
  void sample_cpu(double seconds);
  void sample_load(double seconds);
  void sample_pressure(const char* resource, Averages& averages, std::uint64_t& before, bool& known, double seconds);
  void sample_network(double seconds);
  bool counts(std::string_view interface) const;
  bool any_hardware(const std::vector<std::string_view>& names) const;
  double kernel_link_Bps(std::string_view interface) const;

  SampleSettings settings_;
  NodeState state_;
  SlurmProcesses processes_;
  std::array<std::uint8_t, 16> boot_id_{};
  std::uint32_t uptime_s_ = 0;
  double link_Bps_ = unknown_value;
  double flow_Bps_ = unknown_value;
  double utilisation_ = unknown_value;
  double last_s_ = 0;
  bool begun_ = false;
  bool hardware_only_ = false;
  bool sees_processes_ = false;

  bool slurm_seeded_ = false;
  Averages load_, slurm_load_, utilisation_means_, memory_, flow_, users_, cpu_pressure_, memory_pressure_, io_pressure_;
  std::uint64_t cpu_busy_ = 0, cpu_all_ = 0;
  std::uint64_t bytes_ = 0;
  bool bytes_known_ = false;
  std::uint64_t cpu_waited_us_ = 0, memory_waited_us_ = 0, io_waited_us_ = 0;
  bool cpu_waited_known_ = false, memory_waited_known_ = false, io_waited_known_ = false;
};

}  // namespace placement
