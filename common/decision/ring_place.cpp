// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/ring_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "common/util/replace_file.hpp"
#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"

namespace placement {

namespace fs = std::filesystem;

constexpr std::size_t random_letters = 6;
constexpr std::size_t most_entries = 65536;  // the number of entries of the directory that are examined

// Returns whether the file belongs to one of the owners and nobody else may write it.
static bool trusted(const struct stat& status, std::span<const uid_t> owners) {
  return std::ranges::find(owners, status.st_uid) != owners.end() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Returns the directories next to `path` that have the name of a ring's directory and belong to one of the owners.
static std::vector<std::string> ring_directories(const std::string& path, std::span<const uid_t> owners) {
  const fs::path file(path);
  const std::string beginning = file.filename().string() + ".";
  std::vector<std::string> found;
  std::error_code error;
  std::size_t seen = 0;
  for (fs::directory_iterator entry(file.parent_path(), error), end; !error && entry != end && seen < most_entries;
       entry.increment(error), ++seen) {
    const std::string name = entry->path().filename().string();
    struct stat status {};
    if (name.size() == beginning.size() + random_letters && name.starts_with(beginning) &&
        lstat(entry->path().c_str(), &status) == 0 && S_ISDIR(status.st_mode) && trusted(status, owners))
      found.push_back(entry->path().string());
  }
  std::ranges::sort(found);
  return found;
}

static bool is_later(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

std::string own_ring_directory(const std::string& path, mode_t directory_mode) {
  const uid_t self = geteuid();
  const std::vector<std::string> there = ring_directories(path, std::span(&self, 1));
  std::string name = there.empty() ? path + "." + std::string(random_letters, 'X') : there.front();
  if ((there.empty() && mkdtemp(name.data()) == nullptr) || chmod(name.c_str(), directory_mode) != 0)
    throw Error(name + ": cannot be created: " + std::strerror(errno));
  return name;
}

std::string find_ring(const std::string& path, std::span<const uid_t> owners) {
  std::vector<std::string> candidates{path};
  for (const std::string& directory : ring_directories(path, owners)) candidates.push_back(directory + "/ring");
  std::string latest;
  timespec written{};
  for (const std::string& candidate : candidates) {
    struct stat status {};
    if (lstat(candidate.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || !trusted(status, owners)) continue;
    if (!latest.empty() && !is_later(status.st_mtim, written)) continue;
    latest = candidate;
    written = status.st_mtim;
  }
  return latest;
}

bool let_read_ring(const std::string& ring, uid_t reader) {
  const FileDescriptor file(open(ring.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid()) return false;
  if (!let_user_read(file, reader)) return false;
  if (fs::path(ring).filename() != "ring") return true;
  const FileDescriptor directory(
      open(fs::path(ring).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (directory < 0 || fstat(directory, &status) != 0) return false;
  return status.st_uid != geteuid() || (status.st_mode & S_IXOTH) != 0 || let_user_read(directory, reader);
}

}  // namespace placement
