// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "common/util/error.hpp"

namespace placement::protocol {

// The first steps of both daemons. They become an unprivileged user, whom no other user can control through files.

struct UserIds {
  uid_t uid = 0;
  gid_t gid = 0;
};

// The user does not exist on this host. It may be created later, so that a caller can try again.
class UnknownUser : public Error {
 public:
  using Error::Error;
};

// Returns the ids of the user `name`. Throws UnknownUser when no user has this name, and Error when it is root.
UserIds unprivileged_user(const std::string& name);

// Makes `user` the user of this process for good. A process of root changes to this user; any other process must
// already run as this user. Afterwards the process can gain no privilege and writes no core file. Throws Error.
void become(const UserIds& user, const std::string& name);

// Returns the users besides root that may own the cluster's configuration: the user slurm, if it exists.
std::vector<uid_t> configuration_owners();

// Throws Error unless the configuration file `path` belongs to root or one of `owners` and nobody else may write it.
// The directory of the file must meet these conditions too. A file that does not exist passes.
void require_safe_file(const std::string& path, std::span<const uid_t> owners);

// Throws Error unless `path` is a directory, not a symbolic link, belongs to `owner` and nobody else may write it.
void require_safe_directory(const std::string& path, uid_t owner);

// Throws Error unless the socket `path` belongs to root or to the user munge, in a directory where nobody else can
// create files. An empty path means munge's default socket. A socket that does not exist passes.
void require_safe_munge_socket(const std::string& path);

// Creates the directory `path` for `user` when it is missing and the caller is root. Throws Error.
void make_directory_for(const std::string& path, const UserIds& user);

// Takes the lock of a daemon and returns its descriptor. The kernel releases the lock when the process ends in any way.
// Returns -1 when another process holds the lock. Throws Error when the file cannot be opened or locked.
int take_lock(const std::string& path);

}  // namespace placement::protocol
