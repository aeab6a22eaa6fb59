// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/wrap.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace placement::mpi::wrap {
namespace {

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// The address ranges of the Fortran bindings. A C program has none.
struct FortranBindings {
  std::array<Range, 8> ranges{};
  std::size_t count = 0;
};

bool is_fortran_binding(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* file = slash ? slash + 1 : path;
  return std::strncmp(file, "libmpi_mpifh", 12) == 0 || std::strncmp(file, "libmpi_usempi", 13) == 0;
}

int note_bindings(dl_phdr_info* info, std::size_t, void* out) {
  auto& bindings = *static_cast<FortranBindings*>(out);
  if (!info->dlpi_name || !is_fortran_binding(info->dlpi_name)) return 0;
  for (int i = 0; i < info->dlpi_phnum && bindings.count < bindings.ranges.size(); ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    bindings.ranges[bindings.count++] = {begin, begin + segment.p_memsz};
  }
  return 0;
}

}  // namespace

void* next_symbol(const char* name) {
  void* symbol = dlsym(RTLD_NEXT, name);
  if (!symbol) {
    std::fprintf(stderr,
                 "placement: the MPI library of this program has no %s: build slurm-placement with that library\n",
                 name);
    std::abort();
  }
  return symbol;
}

bool in_fortran_bindings(const void* return_address) {
  static const FortranBindings bindings = [] {
    FortranBindings found;
    dl_iterate_phdr(note_bindings, &found);
    return found;
  }();
  const auto address = reinterpret_cast<std::uintptr_t>(return_address);
  return std::any_of(bindings.ranges.begin(), bindings.ranges.begin() + bindings.count,
                     [&](const Range& range) { return address >= range.begin && address < range.end; });
}

}  // namespace placement::mpi::wrap
