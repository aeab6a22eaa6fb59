// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/util/file_size_signal.hpp"

namespace placement {

// Owns a file descriptor and closes it when the object ends. A negative number means no open file.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  ~FileDescriptor() {
    if (number_ >= 0) close(number_);
  }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    reset(std::exchange(other.number_, -1));
    return *this;
  }
  operator int() const { return number_; }

  // Closes the open file, if there is one, and owns the descriptor `number` from then on.
  void reset(int number) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }

 private:
  int number_;
};

// Writes all bytes to the open file `file`, in spite of partial writes and signals. Returns false with errno on
// failure.
inline bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

// Returns the descriptor of a file in memory with `text`, sealed against changes, or -1 with errno. Its number is high,
// because shell scripts use low ones. With `inherited`, programs that this process executes inherit it.
inline int file_in_memory(std::string_view text, bool inherited) {
  const WithoutFileSizeSignal without_signal;
  const FileDescriptor file(memfd_create("placement-hostfile", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file < 0 || !write_all(file, text)) return -1;
  fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  int number = -1;
  for (const int lowest : {500, 100, 20})
    if (number < 0) number = fcntl(file, inherited ? F_DUPFD : F_DUPFD_CLOEXEC, lowest);
  return number;
}

// Returns the rest of the open file, at most `most` bytes, in spite of partial reads and signals. An error ends it,
// too.
inline std::string read_rest(int file, std::size_t most = SIZE_MAX) {
  std::string text;
  char block[8192];
  while (text.size() < most) {
    const ssize_t got = read(file, block, std::min(sizeof block, most - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(block, static_cast<std::size_t>(got));
  }
  return text;
}

// Identifies one version of a file: a changed or replaced file has another identity. All fields are 0 without a file.
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
