// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace placement {

// Identifies one version of a file: another file at the path, or a change, has another identity. All values are 0 if
// there is no file.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileIdentity&) const = default;
  bool same_file(const FileIdentity& other) const { return device == other.device && inode == other.inode; }
};

inline FileIdentity identity_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          std::int64_t{status.st_ctim.tv_sec} * 1'000'000'000 + status.st_ctim.tv_nsec};
}

}  // namespace placement
