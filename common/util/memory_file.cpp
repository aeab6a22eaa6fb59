// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include "common/util/file_descriptor.hpp"
#include "common/util/file_size_signal.hpp"

namespace placement {

// The lowest number of the descriptor, tried in this order.
constexpr int high_descriptors[] = {500, 100, 20};

int file_in_memory(const std::string& text, bool inherited) {
  const WithoutFileSizeSignal without_signal;
  const FileDescriptor file(memfd_create("placement-hostfile", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file < 0) return -1;
  if (!write_all(file, text)) return -1;
  fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  for (const int lowest : high_descriptors) {
    const int number = fcntl(file, inherited ? F_DUPFD : F_DUPFD_CLOEXEC, lowest);
    if (number >= 0) return number;
  }
  return -1;
}

}  // namespace placement
