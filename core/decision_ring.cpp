// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/decision_ring.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/file_descriptor.hpp"

namespace placement {

namespace {

constexpr char magic[8] = {'S', 'P', 'R', 'I', 'N', 'G', '\r', '\n'};
constexpr std::uint64_t version = 1;

struct Header {
  char magic[8];
  std::uint64_t version;
  std::uint64_t ring;
  std::uint64_t written;  // goes up when a decision is complete
};

constexpr std::size_t place_bytes = 4096;

struct Place {
  std::uint64_t checksum;  // of what follows
  std::uint64_t sequence;
  std::byte decision[place_bytes - 2 * sizeof(std::uint64_t)];
};
static_assert(sizeof(Place) == place_bytes && sizeof(Place::decision) >= min_decision_bytes);

constexpr std::size_t places_at = place_bytes;
constexpr std::size_t ring_bytes = places_at + ring_places * sizeof(Place);

std::uint64_t checksum_of(const Place& place) {
  return checksum(std::as_bytes(std::span(&place, 1)).subspan(sizeof place.checksum));
}

[[noreturn]] void fail_errno(const std::string& path, const char* what, int error) {
  throw Error(path + ": " + what + ": " + std::strerror(error));
}

bool usable(const Header& header) {
  return std::equal(std::begin(magic), std::end(magic), header.magic) && header.version == version &&
         header.ring != 0;
}

// ---- the writer's file

void check_in_memory(const std::string& path, int file) {
  struct statfs system {};
  if (fstatfs(file, &system) != 0) fail_errno(path, "cannot be examined", errno);
  if (system.f_type != TMPFS_MAGIC && system.f_type != RAMFS_MAGIC)
    throw Error(path + ": decisions are written to memory only, want a directory on tmpfs, as /run or /dev/shm is");
}

// An earlier ring of this user, or none.
int open_own(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) return -1;
  struct stat status {};
  Header header{};
  const bool good = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
                    !(status.st_mode & (S_IWGRP | S_IWOTH)) &&
                    status.st_size == static_cast<off_t>(ring_bytes) &&
                    pread(file, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header) && usable(header);
  if (good) return file;
  close(file);
  return -1;
}

Header new_header() {
  Header header{};
  std::copy(std::begin(magic), std::end(magic), header.magic);
  header.version = version;
  if (getrandom(&header.ring, sizeof header.ring, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof header.ring))
    header.ring = static_cast<std::uint64_t>(time(nullptr));
  header.ring |= 1;
  return header;
}

bool locked(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0; }

void lock(const std::string& path, int file) {
  if (!locked(file)) throw Error(path + ": another process writes decisions there");
}

// Whether one of those that hold a lock on the file is of this user or root, or cannot be told. Whoever may read
// a file may lock it.
bool locked_by_own(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) return true;
  std::ifstream locks("/proc/locks");
  bool any = false;
  for (std::string line; std::getline(locks, line);) {
    long pid = 0;
    unsigned major = 0, minor = 0;
    unsigned long inode = 0;
    // "7: FLOCK  ADVISORY  WRITE 1234 00:1a:567 0 EOF"; one that waits has "->" before the kind
    if (std::sscanf(line.c_str(), "%*s FLOCK %*s %*s %ld %x:%x:%lu", &pid, &major, &minor, &inode) != 4) continue;
    if (inode != status.st_ino || gnu_dev_makedev(major, minor) != status.st_dev) continue;
    any = true;
    struct stat process {};
    if (pid <= 0 || stat(("/proc/" + std::to_string(pid)).c_str(), &process) != 0) return true;
    if (process.st_uid == geteuid() || process.st_uid == 0) return true;
  }
  return !any;
}

