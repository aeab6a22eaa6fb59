// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/replace_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>

#include "common/util/file_descriptor.hpp"
#include "common/util/error.hpp"

namespace placement {

namespace {

// The form in which Linux keeps an access control list: linux/posix_acl_xattr.h.
constexpr std::uint32_t acl_version = 2;
constexpr std::uint32_t no_id = UINT32_MAX;
enum Tag : std::uint16_t { user_obj = 0x01, user = 0x02, group_obj = 0x04, mask = 0x10, other = 0x20 };

struct Entry {
  std::uint16_t tag;
  std::uint16_t permissions;
  std::uint32_t id;
};

struct AccessList {
  std::uint32_t version = acl_version;
  std::array<Entry, 5> entries;
};
static_assert(sizeof(AccessList) == 44 && std::endian::native == std::endian::little);

}  // namespace

bool let_user_read(int file, uid_t reader) noexcept {
  struct stat status {};
  if (fstat(file, &status) != 0) return false;
  const auto bits = [&status](int shift) { return static_cast<std::uint16_t>(status.st_mode >> shift & 7); };
  const std::uint16_t of_reader = S_ISDIR(status.st_mode) ? 5 : 4;  // read, and enter
  const AccessList list{acl_version,
                        {{{user_obj, bits(6), no_id},
                          {user, of_reader, reader},
                          {group_obj, bits(3), no_id},
                          {mask, static_cast<std::uint16_t>(bits(3) | of_reader), no_id},
                          {other, bits(0), no_id}}}};
  return fsetxattr(file, "system.posix_acl_access", &list, sizeof list, 0) == 0;
}

namespace {

// Opens the directory of `path`. In a process of root, throws Error for a symbolic link of another user.
FileDescriptor directory_of(const std::string& path) {
  std::string rest = path.substr(0, path.rfind('/') + 1);
  FileDescriptor at(open(rest.starts_with('/') ? "/" : ".", O_PATH | O_CLOEXEC));
  for (int links = 0; !rest.empty();) {
    const std::string name = rest.substr(0, rest.find('/'));
    rest.erase(0, name.size() + 1);
    if (name.empty()) continue;
    FileDescriptor next(openat(at, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (next < 0 || fstat(next, &status) != 0) fail_errno(path, "cannot be created");
    if (S_ISLNK(status.st_mode)) {
      char target[PATH_MAX];
      const ssize_t length = readlinkat(next, "", target, sizeof target);
      if (length <= 0 || ++links > 40) fail_errno(path, "cannot be created", ELOOP);
      if (geteuid() == 0 && status.st_uid != 0) throw Error(path + ": another user owns the symbolic link " + name);
      rest.insert(0, std::string(target, static_cast<std::size_t>(length)) + "/");
      if (target[0] == '/') next.reset(open("/", O_PATH | O_CLOEXEC));
    }
    if (!S_ISLNK(status.st_mode) || rest.starts_with('/')) at = std::move(next);
  }
  return at;
}

}  // namespace

void replace_file(const std::string& path, std::span<const std::byte> bytes, const std::function<bool(int)>& admit) {
  const FileDescriptor directory = directory_of(path);
  const std::string name = path.substr(path.rfind('/') + 1), temporary = name + ".new", shown = path + ".new";
  if (unlinkat(directory, temporary.c_str(), 0) != 0 && errno != ENOENT) fail_errno(shown, "cannot be removed");
  try {
    const FileDescriptor file(
        openat(directory, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600));
    if (file < 0) fail_errno(shown, "cannot be created");
    if (!write_all(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}))
      fail_errno(shown, "cannot be written");
    if (!admit(file)) fail_errno(shown, "cannot be made readable");
    if (renameat(directory, temporary.c_str(), directory, name.c_str()) != 0) fail_errno(path, "cannot be replaced");
  } catch (...) {
    unlinkat(directory, temporary.c_str(), 0);
    throw;
  }
}

}  // namespace placement
