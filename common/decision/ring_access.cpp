// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/ring_access.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "common/util/file_descriptor.hpp"

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

// Sets a list that gives `reader` the permissions `of_reader` (4: read, 1: enter), and everybody else those of the mode.
bool set_list(int file, mode_t mode, uid_t reader, std::uint16_t of_reader) {
  const auto bits = [mode](int shift) { return static_cast<std::uint16_t>(mode >> shift & 7); };
  const AccessList list{acl_version,
                        {{{user_obj, bits(6), no_id},
                          {user, of_reader, reader},
                          {group_obj, bits(3), no_id},
                          {mask, static_cast<std::uint16_t>(bits(3) | of_reader), no_id},
                          {other, bits(0), no_id}}}};
  return fsetxattr(file, "system.posix_acl_access", &list, sizeof list, 0) == 0;
}

}  // namespace

bool let_read_ring(const std::string& ring, uid_t reader) noexcept try {
  const FileDescriptor file(open(ring.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid()) return false;
  if (!set_list(file, status.st_mode, reader, 4)) return false;
  // A ring in a directory of its own is named "ring" (ring_place.hpp).
  const std::size_t slash = ring.rfind('/');
  if (slash == std::string::npos || std::string_view(ring).substr(slash + 1) != "ring") return true;
  const FileDescriptor directory(open(ring.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (directory < 0 || fstat(directory, &status) != 0) return false;
  return status.st_uid != geteuid() || (status.st_mode & S_IXOTH) != 0 || set_list(directory, status.st_mode, reader, 5);
} catch (...) {  // out of memory
  return false;
}

}  // namespace placement
