// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace placement {

// Called in a new process. Lets the kernel kill this process when the thread that started it ends; ends this process
// now if its parent is no longer `parent`.
inline void end_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

// Waits until the process ends, and returns its status as waitpid() does; -1 if it is no child of this process.
inline int status_of(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace placement
