// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/decision/decision.hpp"
#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"

namespace placement {

// The ring carries decisions from slurmctld to its readers, such as placement-monitor. It is a file in memory (tmpfs)
// with ring_places places for one decision each. The writer never waits for a reader: if all places are used, it
// overwrites the oldest decision. A reader counts the decisions that it missed.
//
//   header: magic, version, a random number of this ring, the number of decisions that were ever written
//   place:  checksum, sequence number from 0, text of the decision; place = sequence number modulo ring_places
inline constexpr std::size_t ring_places = 1024;

// Who may read a ring in addition to its writer: all users, or the group of its directory, which the file also has.
enum class RingReaders { everybody, group };

// Thrown when another process writes the ring, for example the previous slurmctld: from Slurm 23.11 on, "scontrol
// reconfigure" starts a new slurmctld, and the previous one ends only when the new one is ready.
class RingIsInUse : public Error {
 public:
  using Error::Error;
};

// The only writer of a ring.
class DecisionWriter {
 public:
  // Continues the ring at `path` if this user wrote it. Otherwise creates the ring and replaces an existing file. With
  // RingReaders::group the ring is copied to a new file, so readers of the old file get no further decisions. If
  // another user's file cannot be replaced, uses a directory of this user next to it (find_ring()). Locks PATH.lock
  // until this process ends. Throws RingIsInUse when another process has the lock. Throws Error for another failure or
  // a path not in memory.
  explicit DecisionWriter(const std::string& path, RingReaders readers = RingReaders::everybody);

  // Writes a decision. Only one thread at a time may call this. It calls pwrite() twice, with a fixed size, on a file
  // in memory, and makes no other call that could take time. The file is not mapped: a process that stores into a
  // mapped file is killed by SIGBUS when another process truncates it.
  void put(const Decision& decision) noexcept;

  const std::string& path() const { return path_; }

 private:
  void open_at(const std::string& path, RingReaders readers);

  std::string path_;
  FileDescriptor lock_;
  FileDescriptor file_;
  std::uint64_t ring_ = 0;     // the ring's random number
  std::uint64_t written_ = 0;  // number of decisions ever written
};

// The position of a reader in a ring.
struct RingCursor {
  std::uint64_t ring = 0;  // the ring's random number
  std::uint64_t next = 0;  // sequence number of the next decision to be read

  bool operator==(const RingCursor&) const = default;
};

// A reader of a ring with a position of its own. Several readers may read one ring. A reader never writes.
class DecisionReader {
 public:
  // Prepares to read the ring at `path` from the cursor `from` on; the default cursor is at the oldest decision. With
  // `owners`, the file must belong to one of them, and no other user may be able to write it. Any user can create files
  // in /dev/shm. The reader then also searches the owners' directories next to `path` (find_ring()).
  explicit DecisionReader(std::string path, RingCursor from = {}, std::vector<uid_t> owners = {});

  // Returns at most `most` decisions that were written since the last call, the oldest first. Returns nothing when the
  // file does not exist. A new ring at the path is read from its start. Throws Error when the file cannot be read, is
  // not a ring, or does not belong to `owners`.
  std::vector<Decision> read(std::size_t most = ring_places);

  RingCursor cursor() const { return cursor_; }
  std::uint64_t overrun() const { return overrun_; }  // decisions that were overwritten before they were read
  std::uint64_t broken() const { return broken_; }    // places whose content was damaged

 private:
  std::string path_;
  RingCursor cursor_;
  std::vector<uid_t> owners_;
  std::uint64_t overrun_ = 0;
  std::uint64_t broken_ = 0;
};

// The file of the ring is usually DecisionFile itself. In a directory such as /dev/shm, another user may have
// created a file of this name first. The ring is then the file "ring" in a directory of the writer, whose name is
// DecisionFile, a dot and six random letters.

// Returns the path of the ring: `path`, or the file "ring" in a directory next to it. One of `owners` must own the
// file, and nobody else may be able to write it. If several fit, returns the latest; if none does, returns "".
std::string find_ring(const std::string& path, std::span<const uid_t> owners);

// Lets the user `reader` read the ring at the path `ring`, in addition to the users whom the mode of the file admits.
// The ring must be a file of this process's user. If the ring has a directory of its own, `reader` may also enter
// that directory. Returns false without access control lists, or when the ring is not there or not this user's.
bool let_read_ring(const std::string& ring, uid_t reader);

}  // namespace placement
