// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/agent/slurm_processes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "common/util/file_descriptor.hpp"
#include "common/util/text.hpp"
#include "monitor/agent/daemon_option.hpp"
#include "monitor/agent/proc_text.hpp"

namespace placement::agent {

constexpr std::uint8_t young_looks = 3;  // a new process has become its program after this many scans
constexpr std::uint32_t scans_between_looks = 12;
constexpr std::size_t most_processes = 1 << 20;
constexpr std::int32_t kernel_parent = 2;  // the parent of all kernel threads

// Returns the names in the directory that are numbers, at most `most`; none if it cannot be read.
static std::vector<std::int32_t> numbers_in(const std::string& path, std::size_t most) {
  std::vector<std::int32_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
  if (!directory) return numbers;
  while (const dirent* entry = readdir(directory.get())) {
    if (numbers.size() == most) break;
    const auto number = parse_number<std::int32_t>(entry->d_name);
    if (number && *number > 0) numbers.push_back(*number);
  }
  return numbers;
}

// Returns whether a process does not answer: it has ended and was not waited for yet, or a signal has stopped it.
static bool away(char state) { return state == 'Z' || state == 'X' || state == 'T'; }

// Debian's slurmd restarts itself at a reconfigure. It then has the name of the file behind the link /usr/sbin/slurmd.
static bool is_slurmd(std::string_view name) { return name == "slurmd" || name.starts_with("slurmd-"); }

bool SlurmProcesses::counts(char state, std::int32_t cpu) const {
  return (state == 'R' || state == 'D') && (cpus_.empty() || std::ranges::find(cpus_, cpu) != cpus_.end());
}

bool SlurmProcesses::read(std::int32_t pid, const char* file) {
  const std::string path = root_ + "/proc/" + std::to_string(pid) + "/" + file;
  const FileDescriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor < 0) return false;
  buffer_.resize(4096);
  const ssize_t length = ::read(descriptor, buffer_.data(), buffer_.size());
  ++files_read_;
  buffer_.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return length > 0;
}

// Any user may call a program slurmstepd. Only a slurmstepd of the user of process 1 is trusted. The real user counts,
// because a user can give a set-user-ID program any name by a link.
bool SlurmProcesses::trusted(std::int32_t pid) {
  const auto first = read(1, "status") ? parse_real_user(buffer_) : std::nullopt;
  return first && read(pid, "status") && parse_real_user(buffer_) == first;
}

bool SlurmProcesses::of_this_node(std::int32_t pid) {
  if (node_.empty() || !read(pid, "cmdline")) return true;
  const auto named = daemon_option(buffer_, 'N');
  return !named || *named == node_;
}

bool SlurmProcesses::due(std::int32_t pid, const Entry& entry) const {
  return entry.kind != Kind::other || entry.looks < young_looks ||
         (static_cast<std::uint32_t>(pid) + scan_) % scans_between_looks == 0;
}

// Reads the process, or with `only_state` only what changes all the time: state, processor and number of threads.
void SlurmProcesses::look_at(std::int32_t pid, Entry& entry, bool only_state) {
  const auto process = read(pid, "stat") ? parse_process_stat(buffer_) : std::nullopt;
  if (!only_state && (!process || process->started_ticks != entry.started_ticks))
    entry = {};  // the process has ended meanwhile, or a new process has this number
  entry.state = process ? process->state : '?';
  entry.cpu = process ? process->cpu : -1;
  entry.threads = process ? process->threads : 0;
  if (!process || only_state) return;
  entry.started_ticks = process->started_ticks;
  entry.parent = process->parent;
  entry.looks = static_cast<std::uint8_t>(std::min<int>(entry.looks + 1, young_looks));
  // A program may change its name, but a process of a job remains one.
  const std::string name(process->name);
  if (entry.kind == Kind::slurmd && !is_slurmd(name)) entry.kind = Kind::other;
  if (entry.kind != Kind::other || entry.parent == kernel_parent) return;
  if (is_slurmd(name) && trusted(pid)) {
    if (of_this_node(pid)) entry.kind = Kind::slurmd;
    entry.looks = 0;  // between fork and exec a slurmstepd looks like its slurmd, so it is read again
    return;
  }
  if (name == "slurmstepd" && trusted(pid)) {
    const bool titled = read(pid, "cmdline");
    // With cgroup/v2 and systemd, Slurm keeps a "slurmstepd infinity", which has no job.
    if (titled && buffer_.ends_with(std::string_view("\0infinity\0", 10))) return;
    entry.kind = Kind::stepd;
    if (titled) entry.job = slurm_job_of_title(std::string_view(buffer_.c_str())).value_or(0);
    // A slurmstepd sets its title later, so it is read again.
    if (entry.job == 0) entry.looks = 0;
    return;
  }
  if (!read(pid, "cgroup")) return;
  if (const auto job = slurm_job_of_cgroup(buffer_)) {
    entry.kind = Kind::job;
    entry.job = *job;
  }
}

