// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/slurm_nodes.hpp"

#include <fcntl.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "common/slurm/controller_query.hpp"
#include "common/util/parent_process.hpp"
#include "common/util/text.hpp"
#include "monitor/protocol/sockets.hpp"

namespace placement::monitor {

namespace {

// Returns whether a node that is down in Slurm has failed: its reason is empty or a failure, or it does not respond.
// Any other reason means that an administrator set it down.
bool failed_by_itself(const node_info_t& node) {
  if (!node.reason || !*node.reason) return true;
  const std::string_view reason(node.reason);
  return reason.starts_with("Not responding") || reason.starts_with("Node unexpectedly rebooted") ||
         (node.node_state & NODE_STATE_NO_RESPOND) != 0;
}

SlurmView view_of(const node_info_t& node) {
  constexpr std::uint32_t ordered = NODE_STATE_DRAIN | NODE_STATE_MAINT | NODE_STATE_POWERED_DOWN |
                                    NODE_STATE_POWERING_DOWN | NODE_STATE_POWERING_UP | NODE_STATE_REBOOT_REQUESTED |
                                    NODE_STATE_REBOOT_ISSUED;
  const std::uint32_t base = node.node_state & NODE_STATE_BASE;
  if ((node.node_state & ordered) != 0 || base == NODE_STATE_FUTURE) return SlurmView::planned;
  if (base == NODE_STATE_DOWN) return failed_by_itself(node) ? SlurmView::down : SlurmView::planned;
  if ((node.node_state & NODE_STATE_NO_RESPOND) != 0) return SlurmView::not_responding;
  if (base == NODE_STATE_UNKNOWN || base == NODE_STATE_ERROR) return SlurmView::unknown;
  return SlurmView::responding;
}

constexpr std::string_view letters = "?rnop";  // of each SlurmView

// Returns whether the slurmctld of SlurmctldHost line number `order` is active. A slurmctld on an earlier host takes
// control when it starts. Therefore the first one that answers is active.
bool is_first_controller(std::int32_t order) {
  for (std::int32_t i = 0; i < order; ++i)
    if (slurm_ping(i) == SLURM_SUCCESS) return false;
  return slurm_ping(order) == SLURM_SUCCESS;
}

// The main function of the asking process. It must not return.
[[noreturn]] void tell(int to, const std::string& slurm_conf, std::int32_t order, bool with_jobs) {
  FILE* const out = fdopen(to, "w");
  setenv("SLURM_CONF", slurm_conf.c_str(), 1);
  slurm_init(nullptr);
  node_info_msg_t* nodes = nullptr;
  if (!out) _exit(1);
  std::fprintf(out, is_first_controller(order) ? "h\n" : "-\n");
  std::fflush(out);
  const bool told = slurm_load_node(0, &nodes, SHOW_ALL) == SLURM_SUCCESS;
  if (!told && errno == ESLURM_ACCESS_DENIED) std::fprintf(out, "d\n");
  if (!told && errno != ESLURM_ACCESS_DENIED) _exit(1);
  for (std::uint32_t i = 0; told && i < nodes->record_count; ++i) {
    const node_info_t& node = nodes->node_array[i];
    if (!node.name) continue;
    std::fprintf(out, "n %s %c\n", node.name, letters[static_cast<std::size_t>(view_of(node))]);
    if (node.node_addr) std::fprintf(out, "a %s %s\n", node.name, node.node_addr);
  }
  job_info_msg_t* jobs = nullptr;
  const double began_s = protocol::steady_s();
  if (told && with_jobs && slurm_load_jobs(0, &jobs, SHOW_ALL) == SLURM_SUCCESS) {
    const double took_s = protocol::steady_s() - began_s;
    for (std::uint32_t i = 0; i < jobs->record_count; ++i) {
      const job_info_t& job = jobs->job_array[i];
      if ((job.job_state & JOB_STATE_BASE) == JOB_RUNNING && job.num_nodes == 1 && job.nodes)
        std::fprintf(out, "j %s %u\n", job.nodes, job.job_id);
    }
    std::fprintf(out, "J %.6f\n", took_s);
  }
  try {
    const std::string lines = ask_controller();
    std::fprintf(out, "c\n");  // slurmctld answered
    for (const std::string_view line : split_at(lines, '\n'))
      std::fprintf(out, "c %.*s\n", static_cast<int>(line.size()), line.data());
  } catch (...) {  // then the settings in force are not known
  }
  if (told) std::fprintf(out, ".\n");
  std::fflush(out);
  _exit(0);
}

}  // namespace

SlurmAnswer parse_slurm_answer(std::string_view text) {
  SlurmAnswer answer;
  std::unordered_map<std::string_view, std::size_t> index;
  std::string settings;
  bool has_settings = false;
  for (std::size_t end; !answer.whole && (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
    const std::string_view line = text.substr(0, end);
    const std::vector<std::string_view> words = split_words(line);
    answer.whole = line == ".";
    answer.denied = answer.denied || line == "d";
    has_settings = has_settings || line == "c";
    if (line == "h" || line == "-") answer.is_next_to_active = line == "h";
    if (words.size() == 2 && words[0] == "J") answer.jobs_took_s = parse_real(words[1]);
    if (line.starts_with("c ")) settings += std::string(line.substr(2)) + "\n";
    if (words.size() != 3) continue;
    const auto found = index.find(words[1]);
    if (words[0] == "n" && words[2].size() == 1 && found == index.end()) {
      const std::size_t view = letters.find(words[2][0]);
      if (view == letters.npos) continue;
      index.emplace(words[1], answer.nodes.size());
      answer.nodes.push_back({std::string(words[1]), static_cast<SlurmView>(view), {}, {}});
    } else if (words[0] == "a" && found != index.end()) {
      answer.nodes[found->second].address = words[2];
    } else if (words[0] == "j" && found != index.end()) {
      if (const auto job = parse_integer(words[2]); job && *job > 0 && *job <= UINT32_MAX)
        answer.nodes[found->second].jobs.push_back(static_cast<std::uint32_t>(*job));
    }
  }
  if (has_settings) answer.controller = controller_state_of(settings);
  return answer;
}

std::string SlurmNodes::ask(double now_s) {
  if (asking()) return {};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return std::string("pipe2: ") + std::strerror(errno);
  FileDescriptor from(ends[0]);
  const FileDescriptor to(ends[1]);
  const bool with_jobs = now_s >= jobs_due_s_;
  if (with_jobs) jobs_due_s_ = now_s + jobs_retry_s;
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ == 0) {
    end_with_parent(parent);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    fcntl(to, F_SETFL, 0);  // only the writer may block
    tell(to, slurm_conf_, order_, with_jobs);
  }
  if (child_ < 0) return std::string("fork: ") + std::strerror(errno);
  pipe_ = std::move(from);
  asked_s_ = now_s;
  text_.clear();
  return {};
}

void SlurmNodes::stop() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  child_ = -1;
  pipe_.reset(-1);
}

std::optional<SlurmAnswer> SlurmNodes::collect(double now_s) {
  if (!asking()) return std::nullopt;
  char buffer[65536];
  for (;;) {
    const ssize_t got = read(pipe_, buffer, sizeof buffer);
    if (got > 0 && text_.size() + static_cast<std::size_t>(got) <= most_bytes) {
      text_.append(buffer, static_cast<std::size_t>(got));
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN && now_s - asked_s_ <= most_s) return std::nullopt;
    break;
  }
  stop();
  SlurmAnswer answer = parse_slurm_answer(std::exchange(text_, {}));
  if (answer.jobs_took_s) {
    jobs_due_s_ = now_s + std::min(jobs_pauses * *answer.jobs_took_s, most_jobs_pause_s);
    for (const SlurmNode& node : answer.nodes) jobs_[node.name] = node.jobs;
  }
  for (SlurmNode& node : answer.nodes) node.jobs = jobs_[node.name];
  if (answer.is_next_to_active) next_s_ = *answer.is_next_to_active ? now_s : -1e9;
  if (!answer.whole && !answer.denied) answer.controller.reset();
  return answer;
}

}  // namespace placement::monitor
