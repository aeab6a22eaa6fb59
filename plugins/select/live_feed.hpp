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

namespace placement {

// The live state that one decision goes by.
struct LiveNow {
  std::shared_ptr<const LiveState> state;  // null: see why_not
  std::shared_ptr<const std::vector<std::int32_t>> state_of_node;  // of each node of the machine; -1: not known
  double age_s = unknown_value;
  std::string why_not;
  std::uint64_t generation = 0;  // another number: another state
};

// Who may publish the state: root, the user of this process, and the monitor's user.
struct SnapshotOwners {
  std::vector<uid_t> users;
  std::string missing;  // why the monitor's user is not among them, for messages; empty: it is

  bool operator==(const SnapshotOwners&) const = default;
};

// Looks `monitor_user` up in the host's user database. Throws nothing: a user who does not exist is nobody.
SnapshotOwners snapshot_owners(const std::string& monitor_user);

// Keeps the monitor's newest snapshot at hand. A decision is made under slurmctld's locks, where nothing
// may be opened or read; and a mapping of a file that another user may cut short would end slurmctld when he
// does. So a thread looks once a second whether the file was replaced, reads it into private memory,
// checks all of it, and only then swaps a pointer. It holds no lock of Slurm's at any time, and the one
// lock that it shares with decisions for the length of that swap. It is left to itself at the end: whoever
// waited for it could wait for a file system.
//
// A snapshot is believed when it belongs to root, to the user of this process, or to the monitor's user.
// That user may be made after slurmctld started, so the owners are looked up again while a file is refused.
class LiveFeed {
 public:
  // Gets one line when a file is refused that was not refused before, and one when a file is read again.
  // Called by the constructor and by the thread of the feed, also after the feed is destroyed.
  using Log = std::function<void(bool is_error, const std::string& text)>;
  // Looks up who may publish. Called by the constructor, and by the thread while a file is refused.
  using FindOwners = std::function<SnapshotOwners()>;

  // Reads the file at once, if it is there, then begins to watch it. `nodes` are the machine's.
  LiveFeed(std::string path, FindOwners find_owners, std::int64_t max_age_s, std::vector<std::string> nodes, Log log);
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  // No I/O.
  LiveNow now() const;

  // So many bytes were freed that the C library keeps: when they are many, the thread has it give them back to the
  // system, at most once a minute. No I/O.
  void memory_was_freed(std::size_t bytes) const;

  // Has the thread call `call` once, after `time` or up to a second later. Of two requests that are not yet due the one that is
  // due first is kept.
  void call_later(std::chrono::steady_clock::duration time, void (*call)()) const;

  // What is wrong with a file that is there; empty: nothing.
  std::string trouble() const;

 private:
  struct Watch;
  std::shared_ptr<Watch> watch_;
};

}  // namespace placement