// Adds the descendants of slurmstepd processes and of jobs' processes to the jobs, at any depth.
void SlurmProcesses::join_families() {
  std::vector<Entry*> way;
  for (auto& [pid, entry] : known_) {
    way.clear();
    Entry* at = &entry;
    // The way is limited: parents that change while the processes are read may form a circle.
    while (at->kind == Kind::other && way.size() < 4096) {
      way.push_back(at);
      const auto parent = known_.find(at->parent);
      if (parent == known_.end() || parent->second.scan != scan_) break;
      at = &parent->second;
    }
    if (at->kind != Kind::stepd && at->kind != Kind::job) continue;
    for (Entry* child : way) {
      child->kind = Kind::job;
      child->job = at->job;
    }
  }
}

// Returns the number of threads that count as running. Reads at most `left` threads, so that no heartbeat is late, and
// subtracts their number from `left`. If it does not read all threads, it estimates the number from those read.
double SlurmProcesses::running_threads(std::int32_t pid, const Entry& entry, std::size_t& left) {
  const auto threads = static_cast<double>(entry.threads);
  if (entry.threads <= 1 || left == 0) return counts(entry.state, entry.cpu) * threads;
  const auto read_threads = numbers_in(root_ + "/proc/" + std::to_string(pid) + "/task", left);
  left -= read_threads.size();
  double running = 0;
  const std::string task = "task/";
  for (const std::int32_t thread : read_threads) {
    if (!read(pid, (task + std::to_string(thread) + "/stat").c_str())) continue;
    const auto state = parse_process_stat(buffer_);
    running += state && counts(state->state, state->cpu);
  }
  return left > 0 ? running : running * std::max(1.0, threads / static_cast<double>(read_threads.size()));
}

bool SlurmProcesses::scan() {
  files_read_ = 0;
  const std::vector<std::int32_t> pids = numbers_in(root_ + "/proc", most_processes);
  if (pids.empty()) return false;
  ++scan_;
  for (const std::int32_t pid : pids) {
    Entry& entry = known_[pid];
    if (const bool is_due = due(pid, entry); is_due || !cpus_.empty()) look_at(pid, entry, !is_due);
    entry.scan = scan_;
  }
  std::erase_if(known_, [&](const auto& item) { return item.second.scan != scan_; });
  join_families();
  slurmd_ = false;
  running_ = running_on_cpus_ = 0;
  std::size_t threads_left = most_threads;
  jobs_.clear();
  for (const auto& [pid, entry] : known_) {
    slurmd_ = slurmd_ || (entry.kind == Kind::slurmd && !away(entry.state));
    const bool job = entry.kind == Kind::job;
    const double threads = job || (!cpus_.empty() && pid != getpid()) ? running_threads(pid, entry, threads_left) : 0;
    if (job) running_ += threads;
    if (!cpus_.empty()) running_on_cpus_ += threads;
    if (entry.kind == Kind::job || entry.kind == Kind::stepd) jobs_.push_back(entry.job);
  }
  std::ranges::sort(jobs_);
  jobs_.erase(std::unique(jobs_.begin(), jobs_.end()), jobs_.end());
  // A slurmstepd without a title belongs to a job whose number is known or will be known soon.
  if (jobs_.size() > 1 && jobs_.front() == 0) jobs_.erase(jobs_.begin());
  return true;
}

}  // namespace placement::agent
