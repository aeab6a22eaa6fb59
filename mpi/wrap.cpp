// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/wrap.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace placement::mpi::wrap {
namespace {

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

bool is_fortran_binding(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* file = slash ? slash + 1 : path;
  return std::strncmp(file, "libmpi_mpifh", 12) == 0 || std::strncmp(file, "libmpi_usempi", 13) == 0;
}

// The address ranges of the Fortran bindings. A C program has none, but may load a library with Fortran at any time, as
// Python does.
class FortranBindings {
 public:
  bool contains(std::uintptr_t address) {
    if (known(address)) return true;
    unsigned long long loads = 0;  // how often the process has loaded an object so far
    dl_iterate_phdr(take_loads, &loads);
    if (loads == loads_.load(std::memory_order_acquire)) return false;
    const std::lock_guard lock(mutex_);
    dl_iterate_phdr(take_bindings, this);
    loads_.store(loads, std::memory_order_release);
    return known(address);
  }

 private:
  bool known(std::uintptr_t address) const {
    return std::any_of(ranges_.begin(), ranges_.begin() + count_.load(std::memory_order_acquire),
                       [&](const Range& range) { return address >= range.begin && address < range.end; });
  }

  static int take_loads(dl_phdr_info* info, std::size_t, void* out) {
    *static_cast<unsigned long long*>(out) = info->dlpi_adds;
    return 1;  // the first object has it
  }

  static int take_bindings(dl_phdr_info* info, std::size_t, void* out) {
    auto& bindings = *static_cast<FortranBindings*>(out);
    if (!info->dlpi_name || !is_fortran_binding(info->dlpi_name)) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = info->dlpi_phdr[i];
      const std::size_t count = bindings.count_;
      const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
      if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || bindings.known(begin)) continue;
      if (count == bindings.ranges_.size()) return 1;
      bindings.ranges_[count] = {begin, begin + segment.p_memsz};
      bindings.count_.store(count + 1, std::memory_order_release);
    }
    return 0;
  }

  std::array<Range, 8> ranges_{};
  std::atomic<std::size_t> count_ = 0;  // only grows
  std::atomic<unsigned long long> loads_ = 0;
  std::mutex mutex_;
};

}  // namespace

void* next_symbol(const char* name) {
  void* symbol = dlsym(RTLD_NEXT, name);
  if (!symbol) {
    std::fprintf(
        stderr,
        "placement: %s is missing in the MPI library of this program: build slurm-placement with that library\n", name);
    std::abort();
  }
  return symbol;
}

bool in_fortran_bindings(const void* return_address) {
  // It is never destroyed, because threads may still be in MPI calls when the process ends.
  static FortranBindings& bindings = *new FortranBindings;
  return bindings.contains(reinterpret_cast<std::uintptr_t>(return_address));
}

}  // namespace placement::mpi::wrap