// Made beside and renamed, so that no reader sees half of a header.
int create_ring(const std::string& path) {
  const std::string beside = path + ".new";
  if (unlink(beside.c_str()) != 0 && errno != ENOENT) fail_errno(beside, "cannot be removed", errno);
  const int file = open(beside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
  if (file < 0) fail_errno(beside, "cannot be created", errno);
  try {
    lock(beside, file);
    check_in_memory(beside, file);
    const Header header = new_header();
    // What is not allocated now could be missing later: a store into it would end slurmctld.
    if (const int error = posix_fallocate(file, 0, ring_bytes); error != 0)
      fail_errno(beside, "cannot be allocated", error);
    if (pwrite(file, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header) || fchmod(file, 0644) != 0)
      fail_errno(beside, "cannot be written", errno);
    if (rename(beside.c_str(), path.c_str()) != 0) fail_errno(path, "cannot be replaced", errno);
  } catch (...) {
    close(file);
    unlink(beside.c_str());
    throw;
  }
  return file;
}

int open_ring(const std::string& path) {
  const int file = open_own(path);
  if (file < 0) return create_ring(path);
  if (!locked(file) && !locked_by_own(file)) {
    close(file);
    return create_ring(path);
  }
  try {
    lock(path, file);
    check_in_memory(path, file);
    if (const int error = posix_fallocate(file, 0, ring_bytes); error != 0)
      fail_errno(path, "cannot be allocated", error);
  } catch (...) {
    close(file);
    throw;
  }
  return file;
}

Place* place_of(std::byte* map, std::uint64_t sequence) {
  return reinterpret_cast<Place*>(map + places_at) + sequence % ring_places;
}

// ---- the reader's

bool read_at(int file, void* to, std::size_t bytes, std::size_t at) {
  return pread(file, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
}

Header read_header(const std::string& path, int file) {
  Header header;
  if (!read_at(file, &header, sizeof header, 0) || !usable(header))
    throw Error(path + ": is no ring of decisions of this version");
  return header;
}

}  // namespace

DecisionWriter::DecisionWriter(const std::string& path) : file_(open_ring(path)) {
  void* const map = mmap(nullptr, ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file_, 0);
  if (map == MAP_FAILED) fail_errno(path, "cannot be mapped", errno);
  map_ = static_cast<std::byte*>(map);
}

DecisionWriter::~DecisionWriter() { munmap(map_, ring_bytes); }

void DecisionWriter::put(const Decision& decision) noexcept {
  auto& header = *reinterpret_cast<Header*>(map_);
  std::atomic_ref<std::uint64_t> written(header.written);
  const std::uint64_t sequence = written.load(std::memory_order_relaxed);
  Place* const place = place_of(map_, sequence);
  // A reader who looks meanwhile finds a checksum that is wrong, and looks again.
  place->checksum = 0;
  std::atomic_thread_fence(std::memory_order_release);
  place->sequence = sequence;
  pack_decision(decision, place->decision);
  place->checksum = checksum_of(*place);
  written.store(sequence + 1, std::memory_order_release);
}

DecisionReader::DecisionReader(std::string path, RingCursor from, std::vector<uid_t> owners)
    : path_(std::move(path)), cursor_(from), owners_(std::move(owners)) {}

std::vector<Decision> DecisionReader::read(std::size_t most) {
  const FileDescriptor file(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file < 0 && errno == ENOENT) return {};
  if (file < 0) fail_errno(path_, "cannot be opened", errno);
  struct stat status {};
  if (fstat(file, &status) != 0) fail_errno(path_, "cannot be examined", errno);
  if (!S_ISREG(status.st_mode)) throw Error(path_ + ": is no regular file");
  if (!owners_.empty() && std::find(owners_.begin(), owners_.end(), status.st_uid) == owners_.end())
    throw Error(path_ + ": belongs to user " + std::to_string(status.st_uid) + ", who is not trusted with it");
  if (!owners_.empty() && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw Error(path_ + ": others than its owner may write it");
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
        decisions.push_back(unpack_decision(place.decision));
      } catch (const Error&) {
        ++broken_;
      }
    } else if (read_header(path_, file).written >= cursor_.next + ring_places) {
      ++overrun_;  // the writer is at this place, or has been
    } else {
      ++broken_;
    }
  }
  return decisions;
}

}  // namespace placement
