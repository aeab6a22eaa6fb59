// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace placement {

// Called in a new process. Lets the kernel kill this process when the thread that started it ends; ends this process
// now if its parent is no longer `parent`.
inline void end_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

}  // namespace placement
