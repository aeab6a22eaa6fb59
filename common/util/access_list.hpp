// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

namespace placement {

// Lets the user `reader` read the open file `file`, besides those whom the mode of the file lets read it; a directory
// it may then also enter. This is done by an access control list (acl(5)) of that one user; one that the file had is
// replaced. Returns false, with errno, when the file system has no access lists or this process may not set them.
bool let_user_read(int file, uid_t reader) noexcept;

}  // namespace placement
