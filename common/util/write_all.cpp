// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/write_all.hpp"

#include <unistd.h>

#include <cerrno>

namespace placement {

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace placement
