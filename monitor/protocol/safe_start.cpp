// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/safe_start.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "common/util/file_descriptor.hpp"
#include "common/util/users.hpp"

namespace placement::protocol {

namespace {

constexpr mode_t others_may_write = S_IWGRP | S_IWOTH;
constexpr const char* default_munge_socket = "/run/munge/munge.socket.2";

[[noreturn]] void fail_with_errno(const std::string& what) { throw Error(what + ": " + std::strerror(errno)); }

bool owned(uid_t uid, std::span<const uid_t> owners) {
  return uid == 0 || std::ranges::find(owners, uid) != owners.end();
}

std::string octal(mode_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode & 07777));
  return text;
}

void require_owner(const std::string& path, const struct stat& file, std::span<const uid_t> owners) {
  if (!owned(file.st_uid, owners))
    throw Error(path + " belongs to user " + std::to_string(file.st_uid) + ", who is not one of its trusted owners");
  // In a directory with the sticky bit others cannot replace files that they do not own.
  if ((file.st_mode & others_may_write) != 0 && !(S_ISDIR(file.st_mode) && (file.st_mode & S_ISVTX) != 0))
    throw Error(path + " has mode " + octal(file.st_mode) + ": remove the write permission of group and others");
}

void require_safe_place(const std::string& path, std::span<const uid_t> owners) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  struct stat place;
  if (stat(directory.empty() ? "." : directory.c_str(), &place) != 0) fail_with_errno(directory);
  require_owner(directory, place, owners);
}

}  // namespace

UserIds unprivileged_user(const std::string& name) {
  const passwd* const user = getpwnam(name.c_str());
  if (!user) throw UnknownUser("MonitorUser=" + name + ": this host has no user of this name");
  if (user->pw_uid == 0) throw Error("MonitorUser=" + name + ": use an unprivileged user");
  return {user->pw_uid, user->pw_gid};
}

// A process that was not root when it started may have been given capabilities for its start. A process without any
// does not call the kernel to drop them, because a service manager may forbid that call.
static void drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct own[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, own) != 0) fail_with_errno("cannot find out which capabilities this process has");
  if (std::ranges::all_of(own, [](const auto& part) { return part.permitted == 0 && part.inheritable == 0; })) return;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capset, &header, none) != 0) fail_with_errno("cannot give up capabilities");
}

void become(const UserIds& user, const std::string& name) {
  if (geteuid() == 0) {
    if (setgroups(0, nullptr) != 0 || setgid(user.gid) != 0 || setuid(user.uid) != 0)
      fail_with_errno("cannot become user " + name);
  } else if (geteuid() != user.uid || getuid() != user.uid) {
    throw Error("runs as user " + std::to_string(geteuid()) + ", and MonitorUser is " + name + " (" +
                std::to_string(user.uid) + ")");
  }
  drop_capabilities();
  if (setuid(0) == 0) throw Error("user " + name + " could become root again");
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  umask(077);
}

std::vector<uid_t> configuration_owners() {
  const std::optional<uid_t> slurm = number_of_user("slurm");
  return slurm ? std::vector{*slurm} : std::vector<uid_t>{};
}

void require_safe_file(const std::string& path, std::span<const uid_t> owners) {
  struct stat file;
  if (stat(path.c_str(), &file) != 0) {
    if (errno == ENOENT) return;
    fail_with_errno(path);
  }
  if (!S_ISREG(file.st_mode)) throw Error(path + " is not a regular file");
  require_owner(path, file, owners);
  require_safe_place(path, owners);
}

void require_safe_directory(const std::string& path, uid_t owner) {
  struct stat directory;
  if (lstat(path.c_str(), &directory) != 0) fail_with_errno(path);
  if (!S_ISDIR(directory.st_mode)) throw Error(path + " is not a directory");
  if (directory.st_uid != owner)
    throw Error(path + " belongs to user " + std::to_string(directory.st_uid) + " instead of " + std::to_string(owner) +
                "; remove it if MonitorUser has changed");
  if ((directory.st_mode & others_may_write) != 0)
    throw Error(path + " has mode " + octal(directory.st_mode) + ": remove the write permission of group and others");
}

void require_safe_munge_socket(const std::string& given) {
  const std::string path = given.empty() ? default_munge_socket : given;
  struct stat file;
  if (stat(path.c_str(), &file) != 0) {
    if (errno == ENOENT) return;  // munged may start later
    fail_with_errno(path);
  }
  if (!S_ISSOCK(file.st_mode)) throw Error(path + " is not a socket");
  const uid_t owner = number_of_user("munge").value_or(0);
  // The mode of the socket is not checked: every user must be able to write to it.
  if (!owned(file.st_uid, {&owner, 1}))
    throw Error(path + " belongs to user " + std::to_string(file.st_uid) + ", who is not munge");
  require_safe_place(path, {&owner, 1});
}

void make_directory_for(const std::string& path, const UserIds& user) {
  if (geteuid() != 0) return;
  if (mkdir(path.c_str(), 0755) != 0) {
    if (errno == EEXIST) return;
    fail_with_errno(path);
  }
  // The directory is changed through its descriptor. A user who may write its parent could have replaced it.
  const FileDescriptor made(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (made < 0 || fchmod(made, 0755) != 0 || fchown(made, user.uid, user.gid) != 0) fail_with_errno(path);
}

int take_lock(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) fail_with_errno(path);
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  const int why = errno;
  close(file);
  errno = why;
  if (errno != EWOULDBLOCK) fail_with_errno(path);
  return -1;
}

}  // namespace placement::protocol
