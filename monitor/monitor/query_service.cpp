// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/query_service.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/util/error.hpp"

namespace placement {

namespace {

constexpr double pause_s = 10;
constexpr int less_than_others = 10;  // argument of nice()
constexpr int own_listener = 3;

// The main function of the separate process. It must not return.
[[noreturn]] void serve(int listener, pid_t parent, Credentials& credentials, const QueryServer::Answer& answer) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (nice(less_than_others) < 0) errno = 0;
  // All other descriptors of the monitor are closed here: its history, its lock and its other sockets.
  if (listener != own_listener && dup2(listener, own_listener) < 0) _exit(1);
  close_range(own_listener + 1, ~0U, 0);
  int never[2];
  if (pipe2(never, O_CLOEXEC) != 0) _exit(1);
  try {
    QueryServer(own_listener, credentials, answer).run(never[0]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "placement-monitor: answers to placectl: %s\n", error.what());
  }
  _exit(1);
}

}  // namespace

QueryService::QueryService(std::uint16_t port, Credentials& credentials, QueryServer::Answer answer, Log log)
    : credentials_(credentials), answer_(std::move(answer)), log_(std::move(log)) {
  try {
    listener_.reset(listen_tcp(port));
  } catch (const Error& error) {
    log_(std::string(error.what()) + ": placectl and srun on other hosts are not answered");
  }
}

QueryService::~QueryService() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void QueryService::start() {
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) serve(listener_, parent, credentials_, answer_);
  if (process_ < 0) log_(std::string("no process can be made to answer placectl: ") + std::strerror(errno));
}

void QueryService::tend(double now_s) {
  if (listener_ < 0) return;
  if (process_ > 0 && waitpid(process_, nullptr, WNOHANG) == process_) {
    process_ = -1;
    log_("the process that answers placectl and srun on other hosts has ended: another one follows");
  }
  if (process_ > 0 || now_s < next_start_s_) return;
  next_start_s_ = now_s + pause_s;
  start();
}

}  // namespace placement
