// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <string>

namespace placement {

// Lets the user `reader` read the ring at the path `ring`, which must be a file of this process' user, besides those
// whom the mode of the file lets read it. When the ring lies in a directory that own_ring_directory() made, the user may
// also enter that directory. This is done by an access control list (acl(5)). Returns false when the file system has
// none, or when the ring is not there or not this user's. Does not throw.
bool let_read_ring(const std::string& ring, uid_t reader) noexcept;

}  // namespace placement
