// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/state/live_state.hpp"

namespace placement::planning {

// The live state that one decision uses.
struct LiveNow {
  std::shared_ptr<const LiveState> state;  // null if there is no live data, see why_not
  // For each node of the machine the index into state->nodes, or -1 if the snapshot does not have the node.
  std::shared_ptr<const std::vector<std::int32_t>> state_of_node;
  double age_s = unknown_value;  // seconds since the snapshot was published
  std::string why_not;           // why there is no live data; empty if there is
  std::uint64_t generation = 0;  // changes with each new snapshot; 0 without live data
};

// The users whose snapshots are trusted: root, the user of this process, and the monitor's user.
struct SnapshotOwners {
  std::vector<uid_t> users;
  std::string missing;  // why the monitor's user is not in `users`, for messages; empty if it is

  bool operator==(const SnapshotOwners&) const = default;
};

// Looks up `monitor_user` in the host's user database and returns the trusted users. If the user does not exist,
// `missing` has a message; this is not an error.
SnapshotOwners snapshot_owners(const std::string& monitor_user);

// The snapshot that a LiveFeed watches, and the functions that it calls.
struct LiveSource {
  std::string path;  // path of the snapshot
  // Returns the trusted users. It is called by the constructor of the feed, and by its thread while a file is refused.
  std::function<SnapshotOwners()> find_owners;
  std::int64_t max_age_s;          // older data are not used
  std::vector<std::string> nodes;  // the names of the machine's nodes, in its order
  // Gets one line when a file is refused for the first time, and one when a good file follows a refused one. It is
  // called by the constructor and by the thread of the feed, also after the feed is destroyed.
  std::function<void(bool is_error, const std::string& text)> log;
  // Another task, such as opening the ring. The thread calls it once a second until it returns true; empty: none.
  std::function<bool()> retry = {};
};

// Keeps the monitor's newest snapshot in memory, because decisions run under slurmctld's locks and may not read files.
// A thread checks once a second whether the file was replaced, reads it, and swaps a pointer. It holds the lock of
// decisions only for this swap, and no lock of Slurm. The file is not mapped: a truncated mapping ends a process with
// SIGBUS. The destructor does not wait for the thread, which may hang in a file system. A snapshot is trusted if its
// owner is root, the user of this process or the monitor's user, who are looked up again while a file is refused.
class LiveFeed {
 public:
  // Reads the snapshot, if it exists, in the calling thread. Then starts the thread that watches it. Throws if no
  // thread can be started.
  explicit LiveFeed(LiveSource source);
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  // Returns the newest snapshot that is not too old, or why there is none. Does no I/O.
  LiveNow now() const;

  // Records that memory was freed, which the C library keeps for itself. The thread then makes the C library return
  // free memory to the system, at most once a minute. Does no I/O.
  void memory_was_freed() const;

  // Lets the thread call `call` once, after `time` or up to a second later. Only the request that is due first is kept.
  void call_later(std::chrono::steady_clock::duration time, void (*call)()) const;

  // Returns why the file was refused; empty if it was not, or if there is no file.
  std::string trouble() const;

 private:
  struct Watch;
  std::shared_ptr<Watch> watch_;
};

}  // namespace placement::planning
