// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

namespace placement {

// Lets the user `reader` read the open file `file`, in addition to the users whom its mode admits. If it is a
// directory, `reader` may also enter it. Sets an access control list (acl(5)) with this one user, which replaces an
// older list. Returns false, with errno, when the file system has no access lists or this process may not set them.
bool let_user_read(int file, uid_t reader) noexcept;

}  // namespace placement
