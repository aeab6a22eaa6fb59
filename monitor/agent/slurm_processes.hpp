// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace placement {

// Which processes of this node are Slurm's jobs', and how many of their threads run or wait for a
// disk: the part of the load average that Slurm causes. A process belongs to a job when a slurmstepd is
// among its ancestors or it lies in a control group of Slurm's, so that neither
// proctrack/linuxproc nor a version of control groups is needed.
//
// Others are looked at when they are new and once in a dozen scans after that: most of a node's
// processes never change, and reading them all every few seconds would cost more than all else. Where only some of
// the machine's processors count, which of them run there has to be read of all, each time.
class SlurmProcesses {
 public:
  // `root` stands before /proc. A slurmd that was given another NodeName than `node` is another node's:
  // several may share one host. `cpus`: threads elsewhere do not count; empty: all do.
  explicit SlurmProcesses(std::string root, std::string node = {}, std::vector<std::int32_t> cpus = {})
      : root_(std::move(root)), node_(std::move(node)), cpus_(std::move(cpus)) {}

  // False when /proc cannot be read.
  bool scan();

  double running() const { return running_; }  // threads of jobs that run or wait for a disk
  // Threads of anybody, but for this process, that run or wait for a disk on the given processors; 0 without such.
  double running_on_cpus() const { return running_on_cpus_; }
  bool slurmd() const { return slurmd_; }       // this node's slurmd is there, and not stopped
  // Jobs with a process here, ascending; 0 for one whose number is not to be seen.
  const std::vector<std::uint32_t>& jobs() const { return jobs_; }
  std::size_t processes() const { return known_.size(); }
  std::size_t files_read() const { return files_read_; }  // by the last scan

 private:
  enum class Kind : std::uint8_t { other, slurmd, stepd, job };
  struct Entry {
    std::uint64_t started_ticks = 0;
    std::int64_t threads = 0;
    std::int32_t parent = 0;
    std::int32_t cpu = -1;
    std::uint32_t job = 0;
    std::uint32_t scan = 0;  // the last one that saw it
    std::uint8_t looks = 0;  // how often it was read, as far as that matters
    Kind kind = Kind::other;
    char state = '?';
  };

  bool list();
  bool read(std::int32_t pid, const char* file);  // into buffer_
  bool due(std::int32_t pid, const Entry& entry) const;
  void look_at(std::int32_t pid, Entry& entry);
  void look_at_state(std::int32_t pid, Entry& entry);
  bool counts(char state, std::int32_t cpu) const;
  bool trusted(std::int32_t pid) const;
  bool of_this_node(std::int32_t pid);
  void join_families();
  double running_threads(std::int32_t pid, const Entry& entry);

  std::string root_, node_;
  std::vector<std::int32_t> cpus_;
  std::unordered_map<std::int32_t, Entry> known_;
  std::vector<std::int32_t> pids_;
  std::string buffer_;
  std::vector<std::uint32_t> jobs_;
  double running_ = 0;
  double running_on_cpus_ = 0;
  bool slurmd_ = false;
  std::uint32_t scan_ = 0;
  std::size_t files_read_ = 0;
};

}  // namespace placement
