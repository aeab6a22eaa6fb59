// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "common/util/file_descriptor.hpp"
#include "common/util/error.hpp"

namespace placement {

// What both daemons do before anything else: become an unprivileged user, and make sure that nobody
// else can tell them what to do.

struct UserIds {
  uid_t uid = 0;
  gid_t gid = 0;
};

// The user may be made later.
class UnknownUser : public Error {
 public:
  using Error::Error;
};

// Throws UnknownUser when there is no such user, and Error when it is root.
UserIds unprivileged_user(const std::string& name);

// The user for good: root becomes it, anybody else has to be it already. After that the process can
// gain no privilege, and leaves no memory image. Throws Error.
void become(const UserIds& user, const std::string& name);

// Who besides root may own the cluster's configuration: the user slurm, where there is one.
std::vector<uid_t> configuration_owners();

// A configuration file belongs to root or one of `owners`, and nobody else may write it; the same
// holds for its directory. Throws Error. A file that does not exist is none of its business.
void require_safe_file(const std::string& path, std::span<const uid_t> owners);

// A directory belongs to `owner`, is no symbolic link, and nobody else may write it. Throws Error.
void require_safe_directory(const std::string& path, uid_t owner);

// The socket of munge belongs to root or to munge's user, and lies where nobody else could have put
// it. An empty path is munge's own default. Throws Error.
void require_safe_munge_socket(const std::string& path);

// Makes the directory for the user when it is missing and the caller is root. Throws Error.
void make_directory_for(const std::string& path, const UserIds& user);

// The lock of a daemon, held until the end of its process whatever end that is. None (-1): another
// process holds it. Throws Error when the file cannot be had.
int take_lock(const std::string& path);

}  // namespace placement
