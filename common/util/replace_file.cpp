// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/replace_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

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

// A file in an open directory.
struct Place {
  FileDescriptor directory;
  std::string name;
};

// Returns whether root owns a file. In a user namespace, another number owns the directories of root.
bool is_of_root(const struct stat& file) {
  struct stat top {};
  return file.st_uid == 0 || (stat("/", &top) == 0 && file.st_uid == top.st_uid);
}

// Returns the directory and the last name of `path`. If that is a symbolic link and `follow` is true, returns those of
// the link's target. Throws Error for a symbolic link of another user than root.
Place place_for_root(const std::string& path, bool follow) {
  std::string rest = path;
  Place place{FileDescriptor(open(rest.starts_with('/') ? "/" : ".", O_PATH | O_CLOEXEC)), {}};
  for (int links = 0; links <= 40;) {
    rest.erase(0, std::min(rest.find_first_not_of('/'), rest.size()));
    place.name = rest.substr(0, rest.find('/'));
    rest.erase(0, place.name.size());
    if (place.name.empty() || (rest.empty() && !follow)) return place;
    if (!rest.empty()) {  // this also mounts what automount provides
      FileDescriptor next(openat(place.directory, place.name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (next >= 0) {
        place.directory = std::move(next);
        continue;
      }
    }
    const FileDescriptor link(openat(place.directory, place.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (rest.empty() && link < 0 && errno == ENOENT) return place;
    struct stat status {};
    if (link < 0 || fstat(link, &status) != 0) fail_errno(path, "cannot be created");
    if (!S_ISLNK(status.st_mode) && rest.empty()) return place;
    char target[PATH_MAX];
    const ssize_t length = S_ISLNK(status.st_mode) ? readlinkat(link, "", target, sizeof target) : 0;
    if (length <= 0) fail_errno(path, "cannot be created", ENOTDIR);
    if (!is_of_root(status)) throw Error(path + ": another user owns the symbolic link " + place.name);
    rest.insert(0, std::string(target, static_cast<std::size_t>(length)));
    if (target[0] == '/') place.directory.reset(open("/", O_PATH | O_CLOEXEC));
    ++links;
  }
  fail_errno(path, "cannot be created", ELOOP);
}

Place place_of(const std::string& path) {
  if (geteuid() == 0) return place_for_root(path, false);
  const std::string parent = path.substr(0, path.rfind('/') + 1);
  FileDescriptor directory(open(parent.empty() ? "." : parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (directory < 0) fail_errno(path, "cannot be created");
  return {std::move(directory), path.substr(parent.size())};
}

}  // namespace

void make_directories_of(const std::string& path) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (geteuid() != 0) {
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);
    if (failed) throw Error(directory.string() + ": cannot be created: " + failed.message());
    return;
  }
  std::filesystem::path part;
  for (const std::filesystem::path& name : directory) {
    part /= name;
    const Place place = place_for_root(part.string(), true);
    if (place.name.empty()) continue;
    struct stat found {};
    if ((mkdirat(place.directory, place.name.c_str(), 0777) != 0 && errno != EEXIST) ||
        fstatat(place.directory, place.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0)
      fail_errno(part.string(), "cannot be created");
    if (!S_ISDIR(found.st_mode)) fail_errno(part.string(), "cannot be created", ENOTDIR);
    if (!is_of_root(found)) throw Error(path + ": another user owns " + part.string());
  }
}

FileDescriptor open_output(const std::string& path) {
  const bool of_process = path.starts_with("/dev/fd/") || path.starts_with("/dev/std") || path.starts_with("/proc/");
  constexpr int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;
  if (geteuid() != 0 || of_process) {
    FileDescriptor file(open(path.c_str(), flags | O_TRUNC, 0666));
    if (file < 0) fail_errno(path, "cannot be written");
    return file;
  }
  const Place place = place_for_root(path, true);
  FileDescriptor file(openat(place.directory, place.name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK, 0666));
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) fail_errno(path, "cannot be written");
  if (S_ISREG(status.st_mode) ? ftruncate(file, 0) != 0 : status.st_uid != 0)
    throw Error(path + ": cannot be written: it is a special file of another user");
  fcntl(file, F_SETFL, 0);
  return file;
}

void replace_file(const std::string& path, std::span<const std::byte> bytes, const std::function<bool(int)>& admit) {
  const auto [directory, name] = place_of(path);
  const std::string temporary = name + ".new", shown = path + ".new";
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
