// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace placement::agent {

// Finds the processes of Slurm's jobs on this node, and counts their threads that run or wait for a disk. These threads
// are the part of the load average that Slurm causes. A process belongs to a job if an ancestor is a slurmstepd, or if
// it is in a control group of Slurm. To save time, other processes are read when they are new, and then only in every
// twelfth scan. If only some processors count, each scan reads the state of every process.
class SlurmProcesses {
 public:
  // `root` is the prefix of /proc. Several slurmd may share one host: a slurmd that was given another NodeName than
  // `node` is ignored. Only threads on the processors `cpus` count; empty: all threads count.
  explicit SlurmProcesses(std::string root, std::string node = {}, std::vector<std::int32_t> cpus = {})
      : root_(std::move(root)),
        node_(std::move(node)),
        cpus_(std::move(cpus)) {}

  // The most threads that a scan reads. The states of further threads are estimated from these.
  static constexpr std::size_t most_threads = 8192;

  // Reads /proc. Returns false when that is not possible, or /proc has no process.
  bool scan();

  double running() const { return running_; }  // threads of jobs that run or wait for a disk
  // Returns the number of threads of all users, except this process, that run or wait for a disk on the given
  // processors. Returns 0 when no processors were given.
  double running_on_cpus() const { return running_on_cpus_; }
  bool slurmd() const { return slurmd_; }  // this node's slurmd exists and is not stopped
  // Returns the jobs with a process on this node, in ascending order. A job whose number cannot be read appears as 0.
  const std::vector<std::uint32_t>& jobs() const { return jobs_; }
  // Returns the number of processes that the last scan found, of all users.
  std::size_t processes() const { return known_.size(); }
  // Returns the number of files below /proc that the last scan read.
  std::size_t files_read() const { return files_read_; }

 private:
  enum class Kind : std::uint8_t { other, slurmd, stepd, job };
  struct Entry {
    std::uint64_t started_ticks = 0;
    std::int64_t threads = 0;
    std::int32_t parent = 0;
    std::int32_t cpu = -1;
    std::uint32_t job = 0;
    std::uint32_t scan = 0;  // number of the last scan that saw it
    std::uint8_t looks = 0;  // how often it was read, at most young_looks
    Kind kind = Kind::other;
    char state = '?';
  };

  bool read(std::int32_t pid, const char* file);  // into buffer_
  bool due(std::int32_t pid, const Entry& entry) const;
  void look_at(std::int32_t pid, Entry& entry, bool only_state);
  bool counts(char state, std::int32_t cpu) const;
  bool trusted(std::int32_t pid);
  bool of_this_node(std::int32_t pid);
  void join_families();
  double running_threads(std::int32_t pid, const Entry& entry, std::size_t& left);

  std::string root_, node_;
  std::vector<std::int32_t> cpus_;
  std::unordered_map<std::int32_t, Entry> known_;
  std::string buffer_;
  std::vector<std::uint32_t> jobs_;
  double running_ = 0;
  double running_on_cpus_ = 0;
  bool slurmd_ = false;
  std::uint32_t scan_ = 0;
  std::size_t files_read_ = 0;
};

}  // namespace placement::agent
