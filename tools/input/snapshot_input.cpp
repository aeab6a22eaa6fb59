// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/snapshot_input.hpp"

#include <sys/stat.h>

#include <fstream>

#include "common/state/snapshot.hpp"
#include "common/util/input_file.hpp"
#include "tools/input/snapshot_json_read.hpp"

namespace placement::tools {

namespace {

// Returns whether the file is a published snapshot. Only a regular file is read for this, because the first bytes of a
// pipe would then be lost.
bool is_published(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  char first[5] = {};
  std::ifstream(path, std::ios::binary).read(first, sizeof first);
  return std::string_view(first, sizeof first) == "SPLIV";
}

}  // namespace

LiveState read_live_state(const std::string& path, std::size_t max_bytes) {
  return is_published(path) ? read_snapshot(path) : parse_snapshot_json(read_input_file(path, max_bytes), path);
}

}  // namespace placement::tools
