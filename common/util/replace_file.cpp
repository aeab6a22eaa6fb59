// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/replace_file.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>

#include "common/util/file_descriptor.hpp"
#include "common/util/error.hpp"

namespace placement {

void replace_file(const std::string& path, std::span<const std::byte> bytes, const std::function<bool(int)>& admit) {
  const std::string temporary = path + ".new";
  if (unlink(temporary.c_str()) != 0 && errno != ENOENT) fail_errno(temporary, "cannot be removed");
  try {
    const FileDescriptor file(
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600));
    if (file < 0) fail_errno(temporary, "cannot be created");
    if (!write_all(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}))
      fail_errno(temporary, "cannot be written");
    if (!admit(file)) fail_errno(temporary, "cannot be made readable");
    if (rename(temporary.c_str(), path.c_str()) != 0) fail_errno(path, "cannot be replaced");
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
}

}  // namespace placement
