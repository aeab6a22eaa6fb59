// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/history_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "common/util/error.hpp"
#include "monitor/monitor/history.hpp"

namespace placement::monitor::history_file {

namespace {

// The mode does not depend on the daemon's umask. A user who may open the file may lock it, and a reader's lock keeps
// the monitor from writing. So only the monitor's user and its group may open it.
constexpr mode_t file_mode = 0640;

}  // namespace

bool exists(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

void make(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, file_mode);
  if (fd < 0) throw Error(path + ": cannot be made: " + std::strerror(errno));
  fchmod(fd, file_mode);
  close(fd);
}

void restrict_modes(const std::string& path) {
  for (const char* part : {"", "-wal", "-shm"}) static_cast<void>(chmod((path + part).c_str(), file_mode));
}

bool is_sound(const std::string& path) {
  try {
    Database database(path, Database::Access::write, history_wait_ms);
    if (database.text("PRAGMA quick_check(1)") != "ok") return false;
    const std::int64_t version = database.number("PRAGMA user_version");
    if (version == 0) return database.number("SELECT count(*) FROM sqlite_master") == 0;
    return version > history_schema_version ||
           database.number(
               "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN "
               "('node', 'outage', 'span', 'decision', 'setting')") == 5;
  } catch (const DatabaseError& error) {
    if (!error.broken) throw;
    return false;
  }
}

std::string move_aside(const std::string& path) {
  std::string to;
  for (int i = 1; i == 1 || exists(to); ++i) to = path + ".broken-" + std::to_string(i);
  if (rename(path.c_str(), to.c_str()) != 0)
    throw Error(path + ": it is broken, and cannot be moved to " + to + ": " + std::strerror(errno));
  for (const char* part : {"-wal", "-shm", "-journal"})
    if (exists(path + part)) rename((path + part).c_str(), (to + part).c_str());
  return to;
}

}  // namespace placement::monitor::history_file
