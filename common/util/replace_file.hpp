// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "common/util/file_descriptor.hpp"

namespace placement {

// Lets the user `reader` read the open file `file`, in addition to the users whom its mode admits. If it is a
// directory, `reader` may also enter it. Sets an access control list (acl(5)) with this one user, which replaces an
// older list. Returns false, with errno, when the file system has no access lists or this process may not set them.
bool let_user_read(int file, uid_t reader) noexcept;

// Writes `bytes` to the new file PATH.new and renames it to `path`, so that a reader never sees a part of them. Safe
// for root in a directory that another user may write: existing files and links of both names are neither followed nor
// written. In a process of root, another user's symbolic link on the way to the directory is an error. `admit` gets the
// descriptor of the new file, which only its owner may read, lets others read it, and returns whether that succeeded.
// Throws Error with the path and the reason; the old file then stays.
void replace_file(const std::string& path, std::span<const std::byte> bytes, const std::function<bool(int)>& admit);

// Opens `path` for writing as fopen() does, and empties it. A process of root follows no symbolic link of another user,
// neither the file nor a directory on the way, and opens no special file of another user; /dev/fd, /dev/std* and /proc
// are of the process itself. Throws Error with the path and the reason.
FileDescriptor open_output(const std::string& path);

}  // namespace placement
