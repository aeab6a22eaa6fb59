// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <time.h>

#include <chrono>

namespace placement {

// Returns the processor time that the calling thread has used since it started.
inline std::chrono::nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace placement
