// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/live_feed.hpp"

#include <malloc.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <list>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "common/state/snapshot.hpp"
#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"

namespace placement::planning {

namespace {

constexpr auto look_every = std::chrono::seconds(1);
constexpr auto trim_every = std::chrono::minutes(1);
constexpr std::int64_t clocks_differ_s = 5;  // the most by which the monitor's clock may be ahead of slurmctld's

// A snapshot with an index by the machine's nodes.
struct Published {
  LiveState state;
  std::vector<std::int32_t> state_of_node;  // as LiveNow::state_of_node
};

std::shared_ptr<const Published> published(LiveState state, const std::vector<std::string>& nodes) {
  auto result = std::make_shared<Published>();
  result->state = std::move(state);
  std::unordered_map<std::string_view, std::int32_t> index;
  for (const NodeState& node : result->state.nodes) index.emplace(node.name, static_cast<std::int32_t>(index.size()));
  for (const std::string& node : nodes) {
    const auto found = index.find(node);
    result->state_of_node.push_back(found == index.end() ? -1 : found->second);
  }
  return result;
}

}  // namespace

struct LiveFeed::Watch : LiveSource {
  explicit Watch(LiveSource source) : LiveSource(std::move(source)), owners(find_owners()) {}

  mutable std::mutex mutex;
  std::shared_ptr<const Published> newest;
  std::uint64_t generation = 0;
  std::string trouble;
  std::chrono::steady_clock::time_point call_at{};
  void (*call)() = nullptr;  // null if no call is pending

  std::atomic<bool> end = false;  // the feed was destroyed
  std::atomic<bool> memory_was_freed = false;

  // Used by the constructor of the feed, then by the thread only; not protected by `mutex`.
  std::chrono::steady_clock::time_point trimmed{};
  SnapshotOwners owners;
  FileIdentity seen;
  bool refused = false;  // the file was refused, and that was logged
  std::list<std::shared_ptr<const Published>> retired;

  LiveState read() const {
    try {
      // The limit allows for nodes in the snapshot that the machine does not have any more, or not yet.
      return read_snapshot(path, owners.users, 2 * nodes.size() + 64);
    } catch (const Error& error) {
      if (owners.missing.empty()) throw;
      throw Error(std::string(error.what()) + " (" + owners.missing + ")");
    }
  }

  // Looks up the trusted users again. If they changed, the refused file is read again: it may belong to a new user.
  void look_up_owners() {
    SnapshotOwners found = find_owners();
    if (found == owners) return;
    owners = std::move(found);
    seen = {};
  }

  // Logs the first refusal and the first good file after it. `wrong` is the reason, empty for a good file.
  void tell(const std::string& wrong) {
    const bool was_refused = std::exchange(refused, !wrong.empty());
    if (refused && !was_refused)
      log(true, "the live data are refused: " + wrong);
    else if (!refused && was_refused)
      log(false, "the live data are used again: " + path);
  }

  void look() {
    if (refused) look_up_owners();
    const FileIdentity found = identity_of(path);
    if (found == seen) return;
    seen = found;
    if (found == FileIdentity{}) {  // the file is gone; the state read from it is used until it is too old
      refused = false;
      const std::lock_guard lock(mutex);
      trouble.clear();
      return;
    }
    std::shared_ptr<const Published> fresh;
    std::string wrong;
    try {
      fresh = published(read(), nodes);
    } catch (const std::exception& error) {
      wrong = error.what();
    }
    tell(wrong);
    const std::lock_guard lock(mutex);
    trouble = std::move(wrong);
    if (!fresh) return;
    // A decision may still hold the old snapshot. The thread keeps a reference, so that the thread, and not the
    // decision, frees the snapshot, which can take milliseconds.
    if (newest) retired.push_back(std::move(newest));
    newest = std::move(fresh);
    ++generation;
  }

  void trim() {
    const auto now = std::chrono::steady_clock::now();
    if (now - trimmed < trim_every || !memory_was_freed.exchange(false)) return;
    trimmed = now;
    malloc_trim(0);
  }

  // Returns the pending call if it is due, and removes it; else null.
  void (*due_call())() {
    const std::lock_guard lock(mutex);
    if (call == nullptr || std::chrono::steady_clock::now() < call_at) return nullptr;
    return std::exchange(call, nullptr);
  }

  // Sleeps instead of waiting for a condition variable: libfaketime 0.9.10, which the soak uses, makes timed waits of
  // C++ much too long.
  void run() {
    while (std::this_thread::sleep_for(look_every), !end) {
      if (void (*const due)() = due_call(); due != nullptr) due();
      if (retry && retry()) retry = nullptr;
      retired.remove_if([](const auto& old) { return old.use_count() == 1; });
      look();
      trim();
    }
  }
};

LiveFeed::LiveFeed(LiveSource source) : watch_(std::make_shared<Watch>(std::move(source))) {
  watch_->look();
  // The thread blocks all signals, because slurmctld's own threads handle them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([watch = watch_] {
      try {
        watch->run();
      } catch (...) {  // out of memory: the thread ends, and decisions report later that the live data are too old
      }
    }).detach();
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LiveFeed::~LiveFeed() { watch_->end = true; }

void LiveFeed::memory_was_freed() const { watch_->memory_was_freed = true; }

void LiveFeed::call_later(std::chrono::steady_clock::duration time, void (*call)()) const {
  const std::lock_guard lock(watch_->mutex);
  const auto at = std::chrono::steady_clock::now() + time;
  if (watch_->call != nullptr && watch_->call_at <= at) return;
  watch_->call_at = at;
  watch_->call = call;
}

std::string LiveFeed::trouble() const {
  const std::lock_guard lock(watch_->mutex);
  return watch_->trouble;
}

LiveNow LiveFeed::now() const {
  LiveNow result;
  std::shared_ptr<const Published> newest;
  {
    const std::lock_guard lock(watch_->mutex);
    newest = watch_->newest;
    result.generation = watch_->generation;
    result.why_not = watch_->trouble;
  }
  if (!newest) {
    if (result.why_not.empty())
      result.why_not = "the live data of placement-monitor are missing: " + watch_->path + " is not there";
    return result;
  }
  const std::int64_t age_s = std::int64_t{std::time(nullptr)} - newest->state.published_at_s;
  if (age_s < -clocks_differ_s || age_s > watch_->max_age_s) {
    const std::string trouble = std::exchange(result.why_not, {});
    if (age_s > watch_->max_age_s)
      result.why_not = "the live data are " + std::to_string(age_s) +
                       " s old, more than SnapshotMaxAgeS=" + std::to_string(watch_->max_age_s);
    else
      result.why_not = "the live data are " + std::to_string(-age_s) + " s ahead of slurmctld's clock";
    if (!trouble.empty()) result.why_not += "; " + trouble;
    result.generation = 0;
    return result;
  }
  result.why_not.clear();
  result.age_s = static_cast<double>(std::max<std::int64_t>(age_s, 0));
  result.state = std::shared_ptr<const LiveState>(newest, &newest->state);
  result.state_of_node = std::shared_ptr<const std::vector<std::int32_t>>(newest, &newest->state_of_node);
  return result;
}

SnapshotOwners snapshot_owners(const std::string& monitor_user) {
  SnapshotOwners owners{{0, geteuid()}, {}};
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> room(16384);
  if (getpwnam_r(monitor_user.c_str(), &entry, room.data(), room.size(), &found) == 0 && found != nullptr)
    owners.users.push_back(found->pw_uid);
  else
    owners.missing = "MonitorUser=" + monitor_user + " is not a user of this host";
  return owners;
}

}  // namespace placement::planning
