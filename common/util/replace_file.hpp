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

// Writes `bytes` to the new file PATH.new and renames it to `path`, so that a reader never sees a partial file. Safe
// for root in a directory that another user may write: existing files and links of both names are neither followed nor
// written. Root gets an error if the path to the directory has a symbolic link of another user. Only its owner may read
// the new file at first. `admit` gets its descriptor, lets other users read it, and returns whether that succeeded.
// Throws Error with the path and the reason; the old file then stays.
void replace_file(const std::string& path, std::span<const std::byte> bytes, const std::function<bool(int)>& admit);

// Creates the directories of `path` that are missing. Throws Error if one cannot be created, and for root if another
// user owns a directory or a symbolic link of the path.
void make_directories_of(const std::string& path);

// Opens `path` for writing as fopen() does, and empties it. A process of root rejects symbolic links of other users,
// anywhere in the path, and special files of other users. It opens paths in /dev/fd, /dev/std* and /proc unchecked,
// because they belong to the process itself. Throws Error with the path and the reason.
FileDescriptor open_output(const std::string& path);

}  // namespace placement
