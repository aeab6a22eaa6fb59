// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/decision/decision.hpp"
#include "common/util/file_descriptor.hpp"

namespace placement {

// Decisions on their way from slurmctld to whoever keeps a history: a file in memory (tmpfs) with a fixed
// number of places, each for one decision. The writer never waits and never asks whether somebody
// reads: after ring_places decisions the oldest is overwritten. Readers find out what they missed.
//
//   header: magic, version, a random number of this ring, how many decisions were ever written
//   place:  checksum, sequence number from 0, the packed decision; place = sequence number modulo ring_places
inline constexpr std::size_t ring_places = 1024;

// Who may read a ring besides its writer: everybody, or the group that the file gets from its directory.
enum class RingReaders { everybody, group };

class DecisionWriter {
 public:
  // Goes on with the file if it is this user's ring, else makes a new one in its place; where another user has the
  // name, in a directory of its own beside it (ring_place.hpp). The file is allocated whole. That no second process
  // writes is seen to by a lock on a file beside the ring, with ".lock" after its name, which nobody but this user can
  // open; it ends with the process, however that ends. Throws Error, also when the directory is not on a file system
  // in memory.
  explicit DecisionWriter(const std::string& path, RingReaders readers = RingReaders::everybody);
  DecisionWriter(const DecisionWriter&) = delete;
  DecisionWriter& operator=(const DecisionWriter&) = delete;

  // One thread at a time. Two pwrite() of fixed size to a file in memory, nothing else. The file is not mapped: a
  // process that stores into a mapped file is killed by SIGBUS when another process truncates it.
  void put(const Decision& decision) noexcept;

  const std::string& path() const { return path_; }

 private:
  void open_at(const std::string& path, RingReaders readers);

  std::string path_;
  FileDescriptor lock_;
  FileDescriptor file_;
  std::uint64_t ring_ = 0;     // the ring's random number
  std::uint64_t written_ = 0;  // how many decisions were ever written
};

// How far a reader has come.
struct RingCursor {
  std::uint64_t ring = 0;  // the ring's random number
  std::uint64_t next = 0;  // sequence number of the next decision to be read

  bool operator==(const RingCursor&) const = default;
};

// A reader with its own place; there may be several. It never writes.
class DecisionReader {
 public:
  // Goes on at the cursor; the default one begins with the oldest decision there is. With `owners` the
  // file must belong to one of these users, and nobody else may be able to write it: in a directory like /dev/shm
  // anybody may have put it there. Then it is looked for in directories of these users beside the path, too.
  explicit DecisionReader(std::string path, RingCursor from = {}, std::vector<uid_t> owners = {});

  // What came since the last call, at most `most`; nothing when the file is not there. A new ring in the
  // file's place is read from its beginning. Throws Error when the file cannot be read or is no ring.
  std::vector<Decision> read(std::size_t most = ring_places);

  RingCursor cursor() const { return cursor_; }
  std::uint64_t overrun() const { return overrun_; }  // overwritten before they were read
  std::uint64_t broken() const { return broken_; }    // places whose content was damaged

 private:
  std::string path_;
  RingCursor cursor_;
  std::vector<uid_t> owners_;
  std::uint64_t overrun_ = 0;
  std::uint64_t broken_ = 0;
};

}  // namespace placement
