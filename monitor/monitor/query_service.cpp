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

namespace placement::monitor {

namespace {

constexpr unsigned pause_s = 10;
constexpr int less_than_others = 10;  // argument of nice()
constexpr int own_listener = 3;

// The process ends when its parent does.
void end_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

// The main function of the process that answers. It must not return.
[[noreturn]] void serve(pid_t parent, protocol::Credentials& credentials,
                        const protocol::QueryServer::Answers& answers) {
  end_with(parent);
  int never[2];
  if (pipe2(never, O_CLOEXEC) != 0) _exit(1);
  try {
    protocol::QueryServer(own_listener, credentials, answers).run(never[0]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "placement-monitor: answers to placectl: %s\n", error.what());
  }
  _exit(1);
}

// The main function of the keeper, which starts the answering process when there is none. It must not return.
[[noreturn]] void keep(int listener, pid_t parent, protocol::Credentials& credentials,
                       const protocol::QueryServer::Answers& answers, const QueryService::Log& log) {
  end_with(parent);
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (nice(less_than_others) < 0) errno = 0;
  // All other descriptors of the monitor are closed here: its lock and its other sockets.
  if (listener != own_listener && dup2(listener, own_listener) < 0) _exit(1);
  close_range(own_listener + 1, ~0U, 0);
  for (;;) {
    const pid_t self = getpid();
    const pid_t process = fork();
    if (process == 0) serve(self, credentials, answers);
    if (process < 0)
      log(std::string("cannot fork a process that answers placectl: ") + std::strerror(errno));
    else if (waitpid(process, nullptr, 0) == process)
      log("the process that answers placectl and srun on other hosts has ended: starts another one");
    sleep(pause_s);
  }
}

}  // namespace

QueryService::QueryService(int listener, protocol::Credentials& credentials,
                           const protocol::QueryServer::Answers& answers, Log log)
    : log_(std::move(log)) {
  if (listener < 0) return;
  const pid_t parent = getpid();
  keeper_ = fork();
  if (keeper_ == 0) keep(listener, parent, credentials, answers, log_);
  if (keeper_ < 0) log_(std::string("cannot fork a process that answers placectl: ") + std::strerror(errno));
}

QueryService::~QueryService() {
  if (keeper_ <= 0) return;
  kill(keeper_, SIGKILL);
  waitpid(keeper_, nullptr, 0);
}

void QueryService::tend() {
  if (keeper_ <= 0 || waitpid(keeper_, nullptr, WNOHANG) != keeper_) return;
  keeper_ = -1;
  log_(
      "the supervisor of the process that answers other hosts has ended: other hosts get no answers until placement-monitor restarts");
}

}  // namespace placement::monitor
