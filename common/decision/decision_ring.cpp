// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/decision_ring.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "common/util/bytes.hpp"
#include "common/util/input_file.hpp"
#include "common/util/replace_file.hpp"

namespace placement {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t random_letters = 6;
constexpr std::size_t most_entries = 65536;  // at most this number of directory entries is examined
constexpr char magic[8] = {'S', 'P', 'R', 'I', 'N', 'G', '\r', '\n'};
constexpr std::uint64_t version = 1;

struct Header {
  char magic[8];
  std::uint64_t version;
  std::uint64_t ring;
  std::uint64_t written;  // increased when a decision is complete
};

constexpr std::size_t place_bytes = 4096;

struct Place {
  std::uint64_t checksum;  // of the other fields of this place
  std::uint64_t sequence;
  char decision[most_decision_bytes];  // its text, with zeros after it
};
static_assert(sizeof(Place) == place_bytes);

constexpr std::size_t places_at = place_bytes;
constexpr std::size_t ring_bytes = places_at + ring_places * sizeof(Place);

std::uint64_t checksum_of(const Place& place) {
  return checksum(std::as_bytes(std::span(&place, 1)).subspan(sizeof place.checksum));
}

// Thrown when another user's file has the name of the ring and the directory does not permit replacing the file.
class NameIsTaken : public Error {
 public:
  using Error::Error;
};

bool write_at(int file, const void* from, std::size_t bytes, std::size_t at) {
  return pwrite(file, from, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
}

bool read_at(int file, void* to, std::size_t bytes, std::size_t at) {
  return pread(file, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
}

bool usable(const Header& header) {
  return std::equal(std::begin(magic), std::end(magic), header.magic) && header.version == version && header.ring != 0;
}

void check_in_memory(const std::string& path) {
  const std::string directory = fs::path(path).parent_path();
  struct statfs system {};
  if (statfs(directory.empty() ? "." : directory.c_str(), &system) != 0)
    fail_errno(path, "its directory cannot be examined");
  if (system.f_type != TMPFS_MAGIC && system.f_type != RAMFS_MAGIC)
    throw Error(path + ": decisions are written to memory only: use a directory on tmpfs, such as /run or /dev/shm");
}

// A new file of mode 0600 next to the path, removed unless it is moved to the path. Its random name keeps other users
// from creating it first in a directory that any user may write.
class NewFile {
 public:
  explicit NewFile(const std::string& path)
      : path_(path),
        name_(path + ".XXXXXX"),
        file_(mkostemp(name_.data(), O_CLOEXEC)) {
    if (file_ < 0) fail_errno(name_, "cannot be created");
  }
  ~NewFile() {
    if (!moved_) unlink(name_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  int file() const { return file_; }

  // Moves the file to the path and replaces the file or directory that is there.
  void replace() {
    moved_ = rename(name_.c_str(), path_.c_str()) == 0;
    if (moved_) return;
    const bool is_directory = errno == EISDIR;
    if (!is_directory || renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) != 0) {
      if (errno == EPERM || errno == EACCES) throw NameIsTaken(path_ + ": cannot be replaced: " + std::strerror(errno));
      fail_errno(path_, "cannot be replaced");
    }
    moved_ = true;
    rmdir(name_.c_str());  // a directory that is not empty stays, under the random name
  }

  // Renames the file to the path. Returns false, and renames nothing, if the path exists.
  bool place() {
    if (link(name_.c_str(), path_.c_str()) == 0) return true;
    if (errno != EEXIST) fail_errno(path_, "cannot be created");
    return false;
  }

  FileDescriptor release() { return std::move(file_); }

 private:
  std::string path_;
  std::string name_;
  FileDescriptor file_;
  bool moved_ = false;
};

bool same_file(int file, const std::string& path) {
  struct stat opened {
  }, named{};
  return fstat(file, &opened) == 0 && lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

// Returns whether only this user can open the file.
bool nobody_elses(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
         !(status.st_mode & (S_IRWXG | S_IRWXO));
}

// Takes the lock of the writer and returns the locked file; the lock ends with the process. The lock is a separate file
// that no other user can open. The ring itself cannot be the lock, because all users may open it for reading. The lock
// file is never removed: two processes could then lock the removed file and a new one.
FileDescriptor lock_writer(const std::string& path) {
  constexpr int attempts = 100;  // an attempt fails only when another process makes or replaces the file meanwhile
  for (int attempt = 0; attempt < attempts; ++attempt) {
    FileDescriptor found(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    const bool nothing = found < 0 && errno == ENOENT;
    if (found >= 0 && nobody_elses(found)) {
      if (flock(found, LOCK_EX | LOCK_NB) != 0) throw RingIsInUse(path + ": another process writes decisions there");
      if (same_file(found, path)) return found;
      continue;
    }
    NewFile temporary(path);
    if (flock(temporary.file(), LOCK_EX | LOCK_NB) != 0) fail_errno(path, "cannot be locked");
    if (nothing && !temporary.place()) continue;
    if (!nothing) temporary.replace();
    return temporary.release();
  }
  throw Error(path + ": is replaced again and again by another process");
}

// Returns whether the file belongs to one of the owners and nobody else may write it.
bool trusted(const struct stat& status, std::span<const uid_t> owners) {
  return std::ranges::find(owners, status.st_uid) != owners.end() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Returns the directories next to `path` that have the name of a ring's directory and belong to one of the owners.
std::vector<std::string> ring_directories(const std::string& path, std::span<const uid_t> owners) {
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

// Returns the directory of this process' user for the ring of `path` (DecisionFile). Creates it with the mode
// `directory_mode` if there is none. Throws Error when it cannot be made.
std::string own_ring_directory(const std::string& path, mode_t directory_mode) {
  const uid_t self = geteuid();
  const std::vector<std::string> there = ring_directories(path, std::span(&self, 1));
  std::string name = there.empty() ? path + "." + std::string(random_letters, 'X') : there.front();
  if ((there.empty() && mkdtemp(name.data()) == nullptr) || chmod(name.c_str(), directory_mode) != 0)
    fail_errno(name, "cannot be created");
  return name;
}

// Opens the ring at the path if this user wrote it earlier; else returns no file.
FileDescriptor open_own(const std::string& path) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  const uid_t self = geteuid();
  struct stat status {};
  Header header{};
  const bool good = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && trusted(status, std::span(&self, 1)) &&
                    status.st_size == static_cast<off_t>(ring_bytes) && read_at(file, &header, sizeof header, 0) &&
                    usable(header);
  return good ? std::move(file) : FileDescriptor();
}

Header header_of(std::uint64_t ring, std::uint64_t written) {
  Header header{{}, version, ring, written};
  std::copy(std::begin(magic), std::end(magic), header.magic);
  return header;
}

Header new_header() {
  std::uint64_t ring = 0;
  if (getrandom(&ring, sizeof ring, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof ring))
    ring = static_cast<std::uint64_t>(time(nullptr));
  return header_of(ring | 1, 0);
}

mode_t file_mode(RingReaders readers) { return readers == RingReaders::everybody ? 0644 : 0640; }

// Makes a new ring at the path, with the content of the ring `old` unless `old` is -1.
FileDescriptor create_ring(const std::string& path, RingReaders readers, int old) {
  NewFile temporary(path);
  // Allocates all space now, because the file system could be full later.
  if (const int error = posix_fallocate(temporary.file(), 0, ring_bytes); error != 0)
    fail_errno(path, "cannot be allocated", error);
  std::vector<std::byte> content(old < 0 ? 0 : ring_bytes);
  const bool copied = read_at(old, content.data(), content.size(), 0) && !content.empty();
  const Header header = new_header();
  if (!(copied ? write_at(temporary.file(), content.data(), content.size(), 0)
               : write_at(temporary.file(), &header, sizeof header, 0)) ||
      fchmod(temporary.file(), file_mode(readers)) != 0)
    fail_errno(path, "cannot be written");
  temporary.replace();  // only now readers see the file, with its whole header
  return temporary.release();
}

// Opens the ring at the path or creates a new one. The caller must hold the lock of the writer. A ring with restricted
// readers becomes a new file each time: a process that has the old file open could read it despite a stricter mode.
FileDescriptor open_ring(const std::string& path, RingReaders readers) {
  FileDescriptor file = open_own(path);
  if (file < 0 || readers != RingReaders::everybody) return create_ring(path, readers, file);
  const int error = posix_fallocate(file, 0, ring_bytes);
  if (error == 0 && fchmod(file, file_mode(readers)) == 0) return file;
  fail_errno(path, "cannot be allocated", error != 0 ? error : errno);
}

Header read_header(const std::string& path, int file) {
  Header header;
  if (!read_at(file, &header, sizeof header, 0) || !usable(header))
    throw Error(path + ": is not a decision file of this version");
  return header;
}

}  // namespace

DecisionWriter::DecisionWriter(const std::string& path, RingReaders readers) {
  check_in_memory(path);
  try {
    open_at(path, readers);
  } catch (const NameIsTaken&) {
    open_at(own_ring_directory(path, readers == RingReaders::everybody ? 0755 : 0750) + "/ring", readers);
  }
}

void DecisionWriter::open_at(const std::string& path, RingReaders readers) {
  path_ = path;
  lock_ = lock_writer(path + ".lock");
  file_ = open_ring(path, readers);
  const Header header = read_header(path, file_);
  ring_ = header.ring;
  written_ = header.written;
}

void DecisionWriter::put(const Decision& decision) noexcept {
  Place place{};
  place.sequence = written_;
  try {
    decision_text(decision).copy(place.decision, most_decision_bytes);
  } catch (...) {  // out of memory: the decision is not recorded
    return;
  }
  place.checksum = checksum_of(place);
  // A reader that reads this place meanwhile finds a wrong checksum, and counts its decision as overwritten.
  if (!write_at(file_, &place, sizeof place, places_at + written_ % ring_places * sizeof place)) return;
  const Header header = header_of(ring_, ++written_);
  write_at(file_, &header, sizeof header, 0);  // the whole header: the file may have been truncated
}

DecisionReader::DecisionReader(std::string path, RingCursor from, std::vector<uid_t> owners)
    : path_(std::move(path)),
      cursor_(from),
      owners_(std::move(owners)) {}

std::vector<Decision> DecisionReader::read(std::size_t most) {
  const std::string found = owners_.empty() ? std::string() : find_ring(path_, owners_);
  const FileDescriptor file(
      open((found.empty() ? path_ : found).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file < 0 && errno == ENOENT) return {};
  if (file < 0) fail_errno(path_, "cannot be opened");
  struct stat status {};
  if (fstat(file, &status) != 0) fail_errno(path_, "cannot be examined");
  require_trusted(path_, status, owners_);
  const Header header = read_header(path_, file);
  if (cursor_.ring != header.ring || cursor_.next > header.written) cursor_ = {header.ring, 0};
  std::vector<Decision> decisions;
  for (; cursor_.next < header.written && decisions.size() < most; ++cursor_.next) {
    const std::uint64_t written = read_header(path_, file).written;
    const std::uint64_t oldest = std::min(written - std::min(written, std::uint64_t{ring_places}), header.written);
    if (cursor_.next < oldest) {
      overrun_ += oldest - cursor_.next;
      cursor_.next = oldest;
      if (cursor_.next == header.written) break;
    }
    Place place;
    const std::size_t at = places_at + cursor_.next % ring_places * sizeof place;
    const bool whole = read_at(file, &place, sizeof place, at) && place.checksum == checksum_of(place);
    if (whole && place.sequence == cursor_.next) {
      try {
        decisions.push_back(parse_decision_text({place.decision, strnlen(place.decision, sizeof place.decision)}));
      } catch (const Error&) {
        ++broken_;
      }
    } else if (read_header(path_, file).written >= cursor_.next + ring_places) {
      ++overrun_;  // the writer has overwritten this place, or does so now
    } else {
      ++broken_;
    }
  }
  return decisions;
}

std::string find_ring(const std::string& path, std::span<const uid_t> owners) {
  std::vector<std::string> candidates{path};
  for (const std::string& directory : ring_directories(path, owners)) candidates.push_back(directory + "/ring");
  std::string latest;
  std::pair<time_t, long> written;
  for (const std::string& candidate : candidates) {
    struct stat status {};
    if (lstat(candidate.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || !trusted(status, owners)) continue;
    const std::pair<time_t, long> changed(status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    if (!latest.empty() && changed <= written) continue;
    latest = candidate;
    written = changed;
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
