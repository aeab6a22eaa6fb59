// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/allowed_cpus.hpp"

#include <sched.h>

#include <cstddef>

namespace placement {

std::vector<std::int32_t> allowed_cpus() {
  std::vector<std::int32_t> cpus;
  // The set must have room for all processors that the kernel supports, and the kernel does not report their number.
  for (int room = 1024; cpus.empty() && room <= 1 << 20; room *= 4) {
    cpu_set_t* const set = CPU_ALLOC(room);
    if (set == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(room);
    if (sched_getaffinity(0, size, set) == 0)
      for (int cpu = 0; cpu < room; ++cpu)
        if (CPU_ISSET_S(cpu, size, set)) cpus.push_back(cpu);
    CPU_FREE(set);
  }
  return cpus;
}

}  // namespace placement
