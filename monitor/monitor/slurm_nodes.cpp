// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/slurm_nodes.hpp"

#include <fcntl.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "common/slurm/controller_query.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::monitor {

namespace {

// Returns whether a node that is down in Slurm has failed. Its reason then says so; any other reason means an order.
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

char letter(SlurmView view) { return "?rnop"[static_cast<std::size_t>(view)]; }

// Returns whether the active slurmctld is that of the SlurmctldHost line number `order`. slurmctld on an earlier host
// takes control when it starts, so that the first one that answers is active.
bool is_first_controller(std::int32_t order) {
  for (std::int32_t i = 0; i < order; ++i)
    if (slurm_ping(i) == SLURM_SUCCESS) return false;
  return slurm_ping(order) == SLURM_SUCCESS;
}

// The main function of the asking process. It must not return.
[[noreturn]] void tell(int to, const std::string& slurm_conf, std::int32_t order) {
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
    std::fprintf(out, "n %s %c\n", node.name, letter(view_of(node)));
    if (node.node_addr) std::fprintf(out, "a %s %s\n", node.name, node.node_addr);
  }
  job_info_msg_t* jobs = nullptr;
  if (slurm_load_jobs(0, &jobs, SHOW_ALL) == SLURM_SUCCESS)
    for (std::uint32_t i = 0; i < jobs->record_count; ++i) {
      const job_info_t& job = jobs->job_array[i];
      if ((job.job_state & JOB_STATE_BASE) == JOB_RUNNING && job.num_nodes == 1 && job.nodes)
        std::fprintf(out, "j %s %u\n", job.nodes, job.job_id);
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

std::vector<SlurmNode> parse_slurm_nodes(std::string_view text, bool& whole) {
  std::vector<SlurmNode> nodes;
  std::unordered_map<std::string_view, std::size_t> index;
  whole = false;
  while (!text.empty() && !whole) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    const std::vector<std::string_view> words = split_words(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (words.size() == 1 && words[0] == ".") whole = true;
    if (words.size() != 3) continue;
    if (words[0] == "n" && words[2].size() == 1) {
      const std::size_t view = std::string_view("?rnop").find(words[2][0]);
      if (view == std::string_view::npos || !index.emplace(words[1], nodes.size()).second) continue;
      nodes.push_back({std::string(words[1]), static_cast<SlurmView>(view), {}, {}});
    } else if (words[0] == "a") {
      if (const auto found = index.find(words[1]); found != index.end()) nodes[found->second].address = words[2];
    } else if (words[0] == "j") {
      const auto job = parse_integer(words[2]);
      const auto found = index.find(words[1]);
      if (job && *job > 0 && *job <= UINT32_MAX && found != index.end())
        nodes[found->second].jobs.push_back(static_cast<std::uint32_t>(*job));
    }
  }
  return nodes;
}

std::optional<ControllerState> parse_slurm_controller(std::string_view text) {
  std::string lines;
  bool answered = false;
  for (const std::string_view line : split_at(text, '\n')) {
    answered = answered || line == "c";
    if (line.starts_with("c ")) lines += std::string(line.substr(2)) + "\n";
  }
  if (!answered) return std::nullopt;
  return controller_state_of(lines);
}

bool has_slurm_line(std::string_view text, std::string_view line) {
  const std::vector<std::string_view> lines = split_at(text, '\n');
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

std::string SlurmNodes::ask(double now_s) {
  if (asking()) return {};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return std::string("pipe2: ") + std::strerror(errno);
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    fcntl(ends[1], F_SETFL, 0);  // only the writer may block
    tell(ends[1], slurm_conf_, order_);
  }
  const int error = errno;  // of fork, if there is no child
  close(ends[1]);
  if (child_ < 0) {
    close(ends[0]);
    return std::string("fork: ") + std::strerror(error);
  }
  pipe_ = ends[0];
  asked_s_ = now_s;
  text_.clear();
  return {};
}

void SlurmNodes::stop() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  if (pipe_ >= 0) close(pipe_);
  child_ = -1;
  pipe_ = -1;
}

bool SlurmNodes::collect(double now_s, std::vector<SlurmNode>& nodes) {
  if (!asking()) return false;
  char buffer[65536];
  for (;;) {
    const ssize_t got = read(pipe_, buffer, sizeof buffer);
    if (got > 0 && text_.size() + static_cast<std::size_t>(got) <= most_bytes) {
      text_.append(buffer, static_cast<std::size_t>(got));
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN && now_s - asked_s_ <= most_s) return false;
    break;
  }
  stop();
  bool whole = false;
  nodes = parse_slurm_nodes(text_, whole);
  denied_ = has_slurm_line(text_, "d");
  if (has_slurm_line(text_, "h"))
    next_s_ = now_s;
  else if (has_slurm_line(text_, "-"))
    next_s_ = -1e9;
  controller_ = whole || denied_ ? parse_slurm_controller(text_) : std::nullopt;
  text_.clear();
  return whole;
}

}  // namespace placement::monitor
